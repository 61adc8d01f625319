import SyncModel

/// What is wrong with a line of a row file.
struct RowFault: Error {
  var message: String
  var hint: String?
}

/// The row of a file that is read just now: the values of its target's variables (contract, section 11).
///
/// All targets of the file share it, and none of them keeps its row, so that a million rows take no memory. It is used by
/// the thread that reads the manifest.
final class RowCursor: @unchecked Sendable {
  enum Format {
    /// A header and lines of fields between tabs; nothing is quoted.
    case tabs
    /// One object of JSON on each line.
    case json

    /// The file's ending says it; `nil` for any other.
    init?(path: String) {
      switch path {
      case _ where path.hasSuffix(".tsv"): self = .tabs
      case _ where path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl"): self = .json
      default: return nil
      }
    }
  }

  /// Longer lines are refused, as are longer values.
  static let longestLine = Variables.longestText

  /// Each text of a target looks for its columns one by one.
  private static let mostColumns = 1_000

  private let format: Format
  /// The columns in the order of the file; empty as long as they are not known.
  private(set) var names: [String] = []
  /// That of the last line that was taken, from 1.
  private(set) var line = 0
  /// Whether there is a row; without one the values are not known.
  private(set) var isAtRow = false
  /// The line.
  private var bytes: [UInt8] = []
  /// The values of an object, one after another.
  private var arranged: [UInt8] = []
  /// The end of each value in ``bytes`` or, of an object, in ``arranged``; one byte is between two of them.
  private var ends: [Int] = []
  /// The line of the names.
  private var firstLine = 0

  init(_ format: Format) { self.format = format }

  /// Whether any name may be that of a column.
  var isUnknown: Bool { names.isEmpty }

  /// The line for a message.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Goes back to the file's beginning; the names stay known.
  func rewind() {
    line = 0
    leave()
  }

  /// There is no row any more.
  func leave() { isAtRow = false }

  /// The value of a column; `nil` if it is none.
  func value(of name: String) throws(Variables.Fault) -> ExpandedText? {
    guard let column = names.firstIndex(of: name) else { return nil }
    guard isAtRow else { throw .silent }
    let range = range(of: column)
    return unsafe withBytes {
      unsafe ExpandedText(text: String(decoding: UnsafeRawBufferPointer(rebasing: $0[range]), as: UTF8.self))
    }
  }

