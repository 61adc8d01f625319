import Foundation
import ManifestParsing
import SyncModel
import Testing

@testable import ForeignManifests

@Suite struct ForeignConversionTests {
  @Test(arguments: ForeignShape.all)
  func `a file becomes the manifest beside it`(_ shape: ForeignShape) throws {
    let conversion = try convert(try shape.bytes(), shape.name).get()
    #expect(conversion.kind == shape.kind)
    #expect(try conversion.text == shape.expected())
    let parse = ManifestParser.parse(Array(conversion.text.utf8), context: ManifestContext { _ in nil })
    #expect(parse.manifest?.targets.count == conversion.targetCount)
  }

  @Test(arguments: ForeignShape.all)
  func `no secret is copied, and each has a variable`(_ shape: ForeignShape) throws {
    let holdsSecret = String(decoding: try shape.bytes(), as: UTF8.self).contains("SECRET")
    let conversion = try convert(try shape.bytes(), shape.name).get()
    #expect(!conversion.text.contains("SECRET"))
    #expect(conversion.environment.isEmpty != holdsSecret || shape.name == "mixed.txt")
    for name in conversion.environment { #expect(conversion.text.contains("${env:\(name):-not-set}")) }
  }

  @Test func `every kind has three shapes or more`() {
    for kind in ForeignKind.allCases { #expect(ForeignShape.all.count { $0.kind == kind } >= 3) }
  }

  @Test(arguments: [
    ("list.txt", "https://example.org/a\n", ForeignKind.urls),
    ("list.txt", "\u{FEFF}\n# x\nhttps://example.org/a", .urls),
    ("list.txt", "https://example.org/a\n  out=b\n", .aria2),
    ("list.txt", "https://example.org/a\thttps://example.net/a\n", .aria2),
    ("list.txt", "magnet:?xt=urn:btih:0\nhttps://example.org/a\n", .urls),
    ("registry.txt", "a.csv md5:098f6bcd4621d373cade4e832627b4f6\n", .pooch),
    (
      "some.yml", "apiVersion: vendir.k14s.io/v1alpha1\ndirectories: [{path: a, contents: [{path: b}]}]\n",
      .vendir
    ),
    ("x/vendir.yml", "directories: [{path: a, contents: [{path: b}]}]\n", .vendir),
    ("-", "outs: [{path: a}]\n", .dvc),
    ("a.dvc", "outs: [{path: a}]\n", .dvc),
    ("a", "x: {type: file, url: 'https://example.org/a'}\n", .chezmoi),
    ("a", "[x]\ntype = 'file'\nurl = 'https://example.org/a'\n", .chezmoi),
    (".chezmoiexternals/all.yaml", "x: {type: nothing}\n", .chezmoi),
  ])
  func `the name or the content says the kind`(_ name: String, _ text: String, _ kind: ForeignKind) throws {
    #expect(try convert(text, name).get().kind == kind)
  }

  @Test(arguments: [
    ("list.txt", "", "there is nothing in it"),
    ("list.txt", "\n# only a comment\n \t\n", "there is nothing in it"),
    ("a.dvc", "", "there is nothing in it"),
    ("list.txt", "one two three\n", "--from does not know this kind of file"),
    ("list.txt", "a: b\n", "--from does not know this kind of file"),
    ("list.txt", "  out=x\nhttps://example.org/a\n", "--from does not know this kind of file"),
    ("list.txt", "<!DOCTYPE html>\n<a href='x'>\n", "--from does not know this kind of file"),
    ("syncmake.yaml", "version: 1\ntargets: {}\n", "--from does not know this kind of file"),
    ("list.txt", "https://example.org/a\nhttps://example.org/\u{0}b\n", "2:21: control character U+0000"),
    ("list.txt", "a\u{1B}[31m\n", "1:2: control character U+001B"),
    ("vendir.yml", "directories:\n  - path: [a\n", "2:11: did not find expected ',' or ']'"),
    ("vendir.yml", "directories:\n  - [path: ", "2:5: did not find expected ',' or ']'"),
    ("vendir.yml", "directories: []\n", "1:1: a vendir.yml has entries, and here are none"),
    ("vendir.yml", "- a\n", "1:1: a vendir.yml has entries, and here are none"),
    ("x.json", "{\"a\": }}", "1:8: "),
    (".chezmoiexternal.yaml", "a: {type: file}\n{{ if true }}\n", "2:1: this is a template"),
    (".chezmoiexternal.toml", "a = 1979-05-27\n", "1:5: \"1979-05-27\" is TOML that --from does not read"),
    ("b.toml", "\n  [[a]]\n", "2:3: an array of tables is TOML that --from does not read"),
    ("b.toml", "[a]\nb = \"\"\"x\"\"\"\n", "2:5: a text of several lines is TOML that --from does not read"),
    ("b.toml", "[a]\nb = \"x\n", "2:5: the quote is not closed"),
    ("b.toml", "[a]\nb = 'x' y\n", "2:9: the line should end here"),
    ("b.toml", "[a]\nb = 'x'\nb = 'y'\n", "3:5: duplicate key \"b\""),
    ("b.toml", "a = 'x'\n[a]\n", "2:1: duplicate key \"a\""),
    ("b.toml", "[a\n", "1:3: \"]\" is missing here"),
    ("b.toml", "= 1\n", "1:1: a key is missing here"),
    ("b.toml", "[a]\nb =\n", "2:4: a value is missing here"),
    ("b.toml", "[a]\nb = ['x' 'y']\n", "2:10: \"]\" is missing here"),
    ("b.toml", "[a]\nb = \"\\q\"\n", "2:7: this escape is TOML that --from does not read"),
  ])
  func `what cannot be read is refused with its place`(_ name: String, _ text: String, _ message: String) {
    let found = refusal(convert(text, name))
    #expect(found?.hasPrefix(message) == true, "\(found ?? "converted")")
  }

  @Test func `bytes that are no text are refused with their place`() {
    #expect(refusal(convert([0x61, 0x0A, 0x68, 0xC3, 0xFF], "list.txt")) == "2:2: not valid UTF-8")
    #expect(refusal(convert([0xFF, 0xFE, 0x68, 0x00], "list.txt")) == "1:1: not valid UTF-8")
  }

  @Test func `a file longer than a manifest may be is refused`() {
    let bytes = [UInt8](repeating: 0x61, count: ForeignConversion.maximumSize + 1)
    #expect(refusal(convert(bytes, "list.txt")) == "it is longer than 64 MiB")
  }

  @Test func `many equal names and secrets take no more time than others`() throws {
    let text = (1...10_000).map { "https://example.org/\($0)/file.bin?token=SECRET\($0)\n" }.joined()
    let conversion = try convert(text).get()
    #expect(conversion.targetCount == 10_000)
    #expect(conversion.environment.count == 10_000)
    #expect(conversion.text.contains("  file-10000.bin:\n"))
  }

  @Test func `many targets that the manifest refuses become comments at once`() throws {
    let text = (1...2000).map { "https://example.org/\($0)\n  out=../\($0)\n" }.joined()
    let conversion = try convert(text).get()
    #expect(conversion.targetCount == 0)
    #expect(conversion.openCount == 2000)
  }

  @Test func `brackets without an end cost no memory and no time`() {
    #expect(refusal(convert("a = " + String(repeating: "[", count: 100_000), "b.toml")) != nil)
    #expect(refusal(convert(String(repeating: "{", count: 100_000), "vendir.yml")) != nil)
  }

  @Test func `a line that may hold a secret is not shown`() throws {
    for line in ["b = \"x\" token=SECRET", "b = \"https://u:SECRET@example.org/\" c"] {
      guard case .failure(let refusal) = convert("[a]\n\(line)\n", "b.toml") else {
        Issue.record("\(line) is read")
        continue
      }
      #expect(refusal.diagnostics.map(\.sourceLine) == [nil])
    }
  }

  @Test func `ten thousand URLs become as many targets`() throws {
    let text = (1...10_000).map { "https://example.org/files/\($0).bin\n" }.joined()
    #expect(try convert(text).get().targetCount == 10_000)
  }
}
