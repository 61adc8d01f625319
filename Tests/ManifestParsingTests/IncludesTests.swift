import ManifestParsing
import SyncModel
import Testing

/// `include` (contract, section 11).
@Suite struct `Includes` {
  func parse(
    _ text: String, _ files: [String: String], fileName: String = "syncmake.yaml", key: ByteSum.Key? = nil,
    lists: ListedEntries = ListedEntries()
  ) -> ManifestParse {
    var context = ManifestContext(fileName: fileName) { Corpus.environment[$0] }
    context.outlineKey = key
    context.included = Included(files: files).reading
    context.lists = lists
    context.rowFiles = unsafe RowFileReading { path, body throws(FailureCause) in
      guard let text = files[path.text] else {
        throw .sourceUnreadable(path: path.text, .missing)
      }
      _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe body($0) }
    }
    return ManifestParser.parse(Array(text.utf8), context: context)
  }

  /// A manifest with these targets, one on each line.
  static func text(_ targets: String = "", include: String = "", more: String = "") -> String {
    let includes = include.isEmpty ? "" : "include: \(include)\n"
    let lines = targets.split(separator: "\n").map { "  \($0)\n" }.joined()
    return "version: 1\n\(includes)\(more)" + (lines.isEmpty ? "targets: {}\n" : "targets:\n\(lines)")
  }

  func text(_ targets: String = "", include: String = "", more: String = "") -> String {
    Self.text(targets, include: include, more: more)
  }

  func shown(_ parse: ManifestParse) -> [String] {
    parse.diagnostics.map { problem in
      let place = problem.span.map { "\($0.line):\($0.column)" } ?? ""
      return "\(problem.file):\(place): \(problem.message)" + (problem.hint.map { " (\($0))" } ?? "")
    }
  }

  /// The targets, or the problems.
  func summary(_ parse: ManifestParse) -> [String] {
    shown(parse)
      + (parse.manifest?.targets ?? []).map { target in
        let source =
          switch target.source {
          case .target(let id): parse.manifest?[id].name.text ?? ""
          default: target.source.mirrors?.first?.text ?? "?"
          }
        return "\(target.name) \(source) \(target.path)"
      }
  }

  func names(_ ids: [TargetID], _ manifest: Manifest) -> [String] {
    ids.map { manifest[$0].name.text }
  }

  static let rule = "an included manifest names its own targets and those that it includes"
  static let a = text("t: {url: https://x.org/t}")

  // MARK: Names and paths

  @Test func `have targets with the folder in their names and paths`() {
    let files = [
      "genes/syncmake.yaml": text("t: {url: s/local.txt}\nu: {from: t, output: out/u}"),
      "a/b/c.yaml": text("t: {url: https://x.org/t.gz, steps: [gunzip]}"),
      "more.yaml": text("t: {url: https://x.org/m}"),
    ]
    let root = text("own: {url: own.txt, output: o}", include: "[genes/syncmake.yaml, a/b/c.yaml, more.yaml]")
    #expect(
      summary(parse(root, files)) == [
        "genes/t genes/s/local.txt genes/local.txt", "genes/u genes/t genes/out/u",
        "a/b/t https://x.org/t.gz a/b/t", "more/t https://x.org/m m", "own own.txt o",
      ])
  }

  @Test func `have every path below their folder`() throws {
    let digest = "md5: {url: t.md5}"
    let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
    let child = text(
      """
      t: {url: [./u, "file:///abs"], output: t, steps: [verify: {\(digest)}, {verify: {minisign: {key: \(key)}}}]}
      s: {url: https://x.org/s, freshness: {sha256: {url: sums/s.sha256}}}
      r-${id}: {matrix: {rows: rows.tsv}, url: "https://x.org/${id}"}
      tree: {url: t.tar, steps: [unpack], output: tree/}
      l: {list: {url: list.json, format: json}, output: l}
      """)
    let parse = parse(
      text(include: "[g/syncmake.yaml]"), ["g/syncmake.yaml": child, "g/rows.tsv": "id\n1\n"])
    let manifest = try #require(parse.manifest, "\(shown(parse))")
    let targets = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name.text, $0) })
    #expect(targets["g/t"]?.localFiles == ["g/./u", "/abs", "g/t.md5", "g/./u.minisig", "/abs.minisig"])
    #expect(targets["g/s"]?.localFiles == ["g/sums/s.sha256"])
    #expect(targets["g/r-1"]?.path.text == "g/1")
    #expect(targets["g/tree"]?.path.text == "g/tree")
    #expect(manifest.rowFiles.map(\.path.text) == ["g/rows.tsv"])
    #expect(manifest.templates.map(\.list.template) == ["g/l"])
    #expect(manifest.templates.map(\.list.url.text) == ["g/list.json"])
  }

  @Test func `may have outputs beside their folder, and never outside the root`() {
    let files = [
      "a/b/syncmake.yaml": text(
        "in: {url: https://x.org/t, output: ../t}\nup: {url: https://x.org/u, output: ../../../u}")
    ]
    #expect(
      shown(parse(text(include: "[a/b/syncmake.yaml]"), files)) == [
        "a/b/syncmake.yaml:4:38: output \"../../../u\" is outside the root (an output must be inside the root)"
      ])
    #expect(
      summary(
        parse(text(include: "[a/syncmake.yaml]"), ["a/syncmake.yaml": text("in: {url: s/x, output: ../t}")]))
        == ["a/in a/s/x t"])
    // A URL's name alone never leads out of the folder.
    #expect(
      shown(
        parse(
          text(include: "[a/syncmake.yaml]"), ["a/syncmake.yaml": text("t: {url: 'https://x.org/..%2Ft'}")]))
        == ["a/syncmake.yaml:3:12: cannot derive the output's name from this URL (set \"output\")"])
  }

  @Test func `name their own targets by NAME and those that they include by FOLDER/NAME`() throws {
    let files = [
      "a/syncmake.yaml": text(
        """
        t: {url: https://x.org/t, needs: [u, a/b/t], after: [a/b/u]}
        u: {from: a/b/t, output: u, steps: [verify: {md5: {target: a/b/u, entry: x}}]}
        """, include: "[b/syncmake.yaml]", more: "groups: {g: [t, a/b/t, a/b/g]}\n"),
      "a/b/syncmake.yaml": text(
        "t: {url: https://x.org/bt}\nu: {url: https://x.org/bu, freshness: {md5: {target: t, entry: u}}}",
        more: "groups: {g: [u]}\n"),
    ]
    let parse = parse(
      text(
        "t: {url: https://x.org/t, needs: [a/t, a/b/t]}", include: "[a/syncmake.yaml]",
        more: "groups: {all: [t, a/g]}\n"), files)
    let manifest = try #require(parse.manifest, "\(shown(parse))")
    let all = manifest.targets
    #expect(all.map(\.name.text) == ["a/b/t", "a/b/u", "a/t", "a/u", "t"])
    #expect(all.map(\.id.index) == [0, 1, 2, 3, 4])
    #expect(names(all[2].needs, manifest) == ["a/u", "a/b/t"])
    #expect(names(all[2].after, manifest) == ["a/b/u"])
    #expect(names(all[4].needs, manifest) == ["a/t", "a/b/t"])
    #expect(all[3].source == .target(TargetID(0)))
    #expect(
      all[3].steps == [.verifyDigest(.md5, .entry(TargetID(1), name: ByteString("x")))])
    #expect(manifest.groups.map(\.name.text) == ["a/b/g", "a/g", "all"])
    #expect(names(manifest.groups[2].members, manifest) == ["t", "a/t", "a/b/t", "a/b/u"])
  }

  @Test func `name no target above or beside them`() {
    let files = [
      "a/syncmake.yaml": text(
        "t: {url: https://x.org/t, needs: [own, b/t, a/t, tt]}\ntt2: {url: https://x.org/2}"),
      "b/syncmake.yaml": text("t: {url: https://x.org/t, after: [a/t]}", more: "groups: {g: [own, a/t]}\n"),
    ]
    let root = text("own: {url: https://x.org/o}", include: "[a/syncmake.yaml, b/syncmake.yaml]")
    #expect(
      shown(parse(root, files)) == [
        "a/syncmake.yaml:3:37: unknown target \"own\" (\(Self.rule))",
        "a/syncmake.yaml:3:42: unknown target \"b/t\" (\(Self.rule))",
        "a/syncmake.yaml:3:47: unknown target \"a/t\" (did you mean \"t\"?)",
        "a/syncmake.yaml:3:52: unknown target \"tt\" (did you mean \"t\"?)",
        "b/syncmake.yaml:2:14: unknown target or group \"own\" (\(Self.rule))",
        "b/syncmake.yaml:2:19: unknown target or group \"a/t\" (\(Self.rule))",
        "b/syncmake.yaml:4:37: unknown target \"a/t\" (\(Self.rule))",
      ])
  }

  @Test func `do not see names below their own as their own`() {
    // a/b/t is of a file that `a` includes: its name is FOLDER/NAME, and not a path from `a`.
    let files = [
      "a/syncmake.yaml": text("t: {url: https://x.org/t, needs: [b/t]}", include: "[b/syncmake.yaml]"),
      "a/b/syncmake.yaml": Self.a,
    ]
    #expect(
      shown(parse(text(include: "[a/syncmake.yaml]"), files)) == [
        "a/syncmake.yaml:4:37: unknown target \"b/t\" (did you mean \"a/b/t\"?)"
      ])
  }

  @Test func `have variables, defaults and groups of their own`() throws {
    let files = [
      "a/syncmake.yaml": text(
        "t: {url: '${base}/t'}", more: "vars: {base: https://a.org}\ndefaults: {freshness: once, tags: [x]}\n"
      ),
      "b/syncmake.yaml": text("t: {url: '${base}/t'}"),
    ]
    let root = text(
      "t: {url: '${base}/t'}", include: "[a/syncmake.yaml]",
      more: "vars: {base: https://r.org}\ndefaults: {freshness: mtime}\n")
    let manifest = try #require(parse(root, files).manifest)
    #expect(
      manifest.targets.map { $0.source.mirrors?.first?.text } == ["https://a.org/t", "https://r.org/t"])
    #expect(manifest.targets.map(\.freshness) == [.once, .mtime])
    #expect(manifest.targets.map(\.tags) == [["x"], []])
    #expect(
      shown(parse(text(include: "[a/syncmake.yaml, b/syncmake.yaml]"), files)) == [
        "b/syncmake.yaml:3:13: undefined variable \"base\" (define it under \"vars\", or write ${env:base} for an environment variable)"
      ])
  }

  @Test func `may have a matrix, and defaults that it changes`() throws {
    let files = [
      "a/syncmake.yaml": text(
        "t${n}: {matrix: {n: [1..2]}, url: 'https://x.org/${n}'}",
        more: "defaults: {description: 'no ${n}'}\n")
    ]
    let root = text("t${n}: {matrix: {n: [3]}, url: 'https://x.org/${n}'}", include: "[a/syncmake.yaml]")
    let manifest = try #require(parse(root, files).manifest)
    #expect(manifest.targets.map(\.name.text) == ["a/t1", "a/t2", "t3"])
    #expect(manifest.targets.map(\.summary) == ["no 1", "no 2", nil])
  }

  @Test func `have targets at places in their own files`() throws {
    let files = ["a/x.yaml": Self.a, "b.yaml": "\n" + text("t: {url: https://x.org/u}")]
    let manifest = try #require(
      parse(text("o: {url: s/o}", include: "[a/x.yaml, b.yaml]"), files, fileName: "sub/m.yaml").manifest)
    #expect(
      manifest.targets.map { manifest.fileName(at: $0.span) } == ["sub/a/x.yaml", "sub/b.yaml", "sub/m.yaml"])
    #expect(manifest.targets.map(\.span.line) == [3, 4, 4])
  }

  // MARK: Lists

  @Test func `have lists whose templates are named in full`() throws {
    let files = [
      "a/syncmake.yaml": text(
        "d/${entry.key}: {list: {url: 'https://x.org/l', format: json}, output: 'o/${entry.key}'}\nu: {url: s/x, needs: [d/k]}"
      )
    ]
    let root = text("own: {url: own.txt, output: o, needs: [a/d/k, a/u]}", include: "[a/syncmake.yaml]")
    let unread = try #require(parse(root, files).manifest)
    #expect(unread.templates.map(\.list.template) == ["a/d/${entry.key}"])
    #expect(unread.targets.isEmpty)
    #expect(unread.waiting.map(\.name.text).sorted() == ["a/u", "own"])
    var lists = ListedEntries()
    lists.byTemplate["a/d/${entry.key}"] = [ListEntry(key: "k", name: "k", url: "https://x.org/k")]
    let parse = parse(root, files, lists: lists)
    #expect(summary(parse) == ["a/d/k https://x.org/k a/o/k", "a/u a/s/x a/x", "own own.txt o"])
  }

  @Test func `may be published together with others, and circles through such a group are found`() throws {
    let files = ["a/syncmake.yaml": text("t: {url: https://x.org/t}\nu: {url: https://x.org/u, needs: [t]}")]
    let sound = text(
      "o: {url: o.txt, output: o}", include: "[a/syncmake.yaml]",
      more: "groups: {g: {targets: [a/t, o], together: true}}\n")
    #expect(try #require(parse(sound, files).manifest).groups[0].isTogether)
    let circle = sound.replacing("output: o}", with: "output: o, needs: [a/u]}")
    #expect(
      shown(parse(circle, files)).first?.hasPrefix(
        "a/syncmake.yaml:4:37: targets in a cycle: a/u -> g -> o -> a/u") == true,
      "\(shown(parse(circle, files)))")
  }

  // MARK: Problems

  @Test func `have problems that name their file, with its lines`() {
    let files = [
      "a/syncmake.yaml": text("t: {url: 'ftp://x.org'}\nu: {urls: x}"), "b.yaml": "version: 1\ntargets: [\n",
      "c.yaml": "version: 2\ntargets: {}\nhosts: {x.org: {connections: 2}}\n",
      "d.yaml": "targets: {}\n<<<<<<< HEAD\n",
    ]
    let parse = parse(text("o: {}", include: "[a/syncmake.yaml, b.yaml, c.yaml]"), files)
    #expect(
      shown(parse) == [
        "syncmake.yaml:4:3: target \"o\" has none of \"url\", \"from\" and \"list\" (one of them must name the source)",
        "a/syncmake.yaml:3:12: unknown URL scheme \"ftp\" (use https, http, file, or a path relative to the manifest's folder)",
        "a/syncmake.yaml:4:7: unknown key \"urls\" in target \"u\" (did you mean \"url\"?)",
        "b.yaml:2:10: did not find expected ',' or ']' while parsing a flow sequence (write a ] that closes the [ of line 2, or a comma between two values)",
        "c.yaml:1:10: unknown version \"2\" (this syncmake reads version 1)",
        "c.yaml:3:1: \"hosts\" is not allowed in an included manifest (the limits are those of a whole run: move them to syncmake.yaml)",
      ])
    #expect(
      parse.diagnostics.map(\.sourceLine).dropFirst() == [
        "  t: {url: 'ftp://x.org'}", "  u: {urls: x}", "targets: [", "version: 2",
        "hosts: {x.org: {connections: 2}}",
      ])
    #expect(
      shown(self.parse(text("o: {}", include: "[d.yaml]"), files)) == [
        "d.yaml:2:1: this is a merge conflict marker (keep what is right of both sides, and take the marks out)"
      ])
    let marks = self.parse(
      text("o: {}", include: "[d.yaml, e.yaml]"),
      ["d.yaml": "targets: {}\n=======\n=======\n", "e.yaml": "targets: {}\n>>>>>>> x\n"])
    #expect(marks.diagnostics.map { $0.hint == nil } == [false, true, true])
  }

  @Test func `have problems with both places if two files are concerned`() {
    let files = [
      "a/syncmake.yaml": text("b/t: {url: s/x, output: same}\nt: {url: s/y, output: ../o/p}"),
      "a/b/syncmake.yaml": text("t: {url: s/x, output: ../same}", more: "groups: {g: [t]}\n"),
    ]
    let root = text(
      "o: {url: s/z, output: o}\na/b/g: {url: s/w}", include: "[a/b/syncmake.yaml, a/syncmake.yaml]",
      more: "groups: {a/t: [o]}\n")
    #expect(
      shown(parse(root, files)) == [
        "syncmake.yaml:3:10: \"a/t\" names a target and a group (the target is at a/syncmake.yaml:4:3)",
        "syncmake.yaml:5:25: output \"o\" is a folder of the output \"o/p\" (that is the output of target \"a/t\" at a/syncmake.yaml:4:25)",
        "syncmake.yaml:6:3: \"a/b/g\" names a target and a group (the group is at a/b/syncmake.yaml:2:10)",
        "a/syncmake.yaml:3:3: duplicate target name \"a/b/t\" (already defined at a/b/syncmake.yaml:4:3)",
        "a/syncmake.yaml:3:27: duplicate output \"a/same\" (target \"a/b/t\" at a/b/syncmake.yaml:4:25 has the same output: write another \"output\")",
      ])
  }

  @Test func `take their own places, which no output may have`() {
    let files = [
      "a/syncmake.yaml": text(
        "t: {url: s/x, output: b/syncmake.yaml}\nu: {url: s/y, output: rows.tsv}",
        include: "[b/syncmake.yaml]"),
      "a/b/syncmake.yaml": text("t: {url: s/x, output: syncmake.lock}"), "a/rows.tsv": "id\n1\n",
    ]
    let root = text(
      "r-${id}: {matrix: {rows: a/rows.tsv}, url: 'https://x.org/${id}'}\no: {url: s/z, output: A/syncmake.yaml/z}",
      include: "[a/syncmake.yaml]")
    #expect(
      shown(parse(root, files)) == [
        "syncmake.yaml:5:25: output \"A/syncmake.yaml/z\" conflicts with \"a/syncmake.yaml\", which syncmake itself uses",
        "a/syncmake.yaml:4:25: output \"a/b/syncmake.yaml\" conflicts with \"a/b/syncmake.yaml\", which syncmake itself uses",
        "a/syncmake.yaml:5:25: output \"a/rows.tsv\" is where \"a/rows.tsv\" is, whose rows are targets",
      ])
  }

  @Test func `are no outputs of others, if a pattern finds them later`() {
    let files = ["a/syncmake.yaml": text("t: {url: s/x, output: b/more.yaml}", include: "['*/*.yaml']")]
    let root = text(
      """
      o: {url: s/z, output: p/q/x.yaml}
      x.yaml: {url: 'https://x.org/x.yaml'}
      near: {url: s/y, output: p/x.yml}
      deep: {url: s/v, output: p/q/r/x.yaml}
      folder: {url: s/f.zip, output: p/d.yaml/, steps: [unpack]}
      """, include: "[a/syncmake.yaml, 'p/*.yaml', 'p/*/x.yaml', '?.yaml']")
    #expect(
      parse(root, files).diagnostics.map { "\($0.file):\($0.span?.line ?? 0): \($0.message)" } == [
        "syncmake.yaml:4: output \"p/q/x.yaml\" is where \"p/*/x.yaml\" of \"include\" finds manifests",
        "syncmake.yaml:5: output \"x.yaml\" is where \"?.yaml\" of \"include\" finds manifests",
        "a/syncmake.yaml:4: output \"a/b/more.yaml\" is where \"a/*/*.yaml\" of \"include\" finds manifests",
      ])
  }

  @Test func `have rows whose problems name the row's file`() {
    let files = [
      "a/syncmake.yaml": text("r-${id}: {matrix: {rows: rows.tsv}, url: 'https://x.org/${id}'}"),
      "a/rows.tsv": "id\na b\n",
    ]
    #expect(
      shown(parse(text(include: "[a/syncmake.yaml]"), files, fileName: "s/m.yaml")) == [
        "s/a/rows.tsv:2:1: \"r-a b\" cannot be a name (a name starts with an ASCII letter, a digit or _, and continues with ASCII letters, digits, _, ., +, / and -; see s/a/syncmake.yaml:3:3)"
      ])
  }

  @Test func `mask the secrets of all files`() {
    let files = [
      "a/syncmake.yaml": text("t: {url: s/x, headers: {X: '${secret:TOKEN}'}}"),
      "b/syncmake.yaml": text("t: {url: s/x, freshness: hunter2}"),
    ]
    let parse = parse(text(include: "[a/syncmake.yaml, b/syncmake.yaml]"), files)
    #expect(parse.diagnostics.map(\.message) == ["unknown freshness rule \"***\""])
    #expect(parse.diagnostics.map(\.sourceLine) == ["  t: {url: s/x, freshness: ***}"])
    #expect(parse.diagnostics.map(\.file) == ["b/syncmake.yaml"])
  }

  @Test func `share the limits of a manifest`() {
    let bomb = "vars:\n  v0: \(String(repeating: "x", count: 1 << 19))\n"
    let targets = (0..<400).map { "t\($0): {url: 'https://x.org/\($0)', description: '${v0}${v0}'}" }
    let child = text(targets.joined(separator: "\n"), more: bomb)
    let files = ["a/syncmake.yaml": child, "b/syncmake.yaml": child, "c/syncmake.yaml": child]
    #expect(parse(text(include: "[a/syncmake.yaml]"), files).diagnostics.isEmpty == false)
    let small = text(targets[..<120].joined(separator: "\n"), more: bomb)
    let three = files.mapValues { _ in small }
    #expect(parse(text(include: "[a/syncmake.yaml]"), three).diagnostics.isEmpty)
    let parse = parse(text(include: "['*/syncmake.yaml']"), three)
    #expect(
      Set(parse.diagnostics.map(\.message)) == [
        "the manifest is longer than 256 MiB after variables are expanded"
      ])
    #expect(Set(parse.diagnostics.map(\.file)) == ["c/syncmake.yaml"])
  }

  // MARK: Premises and other readings

  @Test func `are known with their sums and patterns, and the manifest has no outline`() throws {
    let key = ByteSum.Key(words: (3, 4))
    var files = ["p/a/syncmake.yaml": Self.a, "p/b/syncmake.yaml": text()]
    func manifest() throws -> Manifest {
      let parse = parse(text("o: {url: s/x}", include: "['p/*/syncmake.yaml']"), files, key: key)
      #expect(parse.outline == nil)
      return try #require(parse.manifest)
    }
    let first = try manifest()
    #expect(first.included.map(\.path.text) == ["p/a/syncmake.yaml", "p/b/syncmake.yaml"])
    #expect(first.includePatterns.map(\.text) == ["p/*/syncmake.yaml"])
    let sum = unsafe Array(Self.a.utf8).withUnsafeBytes { unsafe ByteSum.of($0, key) }
    #expect(first.included[0].sum == sum)
    files["p/b/syncmake.yaml"] = text() + "\n"
    let second = try manifest()
    #expect(second.included[0] == first.included[0])
    #expect(second.included[1] != first.included[1])
    #expect(second.includePatterns == first.includePatterns)
    files["p/c/syncmake.yaml"] = text()
    #expect(try manifest().includePatterns != first.includePatterns)
  }

  @Test func `give completions their names`() {
    let files = ["a/syncmake.yaml": text("t: {url: s/x, description: 'of a'}", more: "groups: {g: [t]}\n")]
    var context = ManifestContext { _ in nil }
    context.included = Included(files: files).reading
    let root = text(
      "o: {url: s/x, description: own}", include: "[a/syncmake.yaml, none.yaml]", more: "groups: {h: [a/g]}\n"
    )
    let names = ManifestParser.names(Array(root.utf8), context: context)
    #expect(names.targets == ["a/t", "o"])
    #expect(names.groups == ["a/g", "h"])
    #expect(names.descriptions == ["a/t": "of a", "o": "own"])
  }

  @Test func `stay as they are when a target is added to the manifest`() throws {
    var context = ManifestContext { _ in nil }
    context.included =
      Included(files: ["a/syncmake.yaml": text("t: {url: s/x}", more: "groups: {g: [t]}\n")]).reading
    let root = text("o: {url: s/y}", include: "[a/syncmake.yaml]")
    let editor = try ManifestEditor(Array(root.utf8), context: context)
    let edit = try editor.adding(TargetAddition(name: "new", url: "s/z"))
    #expect(String(decoding: edit.bytes, as: UTF8.self) == root + "  new:\n    url: s/z\n")
    #expect(edit.manifest.targets.map(\.name.text) == ["a/t", "o", "new"])
    for name in ["a/t", "a/g"] {
      do throws(ManifestEditFault) {
        _ = try editor.adding(TargetAddition(name: name, url: "z"))
        Issue.record("added \(name)")
      } catch {
        guard case .nameTaken(let span) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(editor.manifest.fileName(at: span) == "a/syncmake.yaml")
      }
    }
  }
}
