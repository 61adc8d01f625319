import SyncModel
import Testing

@Suite struct SecretMaskTests {
  private let mask = SecretMask(values: ["a/b c+ß%41", "hush"])

  @Test(arguments: [
    "a/b c+ß%41", "a%2Fb%20c%2B%C3%9F%2541", "a%2fb%20c%2b%c3%9f%2541", "a/b+c+%c3%9F%2541",
    "%61/b%20c%2Bß%2541", "a%2Fb%20c%2B%DF%2541", "h%75sh", "%68%75%73%68",
  ])
  func `a secret is masked however it is percent-encoded`(shown: String) {
    #expect(mask.mask("https://x/\(shown)/y") == "https://x/***/y")
    #expect(mask.finds(in: Array("1 \(shown)\n".utf8)))
  }

  @Test(arguments: ["a%2Gb%20c", "hus", "h%7", "%hush%", "a/b%2", "hu%sh"])
  func `a text that only looks like a secret stays, and broken encodings do no harm`(text: String) {
    #expect(mask.mask(text) == text.replacing("hush", with: "***"))
  }

  @Test func `secrets that look the same but differ in bytes are both masked`() {
    let mask = SecretMask(values: ["pass\u{E9}", "passe\u{301}"])
    #expect(mask.mask("pass\u{E9} passe\u{301} passe") == "*** *** passe")
  }

  @Test(arguments: [
    ("http://u:a@banana.example/a", "http://u:***@banana.example/a"),
    ("http://u:%61@banana.example/a", "http://u:***@banana.example/a"),
    ("a banana at u:a@b", "a banana at u:***@b"), ("a banana", "a banana"), ("b:a:c@d", "b:a:c@d"),
  ])
  func `a short password is masked only where URLs have it`(text: String, masked: String) {
    var mask = SecretMask()
    mask.add(urlPassword: "a")
    mask.add(urlPassword: "")
    #expect(mask.mask(text) == masked)
    #expect(mask.finds(in: Array(text.utf8)) == (text != masked))
    #expect(!mask.isEmpty)
  }

  @Test func `a password of four bytes is masked everywhere, and so is a short secret`() {
    var mask = SecretMask(values: ["x"])
    mask.add(urlPassword: "abcd")
    #expect(mask.mask("x abcd u:abcd@h") == "*** *** u:***@h")
  }

  @Test func `without secrets nothing is masked`() {
    #expect(SecretMask(values: [""]).mask("%20+") == "%20+")
    #expect(!SecretMask().finds(in: [0x41]))
  }
}
