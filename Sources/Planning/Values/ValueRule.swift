package import SyncModel

/// Reads a variable's value from the bytes of an output (contract, section 11).
package enum ValueRule {
  /// So much of an output is looked at, in bytes: 1 MiB.
  package static let longestOutput = 1 << 20
  /// The longest value in bytes: 4 KiB.
  package static let longest = 4 << 10

  /// Longer lines are not matched with an expression, in bytes: 64 KiB.
  package static let longestLine = 64 << 10

  /// The value in `bytes`, the beginning of an output.
  ///
  /// - Parameters:
  ///   - isWhole: whether the output ends there.
  ///   - match: the place of the group of ``ValuePick/pattern(_:)`` in a line; `nil` if the line does not match.
  package static func value(
    in bytes: [UInt8], isWhole: Bool, _ pick: ValuePick, match: (ArraySlice<UInt8>) -> Range<Int>?
  ) throws(ValueFault) -> String {
    // Windows' editors write a mark of the byte order.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    switch pick {
    case .line(let number): return try checked(line(number, of: text, isWhole))
    case .pattern: return try checked(group(in: text, isWhole, match))
    case .json(let pointer): return try json(text, isWhole, pointer)
    }
  }

  /// `value` as text, if it can be a value.
  private static func checked(_ value: ArraySlice<UInt8>) throws(ValueFault) -> String {
    guard !value.isEmpty else { throw .empty }
    guard value.count <= longest else { throw .tooLong(value.count) }
    guard let text = String(validating: value, as: UTF8.self) else { throw .notUTF8 }
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      // Some programs end a line at these, too.
      if isControl || scalar.value == 0x2028 || scalar.value == 0x2029 { throw .control(scalar.value) }
    }
    return text
  }

  private static func line(
    _ number: Int, of text: ArraySlice<UInt8>, _ isWhole: Bool
  ) throws(ValueFault) -> ArraySlice<UInt8> {
    var lines = Lines(text)
    var count = 0
    while let (line, isEnded) = lines.next() {
      count += 1
      guard count == number else { continue }
      guard isEnded || isWhole else { break }
      return line
    }
    guard isWhole else { throw .outputTooLarge(limit: longestOutput) }
    throw .noLine(number, lines: count)
  }

  private static func group(
    in text: ArraySlice<UInt8>, _ isWhole: Bool, _ match: (ArraySlice<UInt8>) -> Range<Int>?
  ) throws(ValueFault) -> ArraySlice<UInt8> {
    var lines = Lines(text)
    while let (line, isEnded) = lines.next(), isEnded || isWhole {
      if line.count <= longestLine, let range = match(line) { return line[range] }
    }
    guard isWhole else { throw .outputTooLarge(limit: longestOutput) }
    throw .noMatch
  }

  private static func json(
    _ text: ArraySlice<UInt8>, _ isWhole: Bool, _ pointer: JSONPointer
  ) throws(ValueFault) -> String {
    guard isWhole else { throw .outputTooLarge(limit: longestOutput) }
    let document: JSONValue
    do throws(JSONValue.Fault) { document = try JSONValue(Array(text)) } catch {
      throw .notJSON(line: error.line)
    }
    switch document.find(pointer) {
    case .nothing: throw .nothingThere
    case .ambiguous: throw .ambiguous
    case .value(.string(let text)), .value(.number(let text)): return try checked(Array(text.utf8)[...])
    case .value(.null): throw .otherKind("null")
    case .value(.bool): throw .otherKind("true or false")
    case .value(.array): throw .otherKind("an array")
    case .value(.object): throw .otherKind("an object")
    }
  }

  /// The lines of a text without their ends, CRLF too.
  private struct Lines {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }

    /// The next line, and whether it has an end; `nil` after the last one.
    mutating func next() -> (ArraySlice<UInt8>, isEnded: Bool)? {
      guard !rest.isEmpty else { return nil }
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      var line = rest[..<(end ?? rest.endIndex)]
      rest = end.map { rest[($0 + 1)...] } ?? []
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      return (line, end != nil)
    }
  }
}
