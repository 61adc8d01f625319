import SyncModel

/// A JSON document with an array of rows, which the manifest describes.
enum JSONRowsReader {
  static func read(_ bytes: [UInt8], _ fields: ListFields, into entries: EntryCollector) throws(ListFault) {
    let reading = RowReading(fields) { "/" + $0 }
    var pointers: [JSONPointer] = []
    for column in reading.columns {
      guard let pointer = JSONPointer(column.place) else {
        throw ListFault(.badField(name: column.name, value: column.place))
      }
      pointers.append(pointer)
    }
    let place = fields.entries?.text ?? ""
    var isFound = false
    var json = JSONSource(bytes)
    try find(fields.entries?.parts[...] ?? [], in: &json) { (json: inout JSONSource) throws(ListFault) in
      guard json.kind() == .array else { return try json.skip() }
      isFound = true
      try json.items { (json: inout JSONSource, _: Int) throws(ListFault) in
        try addRow(&json, pointers, reading, entries)
      }
    }
    try json.end()
    if !isFound { throw ListFault(.noRows(pointer: place)) }
    let paging = JSONPaging(bytes)
    (entries.next, entries.unasked) = (paging.next, paging.unasked)
  }

  /// Calls `body` at the place to which `parts` lead; it must read or skip exactly one value.
  private static func find(
    _ parts: ArraySlice<ByteString>, in json: inout JSONSource,
    _ body: (inout JSONSource) throws(ListFault) -> Void
  ) throws(ListFault) {
    guard let part = parts.first else { return try body(&json) }
    switch json.kind() {
    case .object:
      try json.members([part.text]) { (json: inout JSONSource, _: Int) throws(ListFault) in
        try find(parts.dropFirst(), in: &json, body)
      }
    case .array:
      try json.items { (json: inout JSONSource, place: Int) throws(ListFault) in
        if part.text == String(place) {
          try find(parts.dropFirst(), in: &json, body)
        } else {
          try json.skip()
        }
      }
    default: try json.skip()
    }
  }

  private static func addRow(
    _ json: inout JSONSource, _ pointers: [JSONPointer], _ reading: RowReading, _ entries: EntryCollector
  ) throws(ListFault) {
    try entries.add { () throws(ListFault) in
      var values = [String?](repeating: nil, count: pointers.count)
      try pick(Array(pointers.indices), 0, pointers, reading, from: &json, into: &values)
      return try reading.entry(values, entries)
    }
  }

  /// Reads what those of `pointers` find whose places are `open`, and whose first `depth` parts lead here.
  private static func pick(
    _ open: [Int], _ depth: Int, _ pointers: [JSONPointer], _ reading: RowReading,
    from json: inout JSONSource,
    into values: inout [String?]
  ) throws(ListFault) {
    if let here = open.first(where: { pointers[$0].parts.count == depth }) {
      let kind = json.kind()
      guard !reading.columns[here].isPerhaps || kind != .object && kind != .array else {
        return try json.skip()
      }
      let text = try json.text(reading.columns[here].name)
      for place in open where pointers[place].parts.count == depth { values[place] = text }
      return
    }
    func part(_ place: Int) -> String { pointers[place].parts[depth].text }
    switch json.kind() {
    case .object:
      var wanted: [String] = []
      for place in open where !wanted.contains(where: { $0.hasSameBytes(as: part(place)) }) {
        wanted.append(part(place))
      }
      try json.members(wanted) { (json: inout JSONSource, key: Int) throws(ListFault) in
        let inside = open.filter { part($0).hasSameBytes(as: wanted[key]) }
        try pick(inside, depth + 1, pointers, reading, from: &json, into: &values)
      }
    case .array:
      try json.items { (json: inout JSONSource, item: Int) throws(ListFault) in
        let inside = open.filter { part($0) == String(item) }
        guard !inside.isEmpty else { return try json.skip() }
        try pick(inside, depth + 1, pointers, reading, from: &json, into: &values)
      }
    default: try json.skip()
    }
  }
}
