import SyncModel
import Testing

@testable import ManifestParsing

@Suite struct TextIndexTests {
  @Test func `finds each of many texts by its bytes`() {
    var (texts, index) = ([String](), TextIndex())
    func add(_ text: String) -> Int? {
      texts.append(text)
      return text.withBytes { index.add($0, as: texts.count - 1) { texts[$0].hasSameBytes(as: text) } }
    }
    func find(_ text: String) -> Int? {
      text.withBytes { index.find($0) { texts[$0].hasSameBytes(as: text) } }
    }
    for number in 0..<5000 { #expect(add("text \(number)") == nil) }
    for number in 0..<5000 { #expect(find("text \(number)") == number) }
    #expect(find("text 5000") == nil && find("") == nil)
    #expect(add("text 17") == 17)
    #expect(add("") == nil && find("") == 5001)
    // One letter in two encodings gives two texts.
    #expect(add("\u{e9}") == nil && find("e\u{301}") == nil)
  }
}
