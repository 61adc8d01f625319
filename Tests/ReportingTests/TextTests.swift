import SyncModel
import Testing

@testable import Reporting

@Suite struct CleanTextTests {
  @Test(
    "terminal control characters are shown in visible form",
    arguments: [
      ("plain text", "plain text"), ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\nb\r\nc\td", "a b  c d"),
      ("\u{0}\u{7}\u{7F}", "\\u{0}\\u{7}\\u{7F}"), ("\u{85}\u{9B}31m", "\\u{85}\\u{9B}31m"),
      ("a\u{202E}b\u{2066}c", "a\\u{202E}b\\u{2066}c"), ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
      ("\u{FEFF}x\u{200B}y", "\\u{FEFF}x\\u{200B}y"), ("\u{E0041}", "\\u{E0041}"),
      ("Straße 東京 ne\u{301}e", "Straße 東京 ne\u{301}e"), ("", ""),
    ])
  func controls(text: String, expected: String) {
    #expect(CleanText.clean(text) == expected)
  }

  @Test(
    "CI commands are made harmless",
    arguments: [
      ("::error::x", ": :error::x"), ("  ::set-env name=A::b", "  : :set-env name=A::b"),
      ("\n\t::error::x", "  : :error::x"), ("\u{A0}::error", "\u{A0}: :error"), ("a ::b:: c", "a ::b:: c"),
      ("x ##[error]y", "x # #[error]y"), ("##vso[task.setvariable]", "# #vso[task.setvariable]"),
      ("##teamcity[x]", "# #teamcity[x]"), ("###[error]", "## #[error]"), ("## a heading", "## a heading"),
      ("\u{200D}::error", "\u{200D}: :error"), (":\u{FE0F}:error", ":\u{FE0F} :error"),
      ("#\u{200C}#[x]", "#\u{200C} #[x]"), ("##\u{200D}vso\u{200D}[x]", "# #\u{200D}vso\u{200D}[x]"),
      ("::", ": :"), (": ::", ": ::"),
    ])
  func commands(text: String, expected: String) {
    #expect(CleanText.clean(text) == expected)
  }

  @Test func `cleaning twice changes nothing more`() {
    for text in ["::error", "##[x]", "\u{1B}[0m", "a\nb", "東京\u{202E}"] {
      #expect(CleanText.clean(CleanText.clean(text)) == CleanText.clean(text))
    }
  }
}

@Suite struct TextWidthTests {
  @Test(
    "wide characters take two columns, joining marks none",
    arguments: [("abc", 3), ("東京", 4), ("ne\u{301}e", 3), ("Ａ", 2), ("한", 2), ("🙂", 2), ("é", 1), ("", 0)])
  func widths(text: String, columns: Int) {
    #expect(TextWidth.of(text) == columns)
  }

  @Test(
    "a name is cut in the middle, a sentence at its end, and no character is split",
    arguments: [
      ("abcdefghij", 10, "abcdefghij", "abcdefghij"), ("abcdefghij", 8, "abc...ij", "abcde..."),
      ("東京大阪名古屋", 9, "東京...屋", "東京大..."), ("abcdef", 2, "..", ".."), ("abcdef", 0, "", ""),
    ])
  func cuts(text: String, width: Int, middle: String, end: String) {
    #expect(TextWidth.cutEnd(text, to: width) == end)
    #expect(TextWidth.cutMiddle(text, to: width) == middle)
  }
}

@Suite struct QuantityTests {
  @Test(
    "sizes are decimal with one decimal, rounded",
    arguments: [
      (Int64(0), "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (999_949, "999.9 kB"),
      (999_950, "1.0 MB"), (1_500_000_000, "1.5 GB"), (.max, "9.2 EB"), (-5, "0 B"),
    ])
  func sizes(bytes: Int64, expected: String) {
    #expect(Quantity.size(bytes) == expected)
  }

  @Test func `two different sizes that round to the same text are given in full`() {
    #expect(Quantity.sizes(12_345_678, 12_345_679) == ("12345678 bytes", "12345679 bytes"))
    #expect(Quantity.sizes(5, 5) == ("5 B", "5 B"))
    #expect(Quantity.sizes(1000, 2_000_000) == ("1.0 kB", "2.0 MB"))
  }

  @Test(
    "durations are given in their two largest units",
    arguments: [
      (Duration.milliseconds(-5), "0 ms", "0s"), (.milliseconds(450), "450 ms", "0s"),
      (.milliseconds(3250), "3.2 s", "3s"), (.seconds(30), "30 s", "30s"), (.seconds(90), "1m30s", "1m"),
      (.seconds(43200), "12h", "12h"), (.seconds(3661), "1h1m", "1h"), (.seconds(86400 * 7), "7d", "7d"),
      (.seconds(86400 + 60), "1d", "1d"), (.seconds(Int64.max), "1157407407d9h", "1157407407d"),
    ])
  func durations(duration: Duration, expected: String, age: String) {
    #expect(Quantity.duration(duration) == expected)
    #expect(Quantity.age(duration) == age)
  }

  @Test func `the singular is used for one`() {
    #expect(Quantity.count(1, "target") == "1 target")
    #expect(Quantity.count(0, "target") == "0 targets")
  }
}

@Suite struct MessageTextTests {
  @Test func `an error of the program has its prefix, its hint and no secret`() {
    let secrets = SecretMask(values: ["hunter2"])
    let text = MessageText.error(
      "no target hunter2\n::error", hint: "did you mean \"genes\"?", style: TextStyle(), secrets: secrets)
    #expect(text == "syncmake: error: no target *** ::error\nsyncmake: hint: did you mean \"genes\"?\n")
    #expect(
      MessageText.warning("x", style: TextStyle(colour: true))
        == "syncmake: \u{1B}[1;33mwarning:\u{1B}[0m x\n")
  }
}
