import ManifestParsing
import SyncModel
import Testing

/// Which files are included.
extension Includes {
  @Test func `are found by patterns, in the order of bytes, and may be none`() {
    let files = [
      "p/b/syncmake.yaml": Self.a, "p/a/syncmake.yaml": Self.a, "p/B/syncmake.yaml": Self.a,
      "p/.hidden/syncmake.yaml": Self.a, "p/syncmake.yaml": "no", "p/a/b/syncmake.yaml": "no",
      "p/c/other.yaml": "no",
    ].mapValues { $0.replacing("https://x.org/t", with: "s/x") }
    #expect(
      summary(parse(text(include: "['p/*/syncmake.yaml', 'q/*/syncmake.yaml']"), files)) == [
        "p/B/t p/B/s/x p/B/x", "p/a/t p/a/s/x p/a/x", "p/b/t p/b/s/x p/b/x",
      ])
  }

  @Test func `are read once, however often they are named`() {
    let files = [
      "p/a/syncmake.yaml": text("t: {url: s/x}", include: "[b/syncmake.yaml]"),
      "p/a/b/syncmake.yaml": text("t: {url: s/y}"),
    ]
    let root = text(
      "o: {url: s/o, output: oo, needs: [p/a/b/t]}",
      include: "[p/a/b/syncmake.yaml, ./p/a/syncmake.yaml, 'p/**/*.yaml']")
    #expect(summary(parse(root, files)) == ["p/a/b/t p/a/b/s/y p/a/b/y", "p/a/t p/a/s/x p/a/x", "o s/o oo"])
  }

  @Test func `are not the file in which a pattern is written`() {
    let files = ["syncmake.yaml": "", "b.yaml": Self.a.replacing("https://x.org/t", with: "s/x")]
    #expect(summary(parse(text(include: "['*.yaml']"), files)) == ["b/t s/x x"])
  }

  @Test func `may have variables in their names`() {
    let files = ["linux/syncmake.yaml": Self.a, "macos/syncmake.yaml": Self.a]
    let parse = parse(text(include: "['${name}/syncmake.yaml']", more: "vars: {name: linux}\n"), files)
    #expect(parse.manifest?.targets.map(\.name.text) == ["linux/t"])
  }

  @Test func `must not include one another in a circle`() {
    let files = [
      "a.yaml": text("t: {url: s/x}", include: "[b.yaml]"),
      "b.yaml": text("t: {url: s/y}", include: "[./a.yaml]"),
      "c.yaml": text(include: "[syncmake.yaml]"),
    ]
    #expect(
      shown(parse(text(include: "[a.yaml, c.yaml]"), files)) == [
        "syncmake.yaml:2:19: manifests include one another in a circle: syncmake.yaml -> c.yaml -> syncmake.yaml",
        "a.yaml:2:11: manifests include one another in a circle: a.yaml -> b.yaml -> a.yaml",
      ])
  }

  @Test(arguments: [
    ("../x.yaml", "\"../x.yaml\" is outside the folder of this manifest"),
    ("a/../b.yaml", "\"a/../b.yaml\" has a part \"..\""),
    ("./../b.yaml", "\"./../b.yaml\" has a part \"..\""),
    ("/etc/x.yaml", "\"/etc/x.yaml\" is outside the folder of this manifest"),
    ("a/", "\"a/\" is a folder's name"),
    ("''", "\"include\" must be a manifest such as genes/syncmake.yaml, not \"\""),
    ("none.yaml", "cannot read \"none.yaml\": No such file or directory"),
    ("g", "cannot read \"g\": it is a folder"), ("empty.yaml", "\"empty.yaml\" is empty"),
    ("remark.yaml", "\"remark.yaml\" is empty"), ("list.yaml", "\"list.yaml\" is not a manifest"),
    ("text.yaml", "\"text.yaml\" is not a manifest"),
    ("'g[/x.yaml'", "\"g[/x.yaml\" is not a pattern: \"[\" is not closed"),
    ("'-x/y.yaml'", "\"-x/\", with which the names in \"-x/y.yaml\" would begin, cannot be part of a name"),
    ("'.x/y.yaml'", "\".x/\", with which the names in \".x/y.yaml\" would begin, cannot be part of a name"),
    (
      "'a b/y.yaml'", "\"a b/\", with which the names in \"a b/y.yaml\" would begin, cannot be part of a name"
    ),
    ("{a: b}", "\"include\" must be a manifest such as genes/syncmake.yaml, not a mapping"),
    ("'${nope}'", "undefined variable \"nope\""),
  ])
  func `that cannot be read are errors where they are named`(entry: String, message: String) {
    let files = [
      "g/syncmake.yaml": Self.a, "empty.yaml": "", "remark.yaml": "# nothing\n", "list.yaml": "- a\n",
      "text.yaml": "a\n",
    ]
    let parse = parse(text("o: {url: s/x}", include: "[\(entry)]"), files)
    #expect(parse.diagnostics.map(\.message) == [message])
    #expect(parse.diagnostics.first?.file == "syncmake.yaml")
    #expect(parse.diagnostics.first?.span?.line == 2)
  }

  @Test func `may have had the names that nobody knows`() {
    let root = text(
      "o: {url: s/x, needs: [none/t, other]}", include: "[none/m.yaml]", more: "groups: {g: [none/g]}\n")
    #expect(
      parse(root, [:]).diagnostics.map(\.message) == [
        "cannot read \"none/m.yaml\": No such file or directory", "unknown target \"other\"",
      ])
    let pattern = root.replacing("none/m.yaml", with: "'none/[.yaml'")
    #expect(parse(pattern, [:]).diagnostics.count == 1)
  }

  @Test func `have an error with its place where they are nested`() {
    let files = ["a/syncmake.yaml": text(include: "[none.yaml]")]
    let parse = parse(text(include: "[a/syncmake.yaml]"), files, fileName: "sub/syncmake.yaml")
    #expect(
      shown(parse) == ["sub/a/syncmake.yaml:2:11: cannot read \"a/none.yaml\": No such file or directory"])
    #expect(parse.diagnostics.first?.sourceLine == "include: [none.yaml]")
  }

  @Test func `are a thousand at most`() {
    let files = Dictionary(
      uniqueKeysWithValues: (1...1001).map { ("f/\($0).yaml", text("t\($0): {url: s/x, output: 'o\($0)'}")) })
    #expect(
      shown(parse(text(include: "['f/*.yaml']"), files)) == [
        "syncmake.yaml:2:11: more than 1000 included manifests"
      ])
    var most = files
    most["f/1.yaml"] = nil
    #expect(parse(text(include: "['f/*.yaml']"), most).manifest?.targets.count == 1000)
  }

  @Test func `may be nested a thousand times`() {
    let files = Dictionary(
      uniqueKeysWithValues: (1...1000).map {
        ("f\($0).yaml", text("t: {url: s/x, output: o\($0)}", include: $0 < 1000 ? "[f\($0 + 1).yaml]" : ""))
      })
    #expect(parse(text(include: "[f1.yaml]"), files).manifest?.targets.first?.name.text == "f1000/t")
  }
}
