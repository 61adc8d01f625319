import Planning
import SyncModel
import Testing

@Suite struct `The value in an output` {
  private func value(
    _ output: String, _ pick: ValuePick, isWhole: Bool = true,
    match: (ArraySlice<UInt8>) -> Range<Int>? = { _ in nil }
  ) -> Result<String, ValueFault> {
    value(Array(output.utf8), pick, isWhole: isWhole, match: match)
  }

  private func value(
    _ output: [UInt8], _ pick: ValuePick, isWhole: Bool = true,
    match: (ArraySlice<UInt8>) -> Range<Int>? = { _ in nil }
  ) -> Result<String, ValueFault> {
    Result { () throws(ValueFault) in
      var rule = ValueRule(output, isWhole: isWhole)
      return try rule.value(pick, match: match)
    }
  }

  @Test(arguments: [
    ("a\nb\n", 1, "a"), ("a\nb\n", 2, "b"), ("a\nb", 2, "b"), ("a\r\nb\r\n", 1, "a"), ("\u{FEFF}a\n", 1, "a"),
    (" a \n", 1, " a "), ("${x}\n", 1, "${x}"), ("ä\n", 1, "ä"),
  ])
  func `is a line without its end`(output: String, line: Int, expected: String) {
    #expect(value(output, .line(line)) == .success(expected))
  }

  @Test func `is not there if the output has fewer lines`() {
    #expect(value("", .line(1)) == .failure(.noLine(1, lines: 0)))
    #expect(value("a\n", .line(2)) == .failure(.noLine(2, lines: 1)))
    #expect(value("a\n\n", .line(2)) == .failure(.empty))
  }

  @Test func `is one line of UTF-8, not empty, and at most 4 KiB`() {
    #expect(value([0xE4, 0x0A], .line(1)) == .failure(.notUTF8))
    #expect(value("a\u{0}b", .line(1)) == .failure(.control(0)))
    #expect(value("a\tb", .line(1)) == .failure(.control(9)))
    #expect(value("a\u{85}b", .line(1)) == .failure(.control(0x85)))
    #expect(value("a\u{2028}b", .line(1)) == .failure(.control(0x2028)))
    #expect(value("a\rb\n", .line(1)) == .failure(.control(13)))
    let longest = String(repeating: "x", count: 4096)
    #expect(value(longest, .line(1)) == .success(longest))
    #expect(value(longest + "x", .line(1)) == .failure(.tooLong(4097)))
  }

  @Test func `is a group in the first line that matches`() {
    func afterColon(_ line: ArraySlice<UInt8>) -> Range<Int>? {
      line.firstIndex(of: UInt8(ascii: ":")).map { $0 + 1..<line.endIndex }
    }
    #expect(value("a\nb:c\nd:e\n", .pattern(":(.*)"), match: afterColon) == .success("c"))
    #expect(value("a\nb\n", .pattern(":(.*)"), match: afterColon) == .failure(.noMatch))
    #expect(value("a:\n", .pattern(":(.*)"), match: afterColon) == .failure(.empty))
  }

  @Test(arguments: [
    (#"{"a": "x"}"#, "/a", "x"), (#"{"a": 1.50}"#, "/a", "1.50"), (#"["x", "\u00e4"]"#, "/1", "ä"),
    (#""x""#, "", "x"),
  ])
  func `is a text or a number in JSON`(output: String, pointer: String, expected: String) throws {
    #expect(value(output, .json(try #require(JSONPointer(pointer)))) == .success(expected))
  }

  @Test(arguments: [
    (#"{"a": null}"#, ValueFault.otherKind("null")), (#"{"a": true}"#, .otherKind("true or false")),
    (#"{"a": {}}"#, .otherKind("an object")), (#"{"a": []}"#, .otherKind("an array")), ("{}", .nothingThere),
    (#"{"a": 1, "a": 1}"#, .ambiguous), ("{\n", .notJSON(line: 2)), (#"{"a": "x\ny"}"#, .control(10)),
    (#"{"a": ""}"#, .empty),
  ])
  func `is nothing else in JSON`(output: String, fault: ValueFault) throws {
    #expect(value(output, .json(try #require(JSONPointer("/a")))) == .failure(fault))
  }

  @Test func `is looked for in the beginning of a large output only`() throws {
    let limit = ValueRule.longestOutput
    #expect(value("a\nb", .line(1), isWhole: false) == .success("a"))
    #expect(value("a\nb", .line(2), isWhole: false) == .failure(.outputTooLarge(limit: limit)))
    #expect(value("a\n", .line(2), isWhole: false) == .failure(.outputTooLarge(limit: limit)))
    #expect(value("a\n", .pattern("(b)"), isWhole: false) == .failure(.outputTooLarge(limit: limit)))
    // A line that is cut off is none.
    #expect(
      value("a", .pattern("(a)"), isWhole: false) { $0.indices } == .failure(.outputTooLarge(limit: limit)))
    let pointer = try #require(JSONPointer(""))
    #expect(value("1", .json(pointer), isWhole: false) == .failure(.outputTooLarge(limit: limit)))
  }

  @Test(arguments: [true, false])
  func `is the same if another one of the output was read before`(isWhole: Bool) throws {
    let output = Array("\u{FEFF}{\"a\": 1,\r\n\n \"b\": 2\n}".utf8)
    var picks: [ValuePick] = [.line(3), .line(1), .line(9), .line(2), .pattern(""), .line(4)]
    for text in ["/a", "/c"] { picks.append(.json(try #require(JSONPointer(text)))) }
    // Stands for an expression: all of a line that begins with a blank.
    func match(_ line: ArraySlice<UInt8>) -> Range<Int>? { line.first == 0x20 ? line.indices : nil }
    var rule = ValueRule(output, isWhole: isWhole)
    for pick in picks + picks.reversed() {
      let found = Result { () throws(ValueFault) in try rule.value(pick, match: match) }
      #expect(found == value(output, pick, isWhole: isWhole, match: match))
    }
  }

  @Test func `of thousands comes from one reading of the output`() throws {
    let members = (0..<2_000).map { "\"k\($0)\": \"\($0)\(String(repeating: "x", count: 400))\"" }
    var rule = ValueRule(Array("{\(members.joined(separator: ",\n"))}".utf8), isWhole: true)
    for number in 0..<2_000 {
      let pointer = try #require(JSONPointer("/k\(number)"))
      let text = try rule.value(.json(pointer)) { _ in nil }
      #expect(text.hasPrefix("\(number)x"))
    }
  }
}
