import Testing

@testable import Reporting

/// The form of a depfile; an end-to-end test checks how make and ninja read it.
@Suite struct DepfileTextTests {
  @Test func `a rule, and an empty one for each prerequisite, once`() throws {
    let rule = try #require(DepfileText(target: "build/stamp", prerequisites: ["m.yaml", "a b", "m.yaml"]))
    #expect(rule.text == "build/stamp: \\\n  m.yaml \\\n  a\\ b\n\nm.yaml:\n\na\\ b:\n")
    #expect(rule.unwritable == [])
  }

  @Test func `a name that cannot be written is left out and reported`() throws {
    let rule = try #require(DepfileText(target: "s", prerequisites: ["a;b", "c"]))
    #expect(rule.text == "s: \\\n  c\n\nc:\n")
    #expect(rule.unwritable == ["a;b"])
    #expect(DepfileText(target: "a%b", prerequisites: []) == nil)
  }

  @Test(arguments: [
    ("a$b", "a$$b"), ("a#b", "a\\#b"), ("a:b", "a\\:b"), (" a", "\\ a"), ("a\\b", "a\\b"), ("é~", "é~"),
  ])
  func `characters that make and ninja would misread are escaped`(name: String, escaped: String) {
    #expect(DepfileText.escaped(name) == escaped)
  }

  @Test(arguments: [
    "", "a ", "a:", "a\\", "a\\ b", "a\\#b", "~a", "a%b", "a=b", "a;b", "a|b", "a&b", "a(b)", "a[b", "a*",
    "a?",
    "a'b", "a\"b", "a<b", "a>b", "a^b", "a`b", "a\nb", "a\tb", "a\u{7F}b",
  ])
  func `names that make and ninja read differently are not written`(name: String) {
    #expect(DepfileText.escaped(name) == nil)
  }
}
