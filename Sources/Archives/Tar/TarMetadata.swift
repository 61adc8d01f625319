import SyncModel

/// What comes before an entry's own header: GNU's long names and the attributes of pax.
struct TarMetadata {
  /// In bytes. Names are short, and attributes are no place for content.
  static let mostBytes = 1 << 20

  /// The kinds of such blocks.
  enum Kind {
    case longName, longLink, attributes, globalAttributes

    init?(type: UInt8) {
      switch type {
      case UInt8(ascii: "L"): self = .longName
      case UInt8(ascii: "K"): self = .longLink
      case UInt8(ascii: "x"): self = .attributes
      case UInt8(ascii: "g"): self = .globalAttributes
      default: return nil
      }
    }
  }

  /// An entry's own facts, from all its sources.
  struct Facts {
    var name: [UInt8]
    var link: [UInt8]
    var size: Int64
    var mode: UInt16?
    var modified: Timestamp?
  }

  /// From this size on a header of ustar has no room for the size, in bytes.
  private static let headerLimit: Int64 = 8 << 30

  private var longName: [UInt8]?
  private var longLink: [UInt8]?
  private var attributes: PaxAttributes?
  /// The last time that attributes for all entries had.
  private var modified: Timestamp?

  /// Whether nothing waits for its entry.
  var isEmpty: Bool { longName == nil && longLink == nil && attributes == nil }

  /// A block of `kind` begins; readers disagree about the second one.
  func expect(_ kind: Kind) throws(ArchiveFault) {
    let isSecond =
      switch kind {
      case .longName: longName != nil
      case .longLink: longLink != nil
      case .attributes: attributes != nil
      // It is not about the next entry, and must not stand between the entry and what is.
      case .globalAttributes: !isEmpty
      }
    if isSecond { throw ArchiveFault(.ambiguous("an entry has two long names, or attributes twice")) }
  }

  /// Takes the bytes of a block, which ends at `offset`.
  mutating func add(_ kind: Kind, _ bytes: [UInt8], at offset: Int64) throws(ArchiveFault) {
    switch kind {
    case .longName: longName = try Self.text(bytes)
    case .longLink: longLink = try Self.text(bytes)
    case .attributes: attributes = try PaxAttributes(bytes, endingAt: offset)
    case .globalAttributes:
      // They hold for all entries that follow. Some readers ignore them, which does harm except for a time.
      let all = try PaxAttributes(bytes, endingAt: offset)
      if let key = all.ownKey { throw ArchiveFault(.ambiguous("the attribute \"\(key)\" for all entries")) }
      modified = all.modified ?? modified
    }
  }

  /// The facts of the entry with this header; nothing waits afterwards.
  mutating func take(_ header: TarHeader) throws(ArchiveFault) -> Facts {
    defer { (longName, longLink, attributes) = (nil, nil, nil) }
    let name = try Self.one(longName, attributes?.path, "name") ?? header.name
    let link = try Self.one(longLink, attributes?.link, "link target") ?? header.link
    return Facts(
      name: name, link: link, size: try size(header, name), mode: header.mode,
      modified: attributes?.modified ?? modified ?? header.modified.map { Timestamp(seconds: $0) })
  }

  private func size(_ header: TarHeader, _ name: [UInt8]) throws(ArchiveFault) -> Int64 {
    guard let size = attributes?.size, size != header.size else { return header.size }
    guard header.size == 0, size >= Self.headerLimit else {
      throw ArchiveFault(
        .disagreement("the size is \(header.size) in its header and \(size) in its attributes"),
        entry: String(decoding: name, as: UTF8.self))
    }
    return size
  }

  /// The value that GNU's block or pax has; they must not differ.
  private static func one(_ gnu: [UInt8]?, _ pax: [UInt8]?, _ what: String) throws(ArchiveFault) -> [UInt8]? {
    if let gnu, let pax, gnu != pax {
      throw ArchiveFault(
        .disagreement("its \(what) is another one in its attributes"),
        entry: String(decoding: gnu, as: UTF8.self))
    }
    return gnu ?? pax
  }

  /// A text that zeros may end.
  private static func text(_ bytes: [UInt8]) throws(ArchiveFault) -> [UInt8] {
    let end = bytes.firstIndex(of: 0) ?? bytes.count
    guard bytes[end...].allSatisfy({ $0 == 0 }) else {
      throw ArchiveFault(.controlCharacter(0), entry: String(decoding: bytes[..<end], as: UTF8.self))
    }
    return Array(bytes[..<end])
  }
}
