import SyncModel
import Testing

@Suite struct `The signatures of URLs in a text` {
  @Test(arguments: [
    (#"{url: "https://a/f?v=1&sig=abc"}"#, #"{url: "https://a/f?v=1&sig=***"}"#),
    ("https://a/f?X-Amz-Signature=abc&v=2#sig=1", "https://a/f?X-Amz-Signature=***&v=2#sig=1"),
    (#"<a href="/f?v=1&amp;sig=abc&amp;w=2">"#, #"<a href="/f?v=1&amp;sig=***&amp;w=2">"#),
    ("<url>https://a/f?v=1&#38;sig=abc</url>", "<url>https://a/f?v=1&#38;sig=***</url>"),
    (#""https:\/\/a\/f?v=1\u0026sig=a\/b\u0026w=2""#, #""https:\/\/a\/f?v=1\u0026sig=***\u0026w=2""#),
    (#"["https://a/f?sig=abc", https://a/g?token=x]"#, #"["https://a/f?sig=***", https://a/g?token=***]"#),
  ]) func `are hidden`(text: String, masked: String) {
    #expect(SignatureMask.mask(text) == masked)
    #expect(SignatureMask.mask(Array(text.utf8)) == Array(masked.utf8))
  }

  @Test(arguments: [
    "https://a/f?v=1&w=2", "sig=abc", "a & sig=abc", "https://a/f?sig=", "what? sig=abc",
    "https://a/f?sig=${env:SIG}", "https://a/f?sig=${env:SIG}&v=1", #"{url: "https://a/f?sig=${sig}"}"#,
  ]) func `are nothing else`(text: String) {
    #expect(SignatureMask.mask(text) == text)
  }

  @Test func `are hidden if they only begin with a variable`() {
    #expect(SignatureMask.mask("https://a/f?sig=${part}abc") == "https://a/f?sig=***")
  }
}
