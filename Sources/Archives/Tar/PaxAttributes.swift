import SyncModel

/// The attributes of pax that say where an entry is, how large, and how old; all others are ignored.
struct PaxAttributes {
  private(set) var path: [UInt8]?
  private(set) var link: [UInt8]?
  private(set) var size: Int64?
  /// `nil` also for a value that is no time.
  private(set) var modified: Timestamp?
  /// The first attribute that concerns one entry only; `nil` if there is none.
  private(set) var ownKey: String?

  /// Reads records, each `LENGTH KEY=VALUE` and a line's end; `end` is the offset behind them.
  init(_ bytes: [UInt8], endingAt end: Int64) throws(ArchiveFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let record = Self.record(&rest) else {
        throw ArchiveFault(.damaged("attributes are not as pax writes them", at: end - Int64(rest.count)))
      }
      try take(record.key, record.value)
    }
  }

  private mutating func take(_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(ArchiveFault) {
    let name = String(decoding: key, as: UTF8.self)
    switch name {
    case "path": try set(\.path, Array(value), name)
    case "linkpath": try set(\.link, Array(value), name)
    case "size":
      guard let number = Self.number(value) else {
        throw ArchiveFault(.ambiguous("the attribute \"size\" is no number"))
      }
      try set(\.size, number, name)
    case "mtime":
      modified = Self.time(value)
      return
    default:
      if name.hasPrefix("GNU.sparse.") { throw ArchiveFault(.sparse) }
      return
    }
    if ownKey == nil { ownKey = name }
  }

  /// An attribute that is there twice is one only if both are the same.
  private mutating func set<Value: Equatable>(
    _ field: WritableKeyPath<PaxAttributes, Value?>, _ value: Value, _ name: String
  ) throws(ArchiveFault) {
    if let before = self[keyPath: field], before != value {
      throw ArchiveFault(.ambiguous("the attribute \"\(name)\" has two values"))
    }
    self[keyPath: field] = value
  }

  /// Takes one record from the start of `rest`; `nil` if there is no whole one.
  private static func record(
    _ rest: inout ArraySlice<UInt8>
  ) -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    guard let blank = rest.prefix(20).firstIndex(of: UInt8(ascii: " ")), let length = number(rest[..<blank]),
      length <= Int64(rest.count), case let end = rest.startIndex + Int(length), end > blank + 1,
      rest[end - 1] == UInt8(ascii: "\n"), case let text = rest[(blank + 1)..<(end - 1)],
      let sign = text.firstIndex(of: UInt8(ascii: "=")), sign > text.startIndex
    else { return nil }
    rest = rest[end...]
    return (text[..<sign], text[(sign + 1)...])
  }

  /// Seconds since 1970, perhaps with a sign and a fraction.
  private static func time(_ text: ArraySlice<UInt8>) -> Timestamp? {
    guard text.first == UInt8(ascii: "-") else { return span(text) }
    return span(text.dropFirst()).map { Timestamp(nanoseconds: -$0.nanoseconds) }
  }

  private static func span(_ text: ArraySlice<UInt8>) -> Timestamp? {
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
    guard let seconds = number(text[..<point]) else { return nil }
    let digits = text[point...].dropFirst().prefix(9)
    guard let fraction = digits.isEmpty ? 0 : number(digits) else { return nil }
    let scale = (digits.count..<9).reduce(Int64(1)) { scale, _ in scale * 10 }
    return Timestamp(seconds: seconds, nanoseconds: fraction * scale)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
  }
}
