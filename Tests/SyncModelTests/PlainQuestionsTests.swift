import Testing

@testable import SyncModel

@Suite struct PlainQuestionsTests {
  private func questions(
    _ texts: String, places: [PlainQuestions.Place],
    hosts: [PlainQuestions.Host] = [.init(name: "a", connections: 8)]
  ) -> PlainQuestions? {
    Array(texts.utf8).withUnsafeBytes { PlainQuestions(hosts: hosts, places: places, texts: $0) }
  }

  private let good =
    "http://a/1\0If-None-Match: \"1\"\0\0http://a/2\0If-None-Match: \"2\"\0If-Modified-Since: x\0\0\0\0"
  private let places = [PlainQuestions.Place(text: 0, host: 0), PlainQuestions.Place(text: 31, host: 0)]

  @Test func `questions are returned as they were added`() throws {
    let all = try #require(questions(good, places: places))
    #expect(all.count == 2)
    #expect(String(cString: all.url(1)) == "http://a/2")
    #expect(all.conditionLines(0) == ["If-None-Match: \"1\""])
    #expect(all.conditionLines(1) == ["If-None-Match: \"2\"", "If-Modified-Since: x"])
    #expect(all.host(1) == 0)
  }

  /// An attacker may have written them: no text may run past the end, or add another header.
  @Test func `questions with invalid places or bytes are refused`() {
    #expect(
      questions(good, places: [PlainQuestions.Place(text: UInt32(good.utf8.count - 2), host: 0)]) == nil)
    #expect(questions(good, places: [PlainQuestions.Place(text: .max, host: 0)]) == nil)
    #expect(questions(good, places: [PlainQuestions.Place(text: 0, host: 1)]) == nil)
    #expect(questions(good, places: places, hosts: [.init(name: "a", connections: 0)]) == nil)
    #expect(questions(String(good.dropLast(2)), places: places) == nil)
    #expect(questions("", places: places) == nil)
    for byte in (1...0x1f).filter({ $0 != 9 }) + [0x7f] {
      let spoilt = "http://a/1\0X\(Character(UnicodeScalar(UInt8(byte))))Y: z\0\0\0\0\0"
      #expect(questions(spoilt, places: [places[0]]) == nil, "byte \(byte)")
    }
    #expect(questions("http://a/1\0X\tY\u{e9}\0\0\0\0\0", places: [places[0]]) != nil)
  }

  @Test func `questions name web servers only`() {
    for url in ["", "http:/", "https:/x", "ftp://a/1", "file:///etc/passwd", "HTTP://a/1"] {
      #expect(questions("\(url)\0X: y\0\0\0\0\0", places: [places[0]]) == nil, "\(url)")
    }
  }

  @Test func `questions have what is sent, and where to`() throws {
    let all = try #require(questions(good, places: places))
    for index in 0..<2 {
      #expect(
        all.bytes(index)
          == PlainQuestions.bytes(url: String(cString: all.url(index)), conditions: all.conditionLines(index))
      )
    }
    let many = ["http://a/", "http://a/x", "http://a:1/", "https://a/", "http://ab/", "http://a"]
    var texts = ""
    var at: [PlainQuestions.Place] = []
    for url in many {
      at.append(PlainQuestions.Place(text: UInt32(texts.utf8.count), host: 0))
      texts += url + "\0X: y\0\0"
    }
    let them = try #require(questions(texts + "\0\0\0", places: at))
    #expect(them.haveSameOrigin(0, 1))
    for index in 2..<many.count { #expect(!them.haveSameOrigin(0, index), "\(many[index])") }
  }

  @Test func `questions end within their bytes, wherever one begins`() throws {
    for start in 0...(good.utf8.count - PlainQuestions.textsEach)
    where good.utf8.dropFirst(start).starts(with: "http".utf8) {
      let one = try #require(questions(good, places: [PlainQuestions.Place(text: UInt32(start), host: 0)]))
      let length =
        String(cString: one.url(0)).utf8.count + one.conditionLines(0).reduce(0) { $0 + $1.utf8.count }
      #expect(start + length <= good.utf8.count)
    }
  }
}
