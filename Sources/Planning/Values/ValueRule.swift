package import SyncModel

/// Reads variables' values from the bytes of an output (contract, section 11); its lines and its document are found once for
/// all of them.
package struct ValueRule {
  /// So much of an output is looked at, in bytes: 1 MiB.
  package static let longestOutput = 1 << 20
  /// The longest value in bytes: 4 KiB.
  package static let longest = 4 << 10

  /// Longer lines are not matched with an expression, in bytes: 64 KiB.
  package static let longestLine = 64 << 10

  private let text: ArraySlice<UInt8>
  private let isWhole: Bool
  /// The lines that were looked at so far, without their ends, CRLF too.
  private var lines: [Range<Int>] = []
  /// The text after them.
  private var rest: ArraySlice<UInt8>
  /// The text as JSON; `nil` until a value needs it.
  private var document: Result<JSONValue, ValueFault>?

  /// `bytes` are the beginning of an output, and all of it if `isWhole`.
  package init(_ bytes: [UInt8], isWhole: Bool) {
    // Windows' editors write a mark of the byte order.
    text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    rest = text
    self.isWhole = isWhole
  }

  /// The value at `pick`.
  ///
  /// `match` gives the place of the group of ``ValuePick/pattern(_:)`` in a line; `nil` if the line does not match.
  package mutating func value(
    _ pick: ValuePick, match: (ArraySlice<UInt8>) -> Range<Int>?
  ) throws(ValueFault) -> String {
    switch pick {
    case .line(let number):
      if let line = line(number - 1) { return try Self.checked(line) }
      throw isWhole ? .noLine(number, lines: lines.count) : .outputTooLarge(limit: Self.longestOutput)
    case .pattern: return try Self.checked(group(match))
    case .json(let pointer): return try json(pointer)
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

  /// Line `index`, from 0; `nil` after the last one. A line that is cut off is none.
  private mutating func line(_ index: Int) -> ArraySlice<UInt8>? {
    while lines.count <= index, !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      if isWhole || end < rest.endIndex {
        let hasReturn = rest[..<end].last == UInt8(ascii: "\r")
        lines.append(rest.startIndex..<(hasReturn ? end - 1 : end))
      }
      rest = rest[min(end + 1, rest.endIndex)...]
    }
    return index < lines.count ? text[lines[index]] : nil
  }

  private mutating func group(
    _ match: (ArraySlice<UInt8>) -> Range<Int>?
  ) throws(ValueFault) -> ArraySlice<UInt8> {
    var index = 0
    while let line = line(index) {
      if line.count <= Self.longestLine, let range = match(line) { return line[range] }
      index += 1
    }
    throw isWhole ? .noMatch : .outputTooLarge(limit: Self.longestOutput)
  }

  private mutating func json(_ pointer: JSONPointer) throws(ValueFault) -> String {
    let document = document ?? parsed()
    self.document = document
    switch try document.get().find(pointer) {
    case .nothing: throw .nothingThere
    case .ambiguous: throw .ambiguous
    case .value(.string(let text)), .value(.number(let text)):
      return try Self.checked(Array(text.utf8)[...])
    case .value(.null): throw .otherKind("null")
    case .value(.bool): throw .otherKind("true or false")
    case .value(.array): throw .otherKind("an array")
    case .value(.object): throw .otherKind("an object")
    }
  }

  private func parsed() -> Result<JSONValue, ValueFault> {
    guard isWhole else { return .failure(.outputTooLarge(limit: Self.longestOutput)) }
    do throws(JSONValue.Fault) { return .success(try JSONValue(Array(text))) } catch {
      return .failure(.notJSON(line: error.line))
    }
  }
}
