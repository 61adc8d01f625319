import ManifestParsing
import SyncModel
import Testing

/// Adds `addition` to `text`, in the environment of the corpus.
private func add(_ addition: TargetAddition, to text: String) throws(ManifestEditFault) -> ManifestEdit {
  try editor(text).adding(addition)
}

private func editor(_ text: String) throws(ManifestEditFault) -> ManifestEditor {
  try ManifestEditor(Array(text.utf8), context: ManifestContext { Corpus.environment[$0] })
}

private func addition(_ name: String = "new", _ url: String = "x/new") -> TargetAddition {
  TargetAddition(name: name, url: url)
}

@Suite struct `A target added to a manifest` {
  @Test(arguments: InsertionTable.rows)
  func `is added after the last one, and nothing else changes`(row: InsertionTable.Row) throws {
    var addition = addition()
    addition.steps = ["gunzip"]
    let edit = try add(addition, to: row.before)
    #expect(String(decoding: edit.bytes, as: UTF8.self) == row.after)
    #expect(Array(row.after.utf8) == edit.bytes)
    #expect(edit.target?.name.text == "new")
    #expect(edit.target?.steps == [.gunzip])
    #expect(edit.text.hasSuffix("- gunzip\n"))
  }

  @Test(
    arguments: [
      ("Authorization", "Bearer ghp_x", true), ("Authorization", "Basic dXNlcg==", true),
      ("authorization", "Bearer ${secret:T}", false), ("Authorization", "Bearer ${env:T}", false),
      ("Authorization", "Bearer $${abc}secret", true), ("Authorization", "Bearer ghp_x${suffix}", true),
      ("Authorization", "Bearer ${env:T:-zzz}", true), ("Authorization", "Bearer ${env:T:-${env:U}}", false),
      ("Cookie", "id=${secret:T}; theme=dark", false), ("Cookie", "id=${env:T}", false),
      ("Cookie", "id=1", true), ("X-Api-Key", "1", true), ("X-Api-Key", "", false),
      ("X-Cache-Key", "abc", false), ("X-Monkey", "abc", false),
    ])
  func `knows its headers with a secret that is written out`(name: String, value: String, isWritten: Bool) {
    var addition = addition()
    addition.headers = [(name, value)]
    #expect(addition.writtenSecrets.count == (isWritten ? 1 : 0))
  }

  /// A manifest is edited and keeps its other bytes, or it is refused, whatever its form is.
  @Test(arguments: try Corpus.names("good"))
  func `keeps every other byte of every good manifest`(name: String) throws {
    let before = Array(try Corpus.text("good", name + ".yaml").utf8)
    var context = ManifestContext { Corpus.environment[$0] }
    context.included = Included.reading
    let edit: ManifestEdit
    do throws(ManifestEditFault) {
      edit = try ManifestEditor(before, context: context).adding(addition("zz-new", "zz/zz-new"))
    } catch {
      switch error {
      case .unusualForm(_, _, let text): #expect(text.contains("zz-new:"))
      // Defaults with a matrix's keys are invalid for targets without the matrix.
      case .invalid(let problems): #expect(problems.allSatisfy { $0.message.hasPrefix("undefined variable") })
      default: Issue.record("\(error)")
      }
      return
    }
    let old = try #require(ManifestParser.parse(before, context: context).manifest)
    #expect(edit.manifest.targets.count == old.targets.count + 1)
    for target in old.targets {
      let after = try #require(edit.manifest.targets.first { $0.name == target.name })
      #expect(after.output.path == target.output.path)
      #expect(after.steps.count == target.steps.count)
    }
    // Only the braces of an empty mapping were removed.
    let rest = edit.bytes.filter { !"{} ".utf8.contains($0) }
    var index = rest.startIndex
    for byte in before.filter({ !"{} ".utf8.contains($0) }) {
      index = try #require(rest[index...].firstIndex(of: byte)) + 1
    }
  }

  @Test func `a form that cannot be edited is named, with the lines to write`() throws {
    let texts: [(String, TargetsForm, Int)] = [
      ("version: 1\ntargets: {a: {url: x/a}}\n", .braces, 2),
      ("{\"version\": 1, \"targets\": {}}", .braces, 1),
      ("version: 1\ntargets: {\n}\n", .braces, 2),
      ("version: 1\ntargets:\n  {a: {url: x/a}}\n", .braces, 2),
      ("version: 1\n? targets\n: {a: {url: x/a}}\n", .braces, 2),
      ("version: 1\ndefaults: &d {}\ntargets: *d\n", .alias, 3),
    ]
    for (text, form, line) in texts {
      do throws(ManifestEditFault) {
        _ = try add(addition(), to: text)
        Issue.record("edited: \(text)")
      } catch {
        guard case .unusualForm(form, line, let shown) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(shown == (form == .braces ? "new: {url: x/new}\n" : "  new:\n    url: x/new\n"))
      }
    }
  }

