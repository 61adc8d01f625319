package import SyncModel

/// Reads a tar from pieces of any size, and refuses what two readers could read in two ways (docs/decisions/0026).
///
/// It reads ustar, GNU's long names and pax, in constant memory. Owners are not read.
package struct TarReader: Sendable {
  /// The size of a block, in bytes.
  static let blockSize = 512

  /// The result of one step.
  package enum Step: Sendable, Equatable {
    /// Bytes were used, and there is nothing to tell.
    case more
    /// An entry begins; its content follows, if it has one.
    case entry(ArchiveEntry)
    /// The bytes that were used are content of the last entry.
    case content
  }

  private enum Place {
    case header
    /// `left` bytes of content, then `padding` ones.
    case content(left: Int64, padding: Int)
    /// The same for a block of metadata, which is collected.
    case metadata(TarMetadata.Kind, left: Int, padding: Int)
    case padding(Int)
    /// After one block of zeros.
    case halfEnd
    /// After two: only zeros may follow, and an index.
    case end
    /// In the index that pixz appends for itself, of whose mark so many bytes came.
    case index(known: Int)
  }

  private var place = Place.header
  /// The present block as far as it came.
  private var block: [UInt8] = []
  /// The bytes of a block of metadata as far as they came.
  private var collected: [UInt8] = []
  private var metadata = TarMetadata()
  /// Bytes read.
  private var offset: Int64 = 0
  private var hasBegun = false

  /// At the start of the data.
  package init() {
    block.reserveCapacity(Self.blockSize)
  }

  /// Takes bytes from the start of `input`, which is not empty; returns how many, and what they are.
  ///
  /// Throws what makes the archive unusable.
  package mutating func step(_ input: UnsafeRawBufferPointer) throws(ArchiveFault) -> (used: Int, step: Step)
  {
    switch place {
    case .header, .halfEnd: return try unsafe readBlock(input)
    case .content(let left, let padding):
      let used = Int(min(left, Int64(input.count)))
      offset += Int64(used)
      place = left > Int64(used) ? .content(left: left - Int64(used), padding: padding) : Self.after(padding)
      return (used, .content)
    case .metadata(let kind, let left, let padding):
      let used = min(left, input.count)
      unsafe collected.append(contentsOf: input.prefix(used))
      offset += Int64(used)
      place = .metadata(kind, left: left - used, padding: padding)
      if left == used { try finishMetadata(kind, padding) }
      return (used, .more)
    case .padding(let left):
      let used = min(left, input.count)
      offset += Int64(used)
      place = Self.after(left - used)
      return (used, .more)
    case .end:
      guard let other = unsafe input.firstIndex(where: { $0 != 0 }) else {
        offset += Int64(input.count)
        return (input.count, .more)
      }
      return (try unsafe readIndex(input, from: other, known: 0), .more)
    case .index(let known): return (try unsafe readIndex(input, from: 0, known: known), .more)
    }
  }

  /// The first bytes of pixz's index of the files (its `common.c`, `PIXZ_INDEX_MAGIC`, little-endian).
  private static let indexMark: [UInt8] = [0xA6, 0x4C, 0x32, 0x2E, 0xD6, 0x14, 0xAE, 0xDB]

  /// Passes over the index, of whose mark `known` bytes came before `start`; returns the size of `input`.
  private mutating func readIndex(
    _ input: UnsafeRawBufferPointer, from start: Int, known: Int
  ) throws(ArchiveFault) -> Int {
    let rest = Self.indexMark.dropFirst(known).prefix(input.count - start)
    guard unsafe input.dropFirst(start).starts(with: rest) else {
      throw ArchiveFault(.dataAfterEnd(at: offset + Int64(start - known)))
    }
    place = .index(known: known + rest.count)
    offset += Int64(input.count)
    return input.count
  }

  /// The data have ended. Throws unless the archive's own end came before.
  package func finish() throws(ArchiveFault) {
    let what: String
    switch place {
    case .end: return
    case .index(let known):
      if known == Self.indexMark.count { return }
      throw ArchiveFault(.dataAfterEnd(at: offset - Int64(known)))
    case .header where !hasBegun && block.isEmpty: what = "there are no data"
    case .header where block.isEmpty: what = "the two blocks of zeros at its end are missing"
    case .halfEnd where block.isEmpty: what = "one of the two blocks of zeros at its end is missing"
    case .header, .halfEnd: what = "it ends inside a header"
    case .content, .padding: what = "it ends inside an entry"
    case .metadata: what = "it ends inside the name or the attributes of an entry"
    }
    throw ArchiveFault(.endsEarly(what))
  }

  private static func after(_ padding: Int) -> Place { padding > 0 ? .padding(padding) : .header }

  private static func padding(_ size: Int64) -> Int {
    let rest = Int(size % Int64(blockSize))
    return rest == 0 ? 0 : blockSize - rest
  }

  // MARK: Headers

  private mutating func readBlock(_ input: UnsafeRawBufferPointer) throws(ArchiveFault) -> (
    used: Int, step: Step
  ) {
    let used = min(Self.blockSize - block.count, input.count)
    unsafe block.append(contentsOf: input.prefix(used))
    offset += Int64(used)
    guard block.count == Self.blockSize else { return (used, .more) }
    defer { block.removeAll(keepingCapacity: true) }
    hasBegun = true
    if block.allSatisfy({ $0 == 0 }) {
      try endBlock()
      return (used, .more)
    }
    if case .halfEnd = place { throw ArchiveFault(.ambiguous("data follow a single block of zeros")) }
    return (used, try begin(try header()))
  }

  private mutating func endBlock() throws(ArchiveFault) {
    if case .halfEnd = place {
      place = .end
      return
    }
    guard metadata.isEmpty else { throw damaged("a name or attributes without their entry") }
    place = .halfEnd
  }

  private func header() throws(ArchiveFault) -> TarHeader {
    guard TarChecksum.isRight(block[...]) else { throw damaged("a header's check sum is wrong") }
    do throws(TarHeader.Fault) { return try TarHeader(block) } catch { throw damaged(error.text) }
  }

  /// A fault in the present header.
  private func damaged(_ text: String) -> ArchiveFault {
    ArchiveFault(.damaged(text, at: offset - Int64(Self.blockSize)))
  }

  private mutating func begin(_ header: TarHeader) throws(ArchiveFault) -> Step {
    if let kind = TarMetadata.Kind(type: header.type) {
      guard header.size <= Int64(TarMetadata.mostBytes) else {
        throw damaged("a name or attributes of more than \(TarMetadata.mostBytes >> 20) MiB")
      }
      try metadata.expect(kind)
      collected.removeAll()
      let (size, padding) = (Int(header.size), Self.padding(header.size))
      place = .metadata(kind, left: size, padding: padding)
      if size == 0 { try finishMetadata(kind, padding) }
      return .more
    }
    // A label is the archive's own name, and no entry.
    if header.type == UInt8(ascii: "V") {
      guard metadata.isEmpty, header.size == 0 else { throw ArchiveFault(.unknownType(header.type)) }
      return .more
    }
    let facts = try metadata.take(header)
    let entry = ArchiveEntry(
      name: facts.name, kind: try kind(header, facts), size: facts.size, mode: facts.mode,
      modified: facts.modified)
    place = entry.size > 0 ? .content(left: entry.size, padding: Self.padding(entry.size)) : .header
    return .entry(entry)
  }

  private mutating func finishMetadata(_ kind: TarMetadata.Kind, _ padding: Int) throws(ArchiveFault) {
    try metadata.add(kind, collected, at: offset)
    collected.removeAll()
    place = Self.after(padding)
  }

  /// Throws for what has no content but a size, and for types that readers treat differently.
  private func kind(_ header: TarHeader, _ facts: TarMetadata.Facts) throws(ArchiveFault) -> ArchiveEntry.Kind
  {
    let kind = try Self.kind(header, facts)
    if kind != .file, facts.size != 0 {
      throw ArchiveFault(.sizeOfEmptyKind, entry: String(decoding: facts.name, as: UTF8.self))
    }
    return kind
  }

  private static func kind(_ header: TarHeader, _ facts: TarMetadata.Facts) throws(ArchiveFault)
    -> ArchiveEntry.Kind
  {
    let name = String(decoding: facts.name, as: UTF8.self)
    switch header.type {
    case 0, UInt8(ascii: "0"), UInt8(ascii: "7"):
      // Before POSIX this was the only mark of a folder.
      return facts.name.last == UInt8(ascii: "/") ? .folder : .file
    case UInt8(ascii: "1"): return .hardLink(target: facts.link)
    case UInt8(ascii: "2"): return .symbolicLink(target: facts.link)
    case UInt8(ascii: "3"), UInt8(ascii: "4"): return .device
    case UInt8(ascii: "5"): return .folder
    case UInt8(ascii: "6"): return .fifo
    case UInt8(ascii: "S"): throw ArchiveFault(.sparse, entry: name)
    case UInt8(ascii: "M"): throw ArchiveFault(.severalVolumes, entry: name)
    default: throw ArchiveFault(.unknownType(header.type), entry: name)
    }
  }
}
