import SyncModel
import Testing

/// A part of a text is found by its bytes.
@Suite struct TextSearchTests {
  @Test(arguments: [
    ("", "a", false), ("a", "", false), ("abc", "c", true), ("aab", "ab", true), ("ab", "abc", false),
    ("x://y", "://", true), ("éa", "a", true), ("é", "e", false), ("e\u{301}", "e", true),
  ])
  func `a part is somewhere or nowhere`(_ text: String, _ part: String, _ isThere: Bool) {
    #expect(text.holds(part) == isThere)
  }

  @Test func `the first place counts`() throws {
    let text = "a, b, c"
    let place = try #require(text.firstPlace(of: ", "))
    #expect(text[..<place.lowerBound] == "a")
    #expect(text[place.upperBound...] == "b, c")
  }

  @Test func `every place is replaced, and what comes in is not searched`() {
    #expect("a, b, c".with(" , ", for: ", ") == "a , b , c")
    #expect("aaa".with("aa", for: "a") == "aaaaaa")
    #expect("aaa".with("", for: "aa") == "a")
    #expect("abc".with("x", for: "d") == "abc")
  }
}
