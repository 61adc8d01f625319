import ManifestParsing
import SyncModel
import Testing

@testable import ForeignManifests

@Suite struct ForeignTextTests {
  @Test func `names and outputs that are taken get a number`() {
    let urls = ["a/x.tar.gz", "b/x.tar.gz", "c/x.tar.gz", "d/.hidden", "e/", "f/"]
    let lines = convert(urls.map { "https://example.org/\($0)\n" }.joined()).lines
    let names = lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
    #expect(
      names == [
        "  x.tar.gz:", "  x-2.tar.gz:", "  x-3.tar.gz:", "  hidden:", "  index.html:", "  index-2.html:",
      ])
    #expect(lines.filter { $0.contains("output") }.count == 4)
  }

  @Test func `one value has one variable, and another value another one`() {
    var names = SecretNames()
    #expect(names.reference("a", "data.example.org", "token") == "${env:DATA_EXAMPLE_ORG_TOKEN:-not-set}")
    #expect(names.reference("a", "data.example.org", "token") == "${env:DATA_EXAMPLE_ORG_TOKEN:-not-set}")
    #expect(names.reference("b", "data.example.org", "token") == "${env:DATA_EXAMPLE_ORG_TOKEN_2:-not-set}")
    #expect(names.reference("a", "127.0.0.1:80", "X-Key") == "${env:HOST_127_0_0_1_80_X_KEY:-not-set}")
    #expect(names.all.count == 3)
  }

  @Test(arguments: [
    ("a.dvc", "syncmake.yaml", ""), ("./a.dvc", "syncmake.yaml", ""), ("data/a.dvc", "syncmake.yaml", "data"),
    ("data/raw/a.dvc", "data/syncmake.yaml", "raw"), ("data/a.dvc", "data/syncmake.yaml", ""),
    ("data/a.dvc", "other/syncmake.yaml", ""), ("../data/a.dvc", "syncmake.yaml", ""),
    ("/srv/p/data/a.dvc", "/srv/p/syncmake.yaml", "data"), ("/srv/p/a.dvc", "syncmake.yaml", ""),
    ("./data/a.dvc", "./syncmake.yaml", "data"), ("database/a.dvc", "data/syncmake.yaml", ""),
  ])
  func `paths are relative to the file's folder below the manifest's`(
    _ file: String, _ manifest: String, _ folder: String
  ) {
    #expect(Folders.folder(of: file, from: manifest) == folder)
  }

  @Test(arguments: [
    ("*/doc/**", 1, "doc/**"), ("*/top.txt", 1, "/top.txt"), ("**/*.bak", 1, "**/*.bak"),
    ("*.txt", 0, "/*.txt"),
    ("a/b", 0, "a/b"), ("*/*/x", 2, "/x"),
  ])
  func `a pattern loses the folders that are stripped`(_ pattern: String, _ count: Int, _ converted: String) {
    #expect(ArchivePattern.stripped(pattern, by: count) == converted)
  }

  @Test(arguments: [("*", 1), ("a/**/b", 2), ("{a,b}/c", 0)])
  func `a pattern of those folders themselves, or with braces, is not converted`(
    _ pattern: String, _ count: Int
  ) {
    #expect(ArchivePattern.stripped(pattern, by: count) == nil)
  }

  @Test(arguments: [
    ("https://a:b@example.org/x?token=1#y", "https://example.org/x"), ("magnet:?xt=1&tr=2", "magnet:…"),
    ("ftp://example.org/x", "ftp://example.org/x"), ("a@b:c", "\"…\""), ("a\u{2028}b", "\"a?b\""),
    ("my-token-1", "\"…\""), ("data", "\"data\""),
  ])
  func `comments show addresses without what may be secret`(_ text: String, _ shown: String) {
    #expect(Shown.address(text) == shown)
  }

  @Test func `TOML is read as YAML is`() throws {
    let text = try ForeignText(
      Array(
        """
        # head
        a.b = "x\\ty" # text
        "q.r" = 'lit\\eral'
        [t."u v"]
        n = 1_024
        l = [ "1", # one
          true, ]
        i = { k = 'v', m.n = false }
        [t]
        z = ""
        """.utf8))
    let root = try TOMLSubset.read(text)
    #expect(root["a"]?["b"]?.text == "x\ty")
    #expect(root["q.r"]?.text == "lit\\eral")
    #expect(root["t"]?["u v"]?["n"]?.text == "1024")
    #expect(root["t"]?["u v"]?["l"]?.items.map(\.text) == ["1", "true"])
    #expect(root["t"]?["u v"]?["i"]?["m"]?["n"]?.text == "false")
    #expect(root["t"]?["z"]?.text == "")
    #expect(root["t"]?["u v"]?.span.line == 4)
  }

  @Test func `YAML's merges and aliases are followed`() {
    let text =
      "base: &b {type: file, url: 'https://example.org/a'}\nx: {<<: *b, url: 'https://example.org/b'}\n"
    let (root, problems) = DataNode.read(Array(text.utf8), fileName: "a", subject: "a file")
    #expect(problems.isEmpty)
    #expect(root?["x"]?["type"]?.text == "file")
    #expect(root?["x"]?["url"]?.text == "https://example.org/b")
  }
}
