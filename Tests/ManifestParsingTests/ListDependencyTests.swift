import ManifestParsing
import SyncModel
import Testing

@Suite struct `A target that depends on a list` {
  private let text = """
      tool: {list: {url: https://x.org/, format: index}, output: t}
      d/${entry.key}: {list: {url: https://x.org/, format: atom}}
      needs: {url: https://x.org/needs, needs: [d/a]}
      from: {from: tool, output: from}
      steps: {url: https://x.org/steps, steps: [{verify: {md5: {target: tool, entry: x}}}]}
      rule: {url: https://x.org/rule, freshness: {md5: {target: tool, entry: x}}}
      far: {url: https://x.org/far, needs: [needs]}
      after: {url: https://x.org/after, after: [d/a, needs]}
      other: {url: https://x.org/other}

    """

  /// `NAME TEMPLATE` of each that waits.
  private func waiting(_ manifest: Manifest) -> [String] {
    manifest.waiting.map { "\($0.name.text) \($0.template)" }
  }

  @Test func `waits for its entries`() throws {
    let manifest = try listManifest(text)
    #expect(manifest.targets.map(\.name.text) == ["other"])
    #expect(
      waiting(manifest) == [
        "needs d/${entry.key}", "from tool", "steps tool", "rule tool", "far d/${entry.key}",
        "after d/${entry.key}",
      ])
    #expect(manifest.waiting[0].span.line == 5)
  }

  @Test func `waits for a list that cannot be used`() throws {
    let manifest = try listManifest(text, ["tool": [entry("t")], template: [entry("..")]])
    #expect(manifest.targets.map(\.name.text) == ["tool", "from", "steps", "rule", "other"])
    #expect(manifest.targets[1].source == .target(TargetID(0)))
    #expect(
      waiting(manifest) == ["needs d/${entry.key}", "far d/${entry.key}", "after d/${entry.key}"])
  }

  @Test func `waits for an entry that has left the list`() throws {
    let manifest = try listManifest(text, ["tool": [entry("t")], template: [entry("b")]])
    #expect(manifest.targets.map(\.name.text) == ["tool", "d/b", "from", "steps", "rule", "other"])
    #expect(
      waiting(manifest) == ["needs d/${entry.key}", "far d/${entry.key}", "after d/${entry.key}"])
    #expect(manifest.templates.last?.state == .expanded(first: TargetID(1), entries: [entry("b")]))
  }

  @Test func `does not wait for what only had to come first and is not there; that is a warning`() throws {
    let targets = """
        d/${entry.key}: {list: {url: https://x.org/, format: atom}}
        after: {url: https://x.org/after, after: [d/x]}

      """
    let groups = "groups:\n  g: [d/b, d/y]\n  unit: {targets: [after], together: true}\n"
    let parse = parseLists(targets + groups, [template: [entry("b")]])
    let manifest = try #require(parse.manifest)
    #expect(manifest.targets.map(\.name.text) == ["d/b", "after"])
    #expect(manifest.waiting.isEmpty && manifest.targets[1].after.isEmpty)
    #expect(parse.diagnostics.map(\.severity) == [.warning, .warning])
    #expect(parse.diagnostics.map { $0.span.map { "\($0.line):\($0.column)" } } == ["4:45", "6:12"])
    #expect(
      parse.diagnostics.map(\.message) == [
        "the list of \"d/${entry.key}\" gives no target \"d/x\"",
        "the list of \"d/${entry.key}\" gives no target \"d/y\"",
      ])
    // As long as the list is not known, the target waits for it.
    #expect(waiting(try listManifest(targets + groups)) == ["after d/${entry.key}"])
    #expect(parseLists(targets + groups, [:]).diagnostics.isEmpty)
  }

  @Test func `waits for nothing if all entries are there`() throws {
    let manifest = try listManifest(text, ["tool": [entry("t")], template: [entry("a")]])
    #expect(manifest.targets.count == 9 && manifest.waiting.isEmpty)
    #expect(manifest.targets[2].needs == [TargetID(1)])
  }

  @Test func `keeps its tags, and groups know what they lack`() throws {
    let groups = "groups: {some: [d/a, other], outer: [some, needs]}\n"
    let manifest = try listManifest(
      text.replacing("needs: [d/a]}", with: "needs: [d/a], tags: [x]}") + groups)
    #expect(manifest.waiting.map(\.settings.tags) == [["x"], [], [], [], [], []])
    #expect(manifest.groups.map(\.awaited) == [[template], ["needs", template]])
    #expect(manifest.groups.map { $0.members.map { manifest[$0].name.text } } == [["other"], ["other"]])
    let whole = try listManifest(text + groups, ["tool": [entry("t")], template: [entry("a")]])
    #expect(whole.groups.map(\.awaited) == [[], []])
  }

  @Test func `has tags of its entries as they are written, if it is a template`() throws {
    let list = "  \(template):\n    list: {url: https://x.org/, format: atom}\n"
    let text = list + "    tags: [all, \"k-${entry.key}\", all]\n"
    #expect(try listManifest(text).templates.map(\.settings.tags) == [["all", "k-${entry.key}"]])
    #expect(try listManifest(text, [template: [entry("a")]]).targets.map(\.tags) == [["all", "k-a"]])
  }

  @Test func `may be a template itself`() throws {
    let manifest = try listManifest(
      """
        tool: {list: {url: https://x.org/, format: index}, output: t}
        d/${entry.key}: {list: {url: https://x.org/, format: atom}, needs: [tool]}
        x: {url: https://x.org/x, needs: [d/a]}

      """, [template: [entry("a")]])
    #expect(manifest.targets.isEmpty)
    #expect(manifest.templates.map(\.state) == [.unread, .waiting(for: "tool")])
    #expect(waiting(manifest) == ["x tool"])
  }

  @Test func `is not in its groups, and who is published with it waits, too`() throws {
    let groups = """
      groups:
        plain: [d/a, needs, other]
        unit: {targets: [inner, other], together: true}
        inner: [d/a]

      """
    let manifest = try listManifest(text + groups, ["tool": [entry("t")]])
    #expect(manifest.groups.map(\.members) == [[], [], []])
    #expect(
      waiting(manifest) == [
        "needs d/${entry.key}", "far d/${entry.key}", "after d/${entry.key}", "other d/${entry.key}",
      ])
    let all = try complete(groups)
    #expect(all.groups.map(\.members.count) == [3, 2, 1] && all.waiting.isEmpty)
  }

  private func complete(_ groups: String) throws -> Manifest {
    try listManifest(text + groups, ["tool": [entry("t")], template: [entry("a")]])
  }

  @Test func `knows the names of templates with variables`() throws {
    let text = """
        t-${os}: {list: {url: https://x.org/, format: index}, output: t}
        d-${os}/${entry.key}: {list: {url: https://x.org/, format: atom}}
        x: {url: https://x.org/x, needs: ["t-${os}"]}
        y: {url: https://x.org/y, needs: [d-linux/a]}

      """
    #expect(waiting(try listManifest(text)) == ["x t-${os}", "y d-${os}/${entry.key}"])
    let manifest = try listManifest(text, ["t-${os}": [entry("t")], "d-${os}/${entry.key}": [entry("a")]])
    #expect(manifest.targets.map(\.name.text) == ["t-linux", "d-linux/a", "x", "y"])
    #expect(parseLists(text + "  z: {url: https://x.org/z, needs: [t-x]}\n", [:]).diagnostics.count == 1)
  }

  @Test func `is unknown if no list could have it`() {
    let messages = parseLists("  x: {url: https://x.org/x, needs: [e/a, tool2]}\n" + text, [:]).diagnostics
      .map(
        \.message)
    #expect(messages == ["unknown target \"e/a\"", "unknown target \"tool2\""])
  }

  @Test func `waits exactly if it depends on something that is missing`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var text = ""
      var lists: [String: [ListEntry]] = [:]
      var known: [String] = []
      var present: Set<String> = []
      var normal: [String] = []
      for number in 0..<10 {
        let needs = known.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
        let isPossible = needs.allSatisfy(present.contains)
        let list = "needs: [\(needs.joined(separator: ", "))]"
        if Bool.random(using: &random) {
          let template = "t\(number)/${entry.key}"
          text +=
            "  \(template): {list: {url: https://x.org/, format: atom}, output: 'o\(number)/${entry.key}', \(list)}\n"
          known += ["t\(number)/a", "t\(number)/b"]
          switch Int.random(in: 0...3, using: &random) {
          case 0: break
          case 1: lists[template] = [entry("a"), entry("..")]
          case 2:
            lists[template] = [entry("a")]
            if isPossible { present.insert("t\(number)/a") }
          default:
            lists[template] = [entry("a"), entry("b")]
            if isPossible { present.formUnion(["t\(number)/a", "t\(number)/b"]) }
          }
        } else {
          text += "  n\(number): {url: https://x.org/n\(number), \(list)}\n"
          known.append("n\(number)")
          normal.append("n\(number)")
          if isPossible { present.insert("n\(number)") }
        }
      }
      let manifest = try listManifest(text, lists)
      #expect(Set(manifest.targets.map(\.name.text)) == present, "\(text)")
      #expect(manifest.waiting.map(\.name.text) == normal.filter { !present.contains($0) }, "\(text)")
      for (index, target) in manifest.targets.enumerated() {
        #expect(target.id.index == index && target.needs.allSatisfy { $0.index < index })
      }
    }
  }

  @Test func `never stops the parser, however the manifest ends`() throws {
    let whole = Array(try Corpus.text("good", "lists.yaml").utf8)
    for length in whole.indices {
      let text = String(decoding: whole[..<length], as: UTF8.self)
      var context = ManifestContext { Corpus.environment[$0] }
      context.lists = ListedEntries([
        "tool": [entry("t")], "docset/${entry.key}": [entry("com.apple.x"), entry("..")],
      ])
      let parse = ManifestParser.parse(Array(text.utf8), context: context)
      #expect((parse.manifest == nil) == !parse.diagnostics.isEmpty)
    }
  }
}
