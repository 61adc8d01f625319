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
    ("https://a/f?v=${env:V}&sig=abc", "https://a/f?v=${env:V}&sig=***"),
    ("https://a/f?p[0]=1&sig=abc", "https://a/f?p[0]=1&sig=***"),
    ("https://a/f?n=it's&sig=abc", "https://a/f?n=it's&sig=***"),
    ("https://a/f?sig=${a}b&st=${c}", "https://a/f?sig=***&st=${c}"),
  ]) func `are hidden`(text: String, masked: String) {
    #expect(SignatureMask.mask(text) == masked)
    #expect(SignatureMask.mask(Array(text.utf8)) == Array(masked.utf8))
  }

  @Test(arguments: [
    "https://a/f?v=1&w=2", "sig=abc", "a & sig=abc", "https://a/f?sig=", "what? sig=abc",
    "https://a/f?sig=${env:SIG}", "https://a/f?sig=${env:SIG}&v=1", #"{url: "https://a/f?sig=${sig}"}"#,
    "https://a/f?sig=${a}${b}", "{url: https://a/f?v=1}",
  ]) func `are nothing else`(text: String) {
    #expect(SignatureMask.mask(text) == text)
  }

  @Test func `are hidden if they only begin with a variable`() {
    #expect(SignatureMask.mask("https://a/f?sig=${part}abc") == "https://a/f?sig=***")
  }
}