  @Test func `the entry for braces is the same target`() throws {
    var addition = addition("a, b".replacing(", ", with: "_"), "https://x.org/a,b?c=[1]&d={e}")
    addition.mirrors = ["${m}/a"]
    addition.output = "o, {p}/q: r"
    addition.freshness = "{interval: 1d, then: always}"
    addition.steps = ["gunzip", "verify: {size: 5}"]
    addition.needs = ["n"]
    addition.tags = ["x, y", "z"]
    addition.headers = [("Accept", "a, b"), ("X-Key", "${m}")]
    addition.auth = "{bearer: \"t\"}"
    addition.others = ["max_size: 5B"]
    let start = "version: 1\nvars: {m: 'https://m.org'}\ntargets:"
    let block = ManifestParser.parse(
      Array("\(start)\n  n: {url: x/n}\n\(addition.text.joined(separator: "\n"))\n".utf8),
      context: ManifestContext { _ in nil })
    let braces = ManifestParser.parse(
      Array("\(start) {n: {url: x/n}, \(addition.inBraces)}\n".utf8), context: ManifestContext { _ in nil })
    #expect(block.diagnostics.isEmpty && braces.diagnostics.isEmpty, "\(addition.inBraces)")
    let targets = try [block, braces].map { try #require($0.manifest?.targets.last) }
    #expect(targets[0].name == targets[1].name && targets[0].output == targets[1].output)
    #expect(targets[0].source == targets[1].source)
    let settings = targets.map { "\($0.steps) \($0.headers) \($0.tags) \(String(describing: $0.freshness))" }
    #expect(settings[0] == settings[1])
  }

  @Test func `a very long name is a key, too`() throws {
    let name = String(repeating: "n", count: 3_000)
    let edit = try add(addition(name), to: "version: 1\ntargets:\n  a: {url: x/a}\n")
    #expect(edit.target?.name.text == name)
  }

  @Test func `a target can need one that waits for a value, and waits with it`() throws {
    let text = """
      version: 1
      vars:
        stamp: {target: latest, line: 1}
      targets:
        latest: {url: https://h/latest}
        dump:
          url: https://h/${stamp}/dump

      """
    var new = addition()
    new.needs = ["dump"]
    let edit = try add(new, to: text)
    #expect(edit.target?.name.text == "new")
    #expect(edit.bytes.starts(with: Array(text.utf8)))
    #expect(edit.text.contains("needs: [dump]"))
    #expect(edit.manifest.waiting.map(\.name.text) == ["dump", "new"])
    let other = try add(addition("other", "https://h/${stamp}/other"), to: text)
    #expect(other.target == nil)
    #expect(other.manifest.waiting.map(\.name.text) == ["dump", "other"])
    #expect {
      _ = try add(addition("dump"), to: text)
    } throws: { error in
      guard case ManifestEditFault.nameTaken(let span) = error else { return false }
      return span.line == 6
    }
  }

  @Test func `a name that is already in use is reported with its line`() throws {
    let text = "version: 1\ntargets:\n  a: {url: x/a}\ngroups:\n  g: [a]\n"
    for (name, line) in [("a", 3), ("g", 5)] {
      do throws(ManifestEditFault) {
        _ = try add(addition(name), to: text)
        Issue.record("added \(name)")
      } catch {
        guard case .nameTaken(let span) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(span.line == line)
      }
    }
  }

  @Test(arguments: [
    ("x/a", "duplicate output \"a\""),
    ("https://u:p4ss@h.example/b", "a URL cannot contain a user's name or a password"),
    ("ftp://h/b", "unknown URL scheme \"ftp\""), ("${nope}/b", "undefined variable \"nope\""),
  ])
  func `whatever the parser refuses is refused with the parser's message`(url: String, message: String) throws
  {
    do throws(ManifestEditFault) {
      _ = try add(addition("new", url), to: "version: 1\ntargets:\n  a: {url: x/a}\n")
      Issue.record("added \(url)")
    } catch {
      guard case .invalid(let problems) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(problems.map(\.message) == [message])
    }
  }

  @Test(arguments: [
    "", "version: 2\n", "version: 1\ntargets: [a]\n", "version: 1\ntargets: ~\n", "- a\n", "{version: 1}",
  ])
  func `a manifest with errors is not touched`(text: String) {
    #expect(throws: ManifestEditFault.self) { try add(addition(), to: text) }
  }

