import SyncModel

/// A JSON document that is read piece by piece, with the faults of lists.
struct JSONSource {
  private let bytes: [UInt8]
  private var reader: JSONReader

  /// A byte order mark is passed over.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    reader = JSONReader(self.bytes)
  }

  private mutating func get<Value>(
    _ read: (inout JSONReader) throws(JSONValue.Fault) -> Value
  ) throws(ListFault) -> Value {
    do throws(JSONValue.Fault) { return try read(&reader) } catch { throw DocumentKind.fault(bytes, error) }
  }

  /// The kind of the next value.
  mutating func kind() -> JSONReader.Kind { reader.kind() }

  /// Steps over the next value.
  mutating func skip() throws(ListFault) {
    try get { (json: inout JSONReader) throws(JSONValue.Fault) in try json.skip() }
  }

  /// Demands that nothing follows.
  mutating func end() throws(ListFault) {
    try get { (json: inout JSONReader) throws(JSONValue.Fault) in try json.end() }
  }

  /// Reads an array; `item` must read or skip exactly one value.
  mutating func items(
    _ item: (inout JSONSource, _ place: Int) throws(ListFault) -> Void
  ) throws(ListFault) {
    try get { (json: inout JSONReader) throws(JSONValue.Fault) in try json.beginArray() }
    var place = 0
    while try get({ (json: inout JSONReader) throws(JSONValue.Fault) in try json.nextItem() }) {
      try item(&self, place)
      place += 1
    }
  }

  /// Reads an object; `member` must read or skip exactly one value, that of `wanted[place]`. Other members are passed
  /// over; a wanted one that is there twice is a fault.
  mutating func members(
    _ wanted: [String], _ member: (inout JSONSource, _ place: Int) throws(ListFault) -> Void
  ) throws(ListFault) {
    try get { (json: inout JSONReader) throws(JSONValue.Fault) in try json.beginObject() }
    var seen: [Int] = []
    while let key = try get({ (json: inout JSONReader) throws(JSONValue.Fault) in try json.nextKey() }) {
      guard let place = wanted.firstIndex(where: { $0.hasSameBytes(as: key) }) else {
        try skip()
        continue
      }
      guard !seen.contains(place) else {
        throw ListFault(.malformed("the key \"\(key)\" is there twice"), line: reader.line)
      }
      seen.append(place)
      try member(&self, place)
    }
  }

  /// The next value as a text: a string, a number as written, `true` or `false`; `nil` for `null`. An array or an object
  /// is a fault of the field `name`.
  mutating func text(_ name: String) throws(ListFault) -> String? {
    switch kind() {
    case .array: throw ListFault(.badField(name: name, value: "an array"))
    case .object: throw ListFault(.badField(name: name, value: "an object"))
    default: break
    }
    let value = try get { (json: inout JSONReader) throws(JSONValue.Fault) in try json.value() }
    return switch value {
    case .string(let text), .number(let text): text
    case .bool(let value): value ? "true" : "false"
    default: nil
    }
  }
}
