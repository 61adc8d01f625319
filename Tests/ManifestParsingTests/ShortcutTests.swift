import SyncModel
import Testing

@testable import ManifestParsing

/// Nearly every URL and path is simple, and a short check recognises it; every text that passes this check must be
/// valid.
@Suite struct `A short check instead of the full one` {
  private func words(_ parts: [String], upTo longest: UInt64, _ random: inout SplitMix) -> String {
    (0...random.next() % longest).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
  }

  @Test func `accepts no URL that the full check refuses or changes`() throws {
    var random = SplitMix(state: 11)
    let parts = [
      "http", "https", "s", ":", "/", "//", "a", "b.example", "-", ".", "@", "#", "?q=1", "8", "65535",
      "65536", "0",
      "A", "é", " ", "\t", "%20", "[", "]", "\u{7F}", "~",
    ]
    var plain = 0
    for _ in 0..<40_000 {
      let text = (random.next().isMultiple(of: 3) ? "" : "http://h") + words(parts, upTo: 7, &random)
      guard SourceURLText.isPlainWeb(text) else { continue }
      plain += 1
      #expect(try SourceURLText.parseCarefully(text) == .web(text), "\(text)")
    }
    #expect(plain > 1000)
  }

  @Test(arguments: [
    ("http://127.0.0.1:54321/f", true), ("https://a.example/f?q=1", true), ("http://a.example:0/f", false),
    ("http://a.example:65536/f", false), ("http://a.example", false), ("http://u@a.example/f", false),
    ("http://a.example/f#x", false), ("HTTP://a.example/f", false), ("http:///f", false), ("f", false),
  ])
  func `accepts plain URLs`(text: String, isPlain: Bool) {
    #expect(SourceURLText.isPlainWeb(text) == isPlain)
  }

  @Test func `never overlooks a reserved path`() throws {
    var random = SplitMix(state: 13)
    let reserved = ReservedPaths(["syncmake.yaml", "sub/deep/manifest.yaml"])
    let parts = [
      "a", "/", "/", ".git", ".GIT", "git", "syncmake", ".yaml", ".lock", "Sub", "sub", "deep", "manifest",
      ".", " ", "é", "\u{212A}", "\u{200C}",
    ]
    var elsewhere = 0
    for _ in 0..<40_000 {
      guard let path = try? RelativePath(words(parts, upTo: 6, &random)),
        reserved.isPlainlyElsewhere(path.text)
      else { continue }
      elsewhere += 1
      #expect(reserved.carefulConflict(with: path) == nil, "\(path)")
    }
    #expect(elsewhere > 1000)
  }

  @Test(arguments: [
    "SYNCMAKE.lock", "\u{17F}yncmake.lock", "syncmake.lo\u{200C}ck", "syncmake.lock.", "syncmake.lock ",
    "Sub./deep",
    "a/.g\u{200B}it/x", "a/.GIT./x",
  ])
  func `knows a reserved path in any spelling that some file systems take`(text: String) throws {
    let reserved = ReservedPaths(["syncmake.yaml", "sub/deep/manifest.yaml"])
    #expect(reserved.conflict(with: try RelativePath(text)) != nil)
  }
}
