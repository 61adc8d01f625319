package import SyncModel

/// Unpacks compressed data, part after part, from pieces of any size.
package final class Unpacker: ByteTransform {
  private enum Place: Equatable {
    /// Nothing has come yet.
    case start
    /// `read` counts this part's compressed bytes, of which `first` is the first; `isFirst` decides what a wrong
    /// header means.
    case part(isFirst: Bool, first: UInt8, read: Int64)
    /// A part has ended; another one, padding or nothing may follow.
    case afterPart
    /// `count` bytes of padding were read.
    case padding(count: Int64)
  }

  private let decoding: Decoding
  private let leavesSums: Bool
  private let isArchive: Bool
  private let step: Int?
  private var decoder: (any PartDecoder)?
  private var place = Place.start
  /// Packed bytes read.
  private var offset: Int64 = 0

  private var format: Compression { decoding.format }
  /// A `.lzma` file has no streams that zeros could be between.
  private var padding: Compression.Padding { decoder?.endsData == true ? .zerosAtEnd : format.padding }

  /// At the start of the data.
  ///
  /// `leavesSums`: the sums in the trailers of gzip's members may be left to ``GzipTrailerCheck``, by `Block.memberEnds`.
  /// `isArchive`: any number of zeros may follow, whatever the format is (contract, section 10). `step` is for
  /// ``Corruption/step``.
  package init(_ decoding: Decoding, leavesSums: Bool = false, isArchive: Bool = false, step: Int? = nil) {
    self.decoding = decoding
    self.leavesSums = leavesSums
    self.isArchive = isArchive
    self.step = step
  }

  /// Resets it to the start.
  package func restart() {
    place = .start
    offset = 0
  }

  /// Decompresses until `input` is used up or `output` is full; returns the number of bytes of `input` that were
  /// used.
  ///
  /// A full `output` means that there may be more, even without more input: call again with another block and the
  /// rest of the input, until there is room left. `isLast`: there is no more input, and everything that the library
  /// holds is returned. Throws `corrupt`, `windowTooLarge`, `decoderMissing`, or `internalError` if memory is
  /// short.
  func unpack(_ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool = false) throws(FailureCause)
    -> Int
  {
    var used = 0
    while true {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: input[used...])
      switch place {
      case .start, .afterPart:
        guard let first = unsafe rest.first else { return used }
        try begin(with: first)
      case .padding(let count):
        guard unsafe !rest.isEmpty else { return used }
        unsafe used += try skipZeros(rest, count)
      case .part(let isFirst, let first, let read):
        guard !output.isFull else { return used }
        let step = try unsafe decode(
          rest, into: output, isLast: isLast, isFirst: isFirst, first: first, read: read)
        used += step.used
        guard case .part = place, used == input.count, !output.isFull else { continue }
        // The library has returned everything for its input.
        if !isLast || step.made == 0 { return used }
      }
    }
  }

  /// The input has ended. Throws `corrupt` unless there was at least one complete part.
  ///
  /// Call it after `unpack` with `isLast`.
  package func finish() throws(FailureCause) {
    switch place {
    case .start: throw corrupt(format.isEmpty)
    case .part: throw corrupt(format.endsInside, isCutShort: true)
    case .padding(let count) where !isArchive && padding == .zerosInFours && count % 4 != 0:
      throw corrupt(format.paddingIsOdd, isCutShort: true)
    case .afterPart, .padding: break
    }
  }

  private func begin(with byte: UInt8) throws(FailureCause) {
    let isFirst = place == .start
    if byte == 0, !isFirst {
      place = .padding(count: 0)
      return
    }
    if !isFirst, decoder?.endsData == true { throw corrupt(format.dataAfterEnd) }
    if let fault = format.headerFault(byte, at: 0, first: byte, isFirst: isFirst) { throw corrupt(fault) }
    try readyDecoder().begin(with: byte)
    place = .part(isFirst: isFirst, first: byte, read: 0)
  }

  private func readyDecoder() throws(FailureCause) -> any PartDecoder {
    if let decoder { return decoder }
    let new = try decoding.decoder(leavesSums: leavesSums)
    decoder = new
    return new
  }

  private func decode(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool, isFirst: Bool, first: UInt8,
    read: Int64
  ) throws(FailureCause) -> DecodingStep {
    if read < format.headerSize {
      try unsafe checkHeader(input, isFirst: isFirst, first: first, read: Int(read))
    }
    let decoder = try readyDecoder()
    let step = unsafe decoder.step(input, into: output.free, isLast: isLast)
    output.grow(by: step.made)
    output.isUnproven = decoder.leavesUnproven
    offset += Int64(step.used)
    place = .part(isFirst: isFirst, first: first, read: read + Int64(step.used))
    switch step.outcome {
    case .more: break
    case .partEnded(let trailer):
      place = .afterPart
      if let trailer {
        output.add(MemberEnd(place: output.count, trailer: trailer, offset: offset))
      }
    case .otherFormat: throw corrupt(isFirst ? format.isNotThis : format.dataAfterEnd)
    case .corrupt(let text): throw corrupt(text)
    case .failed(let cause): throw cause
    }
    // Neither side made progress, and neither is used up: this would be an endless loop.
    guard unsafe step.used + step.made > 0 || input.isEmpty || place == .afterPart else {
      throw .internalError("\(format.stepName) does not go on")
    }
    return step
  }

  private func checkHeader(
    _ input: UnsafeRawBufferPointer, isFirst: Bool, first: UInt8, read: Int
  ) throws(FailureCause) {
    for index in read..<min(format.headerSize, read + input.count) {
      let byte = unsafe input[index - read]
      if let fault = format.headerFault(byte, at: index, first: first, isFirst: isFirst) {
        offset += Int64(index - read + 1)
        throw corrupt(fault)
      }
    }
  }

  /// Reads zeros, of which there were `count`; returns how many bytes it used.
  private func skipZeros(_ bytes: UnsafeRawBufferPointer, _ count: Int64) throws(FailureCause) -> Int {
    let zeros = unsafe bytes.firstIndex { $0 != 0 } ?? bytes.count
    offset += Int64(zeros)
    let count = count + Int64(zeros)
    place = .padding(count: count)
    guard zeros < bytes.count else { return zeros }
    guard padding == .zerosInFours else { throw corrupt(format.dataAfterEnd) }
    guard count % 4 == 0 else { throw corrupt(format.paddingIsOdd) }
    place = .afterPart
    return zeros
  }

  private func corrupt(_ text: String, isCutShort: Bool = false) -> FailureCause {
    .corrupt(Corruption(format, offset: offset, text: text, isCutShort: isCutShort, step: step))
  }
}