  /// Gives `body` what the values are parts of; there is a row.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe format == .tabs ? bytes.withUnsafeBytes(body) : arranged.withUnsafeBytes(body)
  }

  /// Where the value of a column is, by its number.
  func range(of column: Int) -> Range<Int> { (column == 0 ? 0 : ends[column - 1] + 1)..<ends[column] }

  // MARK: Reading

  /// Takes the file's next line, without its end. Returns whether it is a row: neither empty nor the names of the columns.
  func take(_ line: UnsafeRawBufferPointer) throws(RowFault) -> Bool {
    self.line += 1
    isAtRow = false
    var text = unsafe line
    if self.line == 1, unsafe text.starts(with: [0xEF, 0xBB, 0xBF]) {
      unsafe text = UnsafeRawBufferPointer(rebasing: text[3...])
    }
    if unsafe text.last == UInt8(ascii: "\r") {
      unsafe text = UnsafeRawBufferPointer(rebasing: text.dropLast())
    }
    bytes.removeAll(keepingCapacity: true)
    guard text.count <= Self.longestLine else { throw RowFault(message: "this line is longer than 1 MiB") }
    if unsafe text.isEmpty { return false }
    unsafe bytes.append(contentsOf: text)
    try unsafe check(text)
    switch format {
    case .tabs: isAtRow = try takeFields()
    case .json:
      try takeObject()
      isAtRow = true
    }
    return isAtRow
  }

  /// Checks the line, which is ``bytes``, and finds the tabs in it.
  private func check(_ text: UnsafeRawBufferPointer) throws(RowFault) {
    // In a variable, since a field of an object is looked at anew for each element.
    var ends: [Int] = []
    swap(&ends, &self.ends)
    ends.removeAll(keepingCapacity: true)
    var (holdsZero, all, words): (Bool, UInt8, UInt64) = (false, 0, 0)
    var place = 0
    while place < text.count {
      let next = min(place + 8, text.count)
      if next == place + 8 {
        let word = unsafe text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        words |= word
        if !Self.holdsControl(word) {
          place = next
          continue
        }
      }
      while place < next {
        let byte = unsafe text[place]
        all |= byte
        if byte == UInt8(ascii: "\t") { ends.append(place) } else if byte == 0 { holdsZero = true }
        place += 1
      }
    }
    ends.append(text.count)
    swap(&ends, &self.ends)
    guard !holdsZero else { throw RowFault(message: "a zero byte", hint: "a row file is text in UTF-8") }
    guard all < 0x80 && words & 0x8080_8080_8080_8080 == 0 || String(validating: bytes, as: UTF8.self) != nil
    else {
      throw RowFault(message: "not valid UTF-8", hint: "save it as UTF-8")
    }
  }

  /// Whether a byte is one of the first ten, to which a tab and a zero belong: nearly no word has one.
  private static func holdsControl(_ word: UInt64) -> Bool {
    (word &- 0x0A0A_0A0A_0A0A_0A0A) & ~word & 0x8080_8080_8080_8080 != 0
  }

  /// Takes the fields, whose ends are known.
  private func takeFields() throws(RowFault) -> Bool {
    guard !names.isEmpty else {
      try take(names: ends.indices.map { String(decoding: bytes[range(of: $0)], as: UTF8.self) })
      return false
    }
    // The second way through the file is for the same names.
    if line == firstLine { return false }
    guard ends.count == names.count else {
      throw RowFault(
        message: "\(Self.counted(ends.count)), but the header has \(names.count)",
        hint: "one tab is between two fields, and nothing is quoted")
    }
    return true
  }

  private static func counted(_ count: Int) -> String { count == 1 ? "1 field" : "\(count) fields" }

  private func take(names new: [String]) throws(RowFault) {
    var seen: Set<String> = []
    for (index, name) in new.enumerated() {
      guard !name.isEmpty else { throw RowFault(message: "column \(index + 1) has no name") }
      guard Template.isVariableName(name) else {
        throw RowFault(
          message: "\(Quoting.quoted(name)) is not a column's name",
          hint: new.count == 1 && name.contains(" ") ? "separate the columns with one tab" : Template.nameHint
        )
      }
      guard seen.insert(name).inserted else {
        throw RowFault(message: "two columns are called \(Quoting.quoted(name))")
      }
    }
    guard new.count <= Self.mostColumns else {
      throw RowFault(message: "more than \(Self.mostColumns) columns")
    }
    names = new
    firstLine = line
  }

  // MARK: JSON

  private func takeObject() throws(RowFault) {
    var json = JSONReader(bytes)
    var keys: [String] = []
    var values: [String] = []
    do throws(JSONValue.Fault) {
      guard json.kind() == .object else { throw json.fault }
      try json.beginObject()
      while let key = try json.nextKey() {
        keys.append(key)
        values.append(try Self.text(&json))
      }
      try json.end()
    } catch {
      throw RowFault(
        message: "not an object of JSON with texts and numbers",
        hint: "each line is an object such as {\"id\": 7, \"url\": \"https://example.org/7\"}")
    }
    if names.isEmpty {
      guard !keys.isEmpty else { throw RowFault(message: "an empty object") }
      try take(names: keys)
    }
    try arrange(keys, values)
  }

  /// A text, or a number or `true` or `false` as written; the others have no text.
  private static func text(_ json: inout JSONReader) throws(JSONValue.Fault) -> String {
    switch json.kind() {
    case .string: return try json.string()
    case .number, .bool:
      switch try json.value() {
      case .number(let text): return text
      case .bool(let value): return value ? "true" : "false"
      default: throw json.fault
      }
    default: throw json.fault
    }
  }

  /// Puts the values of an object in the order of the names.
  private func arrange(_ keys: [String], _ values: [String]) throws(RowFault) {
    arranged.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    for (index, name) in names.enumerated() {
      let isInOrder = index < keys.count && keys[index] == name
      guard let place = isInOrder ? index : keys.firstIndex(of: name) else {
        throw RowFault(message: "the object has no \(Quoting.quoted(name))", hint: keysHint)
      }
      guard !values[place].utf8.contains(0) else {
        throw RowFault(message: "a zero byte in \(Quoting.quoted(name))")
      }
      if index > 0 { arranged.append(0) }
      arranged += values[place].utf8
      ends.append(arranged.count)
    }
    guard keys.count > names.count else { return }
    var seen: Set<String> = []
    if let twice = keys.first(where: { !seen.insert($0).inserted }) {
      throw RowFault(message: "the object has \(Quoting.quoted(twice)) twice")
    }
    let other = keys.first { !names.contains($0) } ?? ""
    throw RowFault(message: "unknown key \(Quoting.quoted(other))", hint: keysHint)
  }

  private var keysHint: String { "all objects have the keys of the first: \(Quoting.list(names, "and"))" }
}
