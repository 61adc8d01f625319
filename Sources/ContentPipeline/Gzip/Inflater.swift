import SyncModel

/// Unpacks gzip data, member after member (RFC 1952), from pieces of any size.
package final class Inflater {
  /// What `gzipCorrupt` says of data that stops too early, as a cut-off transfer does.
  package static let endsInsideMember = "ends inside a member"
  static let notGzip = "not gzip data"
  static let dataAfterEnd = "unexpected data after the last member"
  static let empty = "no data, not even a gzip header"

  private enum Place: Equatable {
    /// Nothing has come yet.
    case start
    /// `read` counts this member's packed bytes; `isFirst` tells what a wrong header means.
    case member(isFirst: Bool, read: Int64)
    /// A member has ended; another one, zeros or nothing may follow.
    case afterMember
    case padding
  }

  private let unpacker: MemberUnpacker
  private var place = Place.start
  /// Packed bytes read.
  private var offset: Int64 = 0

  /// At the start of the data.
  ///
  /// `leavesSums`: the sums in the members' trailers may be left to ``MemberProof``, by `Block.memberEnds`.
  package init(_ library: UnpackingLibrary = .fastest, leavesSums: Bool = false) {
    unpacker = MemberUnpacker(library, leavesSums: leavesSums)
  }

  /// Forgets everything and stands at the start again.
  package func restart() {
    place = .start
    offset = 0
  }

  /// Unpacks until `input` is used up or `output` is full; returns how much of `input` was used.
  ///
  /// A full `output` means that there may be more, even without more input: call again with another block and
  /// the rest of the input, until there is room left. Throws `gzipCorrupt`, or `internalError` when memory is
  /// short.
  func unpack(_ input: UnsafeRawBufferPointer, into output: Block) throws(FailureCause) -> Int {
    var used = 0
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: input[used...])
      switch place {
      case .start, .afterMember:
        guard let first = rest.first else { return used }
        try begin(with: first)
      case .padding:
        try skipZeros(rest)
        return input.count
      case .member(let isFirst, let read):
        guard !output.isFull else { return used }
        let step = try inflateStep(rest, into: output, isFirst: isFirst, read: read)
        used += step
        // No progress and still inside: zlib has nothing more to give for what it got.
        if case .member = place, used == input.count, !output.isFull { return used }
      }
    }
  }

  /// The input is over. Throws `gzipCorrupt` unless it was at least one member, whole.
  package func finish() throws(FailureCause) {
    switch place {
    case .start: throw corrupt(Inflater.empty)
    case .member: throw corrupt(Inflater.endsInsideMember)
    case .afterMember, .padding: break
    }
  }

  private func begin(with byte: UInt8) throws(FailureCause) {
    let isFirst = place == .start
    if byte == 0x1f {
      try unpacker.begin()
      place = .member(isFirst: isFirst, read: 0)
    } else if byte == 0, !isFirst {
      place = .padding
    } else {
      throw corrupt(isFirst ? Inflater.notGzip : Inflater.dataAfterEnd)
    }
  }

  private func inflateStep(
    _ input: UnsafeRawBufferPointer, into output: Block, isFirst: Bool, read: Int64
  ) throws(FailureCause) -> Int {
    if read < 4 { try checkHeader(input, isFirst: isFirst, read: Int(read)) }
    let step = unpacker.step(input, into: output.free)
    output.grow(by: step.made)
    output.isUnproven = unpacker.leavesUnproven
    offset += Int64(step.used)
    place = .member(isFirst: isFirst, read: read + Int64(step.used))
    switch step.outcome {
    case .more: break
    case .memberEnded(let trailer):
      place = .afterMember
      if let trailer {
        output.add(MemberEnd(place: output.count, trailer: trailer, offset: offset))
      }
    case .corrupt(let text): throw corrupt(text)
    case .failed(let code): throw .internalError("gunzip failed (\(code))")
    }
    // Neither side moved, and neither is used up: it would be asked for ever.
    guard step.used + step.made > 0 || input.isEmpty || place == .afterMember else {
      throw .internalError("gunzip does not go on")
    }
    return step.used
  }

  /// Objects to a member's first four bytes: a library may want the whole header before it does, or not mind.
  private func checkHeader(
    _ input: UnsafeRawBufferPointer, isFirst: Bool, read: Int
  ) throws(FailureCause) {
    for (index, byte) in zip(read..<4, input) {
      let fault: String? =
        switch index {
        case 1: byte == 0x8b ? nil : isFirst ? Inflater.notGzip : Inflater.dataAfterEnd
        case 2: byte == 8 ? nil : "unknown compression method"
        // RFC 1952 keeps three for later.
        case 3: byte & 0xe0 == 0 ? nil : "unknown header flags set"
        default: nil
        }
      if let fault {
        offset += Int64(index - read + 1)
        throw corrupt(fault)
      }
    }
  }

  private func skipZeros(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    guard let wrong = bytes.firstIndex(where: { $0 != 0 }) else {
      offset += Int64(bytes.count)
      return
    }
    offset += Int64(wrong)
    throw corrupt(Inflater.dataAfterEnd)
  }

  private func corrupt(_ text: String) -> FailureCause { .gzipCorrupt(offset: offset, text: text) }
}
