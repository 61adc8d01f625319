import SyncModel
import Testing

@Suite struct `Text in double quotes` {
  @Test(
    arguments: [
      ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("данные/ü é 漢字 🎉", nil),
      ("a\u{0}\n\t\u{7f}", #""a\x00\x0a\x09\x7f""#),
      // Spaces that look like others, marks of direction and of order, and what is no character.
      ("\u{a0}\u{2003}\u{3000}", #""\xa0\u2003\u3000""#),
      ("\u{202e}\u{2066}\u{200b}\u{feff}", #""\u202e\u2066\u200b\ufeff""#),
      ("\u{85}\u{2028}\u{2029}\u{e000}\u{fe0f}\u{e0001}", #""\x85\u2028\u2029\ue000\ufe0f\U000e0001""#),
    ] as [(String, String?)])
  func `has letters and signs as they are, and escapes for what nobody sees`(text: String, expected: String?)
  {
    #expect(YAMLText.quoted(text) == expected ?? "\"\(text)\"")
    #expect(YAMLText.quoted(text, isASCII: true).utf8.allSatisfy { (0x20..<0x7F).contains($0) })
  }
}