  @Test func `every key is written so that the parser reads the intended value`() throws {
    var addition = addition("1.5", "https://h.example/a b\u{e9}.txt")
    addition.url = "https://h.example/a%20b?x=1&y=#z"
    addition.output = "data/no: #1, \"quoted\".txt"
    addition.freshness = "{interval: 12h, then: mtime}"
    addition.steps = ["verify: {size: 5}", "gunzip"]
    addition.needs = ["a", "null"]
    addition.tags = ["x, y", "true", "z"]
    addition.headers = [("X-Token", "${secret:TOKEN}"), ("X-Colon", "a: b"), ("X-Empty", "")]
    let text = "version: 1\ntargets:\n  a: {url: x/a}\n  \"null\": {url: x/null}\n"
    let context = ManifestContext { ["TOKEN": "hunter2"][$0] }
    let edit = try ManifestEditor(Array(text.utf8), context: context).adding(addition)
    #expect(edit.target?.output.path.text == "data/no: #1, \"quoted\".txt")
    #expect(edit.target?.freshness == .interval(period: .seconds(43_200), then: .mtime))
    #expect(edit.target?.steps == [.verifySize(5), .gunzip])
    #expect(edit.target?.needs.map(\.index) == [0, 1])
    #expect(edit.target?.tags == ["x, y", "true", "z"])
    #expect(edit.target?.headers.map(\.value) == ["hunter2", "a: b", ""])
    #expect(!String(decoding: edit.bytes, as: UTF8.self).contains("hunter2"))
  }

  @Test(arguments: [
    ("https://h.example/pub/x", "${mirror}/x"), ("https://h.example/pub/sub/x", "${deep}/x"),
    ("https://h.example/public", "https://h.example/public"), ("https://h.example/pub", "${mirror}"),
    ("https://h.example/slash/x", "${slash}x"), ("https://h.example/hush/x", "https://h.example/hush/x"),
    ("${mirror}/x", "${mirror}/x"), ("word/x", "word/x"),
  ])
  func `the longest matching variable replaces the beginning of the URL`(url: String, expected: String) throws
  {
    let text = """
      version: 1
      vars:
        mirror: https://h.example/pub
        deep: ${mirror}/sub
        slash: https://h.example/slash/
        hidden: https://h.example/${secret:HUSH}
        word: word
      targets: {}
      """
    let context = ManifestContext { ["HUSH": "hush"][$0] }
    #expect(try ManifestEditor(Array(text.utf8), context: context).shortened(url) == expected)
  }

  @Test(
    arguments: [
      ("https://h/a/genes.tsv.gz", nil, "genes.tsv.gz"),
      ("https://h/a/genes.tsv.gz?x=/y#z", .gzip, "genes.tsv"),
      ("https://h/a%20b(1).txt", nil, "a-b-1-.txt"), ("https://h/.hidden", nil, "hidden"),
      ("data/x.csv", nil, "x.csv"),
      ("${mirror}/x.csv", nil, "x.csv"), ("https://h/${name}", nil, nil), ("https://h/a/", nil, nil),
      ("https://h/%2F", nil, nil), ("https://h/---", nil, nil),
      ("https://h/x.txt.xz", .xz, "x.txt"), ("https://h/x.txt.bz2", .bzip2, "x.txt"),
      ("https://h/x.txt.xz", .gzip, "x.txt.xz"),
    ] as [(String, Compression?, String?)])
  func `a target is named after its URL`(url: String, unpacked: Compression?, name: String?) {
    #expect(TargetNaming.name(for: url, unpacked: unpacked) == name)
  }

  @Test func `URLs and headers of a command line are read by the manifest's rules`() throws {
    let parse = AskedURLs.read(
      ["https://h.example/1", "1", "${env:HOST}/x"], headers: [("X-A", "${secret:TOKEN}")]
    ) { ["HOST": "https://h.example", "TOKEN": "hunter2"][$0] }
    let manifest = try #require(parse.manifest)
    #expect(
      manifest.targets.map { if case .urls(let urls) = $0.source { urls[0].text } else { "" } }
        == ["https://h.example/1", "1", "https://h.example/x"])
    #expect(manifest.targets.allSatisfy { $0.headers.map(\.value) == ["hunter2"] })
    #expect(manifest.secrets.mask("hunter2") == "***")
    let bad = AskedURLs.read(["https://u:p4ss@h/"], headers: [("Range", "x")]) { _ in nil }
    #expect(bad.diagnostics.map(\.message).contains("a URL cannot contain a user's name or a password"))
    #expect(bad.diagnostics.map(\.message).contains("syncmake sets the header \"Range\" itself"))
  }
}
