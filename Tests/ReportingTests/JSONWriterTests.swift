import Foundation
import Testing

@testable import Reporting

@Suite struct JSONWriterTests {
  @Test func `a document is laid out with two spaces, its fields in the order given`() {
    let text = JSONWriter.document { json in
      json.field("b", "x")
      json.field("a", 1)
      json.field("left out", nil as String?)
      json.field("left out", nil as Int64?)
      json.field("yes", true)
      json.null("nothing")
      json.object("empty") { _ in }
      json.strings("none", [])
      json.strings("names", ["p", "q"])
      json.objects("list", [1, 2]) { $0.field("n", $1) }
    }
    #expect(
      text == """
        {
          "b": "x",
          "a": 1,
          "yes": true,
          "nothing": null,
          "empty": {},
          "none": [],
          "names": [
            "p",
            "q"
          ],
          "list": [
            {
              "n": 1
            },
            {
              "n": 2
            }
          ]
        }

        """)
  }

  @Test(
    "every text can be read back and does no harm",
    arguments: [
      "\u{0}\u{1}\u{1F}\u{7F}\u{80}\u{9F}", "\"\\/\n\r\t\u{8}\u{C}", "東京 🙂 ne\u{301}e",
      "\u{202E}\u{2028}\u{E0041}",
      "::error::x\n::error::y", "##[error]x ##vso[y] ## z", "\u{10FFFF}\u{FFFF}\u{FEFF}", "", "#", "a\r\nb",
    ])
  func roundTrip(text: String) throws {
    let document = JSONWriter.document { $0.field(text, text) }
    let object = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: String]
    let (key, value) = try #require(object?.first)
    #expect(Array(key.unicodeScalars) == Array(text.unicodeScalars))
    #expect(Array(value.unicodeScalars) == Array(text.unicodeScalars))
    #expect(Harm.found(in: document, secrets: []) == nil)
  }
}
