import SyncModel
import Testing

@Suite struct `A JSON document` {
  private func read(_ text: String) throws(JSONValue.Fault) -> JSONValue { try JSONValue(Array(text.utf8)) }

  @Test(
    arguments: [
      ("null", .null), (" true ", .bool(true)), ("false", .bool(false)), ("-0.5e+3", .number("-0.5e+3")),
      ("0", .number("0")), ("\"\"", .string("")), ("\"a\\n\\u00e9\\ud83d\\ude00\\/\"", .string("a\né😀/")),
      ("[]", .array([])), ("[1, [2]]", .array([.number("1"), .array([.number("2")])])), ("{ }", .object([])),
      ("\t{\r\n}", .object([])),
    ] as [(String, JSONValue)])
  func `is read`(text: String, value: JSONValue) throws {
    #expect(try read(text) == value)
  }

  @Test(
    arguments: [
      ("", 1), ("nul", 1), ("[1,]", 1), ("[1 2]", 1), ("{\"a\"}", 1), ("{\"a\":1,}", 1), ("{a:1}", 1),
      ("01", 1),
      ("1.", 1), ("+1", 1), (".5", 1), ("1e", 1), ("\"a", 1), ("\"\n\"", 1), ("\"\\x\"", 1),
      ("\"\\u12g4\"", 1),
      ("\"\\ud800\"", 1), ("\"\\udc00\"", 1), ("[\n1,\n]", 3), ("{}\n\nx", 3), ("// no\n1", 1),
    ] as [(String, Int)])
  func `that is malformed is refused with its line`(text: String, line: Int) {
    #expect(throws: JSONValue.Fault(line: line)) { try read(text) }
  }

  @Test func `must be UTF-8 and not too deeply nested`() throws {
    #expect(try JSONValue([0x22, 0xC3, 0xA9, 0x22]) == .string("é"))
    #expect(throws: JSONValue.Fault.self) { try JSONValue([0x22, 0xFF, 0x22]) }
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try read(nested(JSONValue.deepest)) }
    #expect(throws: JSONValue.Fault.self) { try read(nested(100_000)) }
  }

  @Test(
    arguments: [
      ("", "{…}"), ("/a", "1"), ("/b/0", "x"), ("/b/1/c", "y"), ("/~0~1", "2"), ("/", "3"),
      ("/b/2", "nothing"),
      ("/b/01", "nothing"), ("/b/-", "nothing"), ("/A", "nothing"), ("/a/b", "nothing"), ("/d", "twice"),
    ])
  func `has the value at a pointer`(pointer: String, value: String) throws {
    let document = try read(
      #"{"a": 1, "b": ["x", {"c": "y"}], "~/": 2, "": 3, "d": 4, "d": 5}"#)
    let found =
      switch document.find(try #require(JSONPointer(pointer))) {
      case .nothing: "nothing"
      case .ambiguous: "twice"
      case .value(.number(let text)), .value(.string(let text)): text
      case .value: "{…}"
      }
    #expect(found == value)
  }

  @Test(arguments: ["a", "a/b", "/~", "/~2", "/a~"]) func `has no such pointer`(text: String) {
    #expect(JSONPointer(text) == nil)
  }
}

@Suite struct `Text in base64` {
  @Test(arguments: [
    ("", []), ("AA==", [0]), ("AAE=", [0, 1]), ("AAEC", [0, 1, 2]), ("+/+/", [251, 255, 191]),
  ])
  func `is read`(text: String, bytes: [UInt8]) {
    #expect(Base64.decode(text.utf8) == bytes)
  }

  @Test(arguments: [
    "A", "AA", "AAA", "AB==", "AAF=", "AA=A", "A===", "====", "AA-_", "AAEC=", "AA==AAEC", " AAE",
  ])
  func `is refused`(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }
}
