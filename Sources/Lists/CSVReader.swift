import SyncModel

/// A table with a header, separated by commas (RFC 4180), which the manifest describes.
///
/// It is read strictly: each row has as many values as the header, a quote stands only around a value, and the text is
/// UTF-8. Lines end in CR LF or LF; empty lines are passed over.
enum CSVReader {
  static func read(_ bytes: [UInt8], _ fields: ListFields, into entries: EntryCollector) throws(ListFault) {
    do throws(ListFault) { try readTable(bytes, fields, entries) } catch {
      // The lines of a web page look like a table with faults.
      if let kind = DocumentKind.other(than: nil, bytes) { throw ListFault(.otherFormat(found: kind)) }
      throw error
    }
  }

  private static func readTable(
    _ bytes: [UInt8], _ fields: ListFields, _ entries: EntryCollector
  ) throws(ListFault) {
    var table = CSVTable(bytes)
    guard let header = try table.row() else { throw ListFault(.malformed("the header is missing"), line: 1) }
    let reading = RowReading(fields) { $0 }
    let places = try places(reading, header, isDefault: fields.columns.isEmpty)
    while let row = try table.row() {
      guard row.count == header.count else {
        throw ListFault(
          .malformed("the row has \(row.count) values, the header \(header.count)"), line: table.rowLine,
          entry: entries.number + 1)
      }
      do throws(ListFault) {
        try entries.add { () throws(ListFault) in
          try reading.entry(places.map { $0.map { row[$0] } }, entries)
        }
      } catch {
        throw ListFault(error.reason, line: table.rowLine, entry: error.entry)
      }
    }
  }

  /// The place of each column in the header; `nil` for one that is not there and need not be.
  private static func places(
    _ reading: RowReading, _ header: [String], isDefault: Bool
  ) throws(ListFault) -> [Int?] {
    var places: [Int?] = []
    for column in reading.columns {
      let found = header.indices.filter { header[$0].hasSameBytes(as: column.place) }
      guard found.count <= 1 else {
        throw ListFault(.malformed("the column \"\(column.place)\" is there twice"), line: 1)
      }
      guard isDefault || found.count == 1 else {
        throw ListFault(.noColumn(column.place, among: header), line: 1)
      }
      places.append(found.first)
    }
    // Without a URL nothing can be fetched, and a page of another kind has none.
    let url = ListFields.Role.url
    let hasURL = zip(reading.columns, places).contains { $0.role == url && $1 != nil }
    guard hasURL else { throw ListFault(.noColumn(url.rawValue, among: header), line: 1) }
    return places
  }
}

/// Splits a text into rows and values.
private struct CSVTable {
  /// No table has so many; a row of commas would take many times its size.
  private static let mostColumns = 10_000

  private let bytes: [UInt8]
  private var place: Int
  private var line = 1
  /// The line where the present row begins.
  private(set) var rowLine = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next row; `nil` at the end.
  mutating func row() throws(ListFault) -> [String]? {
    while endLine() {}
    guard place < bytes.count else { return nil }
    rowLine = line
    var row: [String] = []
    repeat {
      guard row.count < Self.mostColumns else {
        throw fault("there are more than \(Self.mostColumns) columns")
      }
      row.append(try value())
    } while take(UInt8(ascii: ","))
    guard endLine() || place == bytes.count else {
      // Old programs end all lines so, and nothing is quoted then.
      if bytes[place] == 0x0D { throw fault("a line ends in CR alone, not in LF or CR LF") }
      throw fault("a quote is inside a value, or a value goes on behind its quote")
    }
    return row
  }

  private func fault(_ words: String) -> ListFault { ListFault(.malformed(words), line: line) }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  /// Steps over the end of a line, if it is there.
  private mutating func endLine() -> Bool {
    let hasReturn = place + 1 < bytes.count && bytes[place] == 0x0D && bytes[place + 1] == 0x0A
    guard hasReturn || place < bytes.count && bytes[place] == 0x0A else { return false }
    place += hasReturn ? 2 : 1
    line += 1
    return true
  }

  private mutating func value() throws(ListFault) -> String {
    take(UInt8(ascii: "\"")) ? try quoted() : try plain()
  }

  private mutating func plain() throws(ListFault) -> String {
    let start = place
    while place < bytes.count, !",\"\n\r".utf8.contains(bytes[place]) { place += 1 }
    return try text(bytes[start..<place])
  }

  private mutating func quoted() throws(ListFault) -> String {
    var out: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\""), !take(UInt8(ascii: "\"")) { return try text(out[...]) }
      if byte == 0x0A { line += 1 }
      out.append(byte)
    }
    throw fault("a quote has no end")
  }

  private func text(_ value: ArraySlice<UInt8>) throws(ListFault) -> String {
    guard !value.contains(0), let text = String(validating: value, as: UTF8.self) else {
      throw fault("this is not text in UTF-8")
    }
    return text
  }
}
