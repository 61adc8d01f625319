import ManifestParsing
import SyncModel
import Testing

/// A local file that another target makes; the corpus has the messages.
@Suite struct `A source that another target makes` {
  private static let b = "  b: {url: https://x.org/b, output: d/b}\n"
  private static let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"

  private func problems(_ targets: String, more: String = "", root: String? = nil) -> [String] {
    var context = ManifestContext { Corpus.environment[$0] }
    context.root = { root }
    let text = "version: 1\n\(more)targets:\n" + Self.b + targets
    return ManifestParser.parse(Array(text.utf8), context: context).diagnostics.map(\.message)
  }

  private static func message(_ target: String, _ path: String = "d/b", _ other: String = "b") -> String {
    "target \"\(target)\" reads \"\(path)\", the output of target \"\(other)\", and nothing says that \"\(other)\" comes first"
  }

  @Test(arguments: [
    "needs: [b]", "after: [b]", "needs: [c]", "after: [f]",
    "steps: [{verify: {md5: {target: b, entry: x}}}]", "freshness: {md5: {target: c, entry: x}}",
  ])
  func `may come first in every way`(key: String) {
    let others = "  c: {from: b, output: c}\n  f: {url: https://x.org/f, needs: [c]}\n"
    #expect(problems("  a: {url: d/b, output: a, \(key)}\n" + others) == [])
    #expect(problems("  a: {url: d/b, output: a}\n" + others) == [Self.message("a")])
  }

  @Test func `leaves no outline, since any target on the way to it may lose what it needs`() {
    func outline(_ targets: String) -> ManifestOutline? {
      var context = ManifestContext { Corpus.environment[$0] }
      context.outlineKey = ByteSum.Key(words: (1, 2))
      let text = "version: 1\ntargets:\n" + Self.b + targets
      return ManifestParser.parse(Array(text.utf8), context: context).outline
    }
    #expect(outline("  a: {url: d/b, output: a, needs: [b]}\n") == nil)
    #expect(outline("  a: {url: d/other, output: a, needs: [b]}\n") != nil)
  }

  @Test func `comes first with the group that is published with it`() {
    let targets = "  a: {url: d/b, output: a, needs: [c]}\n  c: {url: https://x.org/c}\n"
    #expect(problems(targets) == [Self.message("a")])
    #expect(problems(targets, more: "groups: {g: {targets: [b, c], together: true}}\n") == [])
  }

  @Test(arguments: [
    "freshness: {sha1: {url: d/b}}", "freshness: {interval: 1d, then: {md5: {url: d/b, entry: x}}}",
    "steps: [{verify: {md5: {url: https://x.org/s, signed: {minisign: {key: \(key), url: d/b}}}}}]",
    "steps: [{verify: {minisign: {key: \(key), url: d/b}}}]",
  ])
  func `may be a sidecar or a signature`(key: String) {
    #expect(problems("  a: {url: https://x.org/a, \(key)}\n") == [Self.message("a")])
    #expect(problems("  a: {url: https://x.org/a, \(key), needs: [b]}\n") == [])
    // Every target that has the default is refused, and the one that has it as its output is not.
    #expect(
      problems(
        "  a: {url: https://x.org/a, needs: [b]}\n  c: {url: https://x.org/c}\n", more: "defaults: {\(key)}\n"
      )
        == [Self.message("c")])
  }

  @Test func `may be named by an absolute path`() {
    let targets = "  a: {url: 'file:///r%20t/d/b', output: a}\n"
    #expect(problems(targets, root: "/r t") == [Self.message("a", "/r t/d/b")])
    #expect(problems(targets, root: "/r") == [])
    #expect(problems(targets) == [])
    #expect(problems("  a: {url: 'file:///d/b', output: a}\n", root: "/") == [Self.message("a", "/d/b")])
  }

  @Test func `is not blamed on a target whose keys have problems`() {
    #expect(problems("  a: {url: d/b, output: a, needs: [bb]}\n") == ["unknown target \"bb\""])
    #expect(
      problems("  a: {url: d/b, output: a, need: [b]}\n") == ["unknown key \"need\" in target \"a\""])
  }

  @Test func `is named as the manifest of the reader can`() {
    func hints(_ root: String, _ child: String) -> [String?] {
      var context = ManifestContext { _ in nil }
      context.included = Included(files: ["g/m.yaml": "version: 1\ntargets:\n\(child)"]).reading
      let text = "version: 1\ninclude: [g/m.yaml]\ntargets:\n\(root)"
      return ManifestParser.parse(Array(text.utf8), context: context).diagnostics.map(\.hint)
    }
    let (web, reader) = ("  b: {url: https://x.org/b, output: b}\n", "  a: {url: b, output: a}\n")
    #expect(
      hints(web, web + reader) == ["write \"from: b\" instead of \"url\", or add \"needs: [b]\""])
    #expect(
      hints("  a: {url: [g/b, 'https://x.org/'], output: a}\n", web) == ["add \"needs: [g/b]\""])
    #expect(
      hints("  b: {url: https://x.org/b, output: g/b}\n", reader) == [
        "an included manifest cannot name that target: declare both in one manifest"
      ])
  }

  @Test func `of a list is the fault of the list that names it`() throws {
    let list = "list: {url: https://x.org/, format: atom}"
    let reader = "  a: {url: k, output: a}\n"
    let made = try listManifest("  d/${entry.key}: {\(list)}\n" + reader, [template: [entry("k")]])
    // The cause has no other place for the advice.
    let whole =
      Self.message("a", "k", "d/k") + ": write \"from: d/k\" instead of \"url\", or add \"needs: [d/k]\""
    #expect(made.templates[0].state == .invalid(.refused(whole, key: "k")))
    let known = parseLists(
      "  d/${entry.key}: {\(list), output: k}\n" + reader, [template: [entry("k")]]
    ).diagnostics
    #expect(known.map(\.message) == [Self.message("a", "k", "d/k")])
    // What waits for the list is judged once it is there.
    let waiting = "  d/${entry.key}: {\(list)}\n  a: {url: k, output: a, needs: [d/k]}\n"
    #expect(parseLists(waiting, [:]).diagnostics == [])
    #expect(parseLists(waiting, [template: [entry("k")]]).diagnostics == [])
  }

  @Test func `may be made after it was read`() {
    let kept = "  new: {url: https://x.org/x, output: x, after: [old]}\n  old: {url: x, output: old}\n"
    #expect(problems(kept) == [])
  }

  @Test func `is found among many without a quadratic step`() {
    let count = 20_000
    let chain = (1...count).map {
      "  t\($0): {url: d/b, output: t\($0), after: [\($0 > 1 ? "t\($0 - 1)" : "b")]}\n"
    }
    #expect(problems(chain.joined()) == [])
    let loose = (1...count).map { "  t\($0): {url: s/\($0), output: t\($0), after: [b]}\n" }
    #expect(
      problems(loose.joined() + "  a: {url: t\(count), output: a, after: [t1]}\n") == [
        Self.message("a", "t\(count)", "t\(count)")
      ])
  }
}
