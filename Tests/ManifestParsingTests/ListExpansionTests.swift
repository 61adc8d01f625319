import ManifestParsing
import SyncModel
import Testing

/// The state of ``template``, of which each entry makes a target with these keys.
private func state(_ keys: String, _ entries: [ListEntry], list: String = "") throws -> ListTemplate.State {
  let text = "  \(template):\n    list: {url: https://x.org/, format: atom\(list)}\n\(keys)"
  return try #require(try listManifest(text, [template: entries]).templates.first).state
}

@Suite struct `A list in a manifest` {
  @Test func `has a declaration`() throws {
    let manifest = try listManifest(
      """
        z/${entry.key}:
          list:
            url: ${env:MIRROR}/r
            format: json
            entries: /files
            fields: {key: /key, licence: /m/l}
            include: ["*.gz", "!b"]
            exclude: [c]
            match: "${os}-${v}?.gz"
            newest: 3
            order: updated
            prerelease: true
            gone: remove
            tree: true

      """)
    var rules = ListRules()
    rules.include = [try PathPattern("*.gz"), try PathPattern("!b")]
    rules.exclude = [try PathPattern("c")]
    rules.match = "linux-${v}?.gz"
    rules.newest = 3
    rules.order = .updated
    rules.prerelease = true
    rules.gone = .remove
    rules.tree = true
    let list = ListDeclaration(
      template: "z/${entry.key}", span: SourceSpan(line: 3, column: 3, endColumn: 17),
      url: .web("https://mirror.example.org/r"), format: .json,
      fields: ListFields(entries: JSONPointer("/files"), columns: [("key", "/key"), ("licence", "/m/l")]),
      rules: rules)
    #expect(manifest.templates == [ListTemplate(list, .unread)])
    #expect(manifest.targets.isEmpty && manifest.waiting.isEmpty)
  }

  @Test func `has the defaults of the contract`() throws {
    let list = try #require(try listManifest("  a: {list: {url: x, format: csv}}\n").templates.first).list
    #expect(list.rules == ListRules() && list.fields == ListFields())
    #expect(list.url == .file(path: "x", written: "x"))
  }

  @Test(arguments: [
    ("repo: a/b", "https://api.github.com/repos/a/b/releases?per_page=100"),
    ("repo: a/b, url: https://git.x.org/api/v3/", "https://git.x.org/api/v3/repos/a/b/releases?per_page=100"),
    ("url: http://127.0.0.1:8000/repos/a/b/releases", "http://127.0.0.1:8000/repos/a/b/releases"),
  ])
  func `of a repository has GitHub's URL`(keys: String, url: String) throws {
    let manifest = try listManifest("  a: {list: {format: github, \(keys)}}\n")
    #expect(manifest.templates.first?.list.url == .web(url))
  }

  @Test func `gives the manifest no outline`() throws {
    #expect(parseLists("  a: {list: {url: x, format: csv}}\n", [:]).outline == nil)
    #expect(parseLists("  a:\n    url: https://x.org/x\n", [:]).outline != nil)
  }
}

@Suite struct `A template` {
  @Test func `makes a target of each entry`() throws {
    let entries = [
      entry("com.a b", url: "https://x.org/f/a.tar.gz"), entry("c", version: "2"),
    ]
    let manifest = try listManifest(
      """
        first: {url: https://x.org/first}
        d/${entry.key}:
          list: {url: https://x.org/, format: atom}
          output: docs/${entry.key}/
          steps: [verify: {md5: {url: "${entry.url}.md5"}}, unpack]
          needs: [first]
          description: ${entry.title}${env:EMPTY}
          tags: [t]
        last: {url: https://x.org/last, needs: [d/com.a_b]}

      """.replacing("${entry.title}", with: "${entry.name}"), [template: entries])
    #expect(manifest.targets.map(\.name.text) == ["first", "d/com.a_b", "d/c", "last"])
    #expect(manifest.targets.map(\.id) == (0..<4).map { TargetID($0) })
    #expect(manifest.targets.map(\.output.text) == ["first", "docs/com.a b/", "docs/c/", "last"])
    #expect(manifest.targets[1].source.mirrors == [.web("https://x.org/f/a.tar.gz")])
    #expect(manifest.targets[1].needs == [TargetID(0)] && manifest.targets[3].needs == [TargetID(1)])
    #expect(manifest.targets.map(\.summary) == [nil, "com.a b", "c", nil])
    let sidecar = Sidecar(.web("https://x.org/c.md5"))
    #expect(manifest.targets[2].steps.first == .verifyDigest(.md5, .sidecar(sidecar)))
    #expect(manifest.targets[2].span.line == 4)
    #expect(manifest.templates.first?.state == .expanded(first: TargetID(1), entries: entries))
    #expect(manifest.waiting.isEmpty)
  }

  @Test func `gives all its targets one object for settings that no entry changes`() throws {
    let manifest = try listManifest(
      "  d/${entry.key}: {list: {url: https://x.org/, format: atom}, retries: 1}\n",
      [template: [entry("a"), entry("b")]])
    #expect(manifest.targets.map(\.retries) == [1, 1])
    #expect(manifest.targets[0].settings.storage === manifest.targets[1].settings.storage)
  }

  @Test func `takes the values of an entry as plain text`() throws {
    let evil = "${env:TOKEN}$$${os}${entry.url}"
    var entry = entry("a")
    entry.title = evil
    let manifest = try listManifest(
      "  d/${entry.key}: {list: {url: https://x.org/, format: atom}, description: '${entry.title}'}\n",
      [template: [entry]])
    #expect(manifest.targets[0].summary == evil)
  }

  @Test func `has every field of an entry`() throws {
    var one = entry("k", name: "n", url: "https://x.org/u", version: "1")
    one.updated = Timestamp(seconds: 0)
    one.size = 5
    one.title = "t"
    one.digests = [ListedDigest(.md5, HexDigest(hex: String(repeating: "a", count: 32))!)]
    one.others = [ListEntry.Field(name: "docset:identifier", value: "i")]
    func summary(_ fields: [String], _ format: String) throws -> String? {
      let text = fields.map { "${entry.\($0)}" }.joined(separator: " ")
      return try listManifest(
        "  d/${entry.key}: {list: {url: https://x.org/, format: \(format)}, description: '\(text)'}\n",
        [template: [one]]
      ).targets[0].summary
    }
    let all = "k n https://x.org/u 1 1970-01-01T00:00:00Z 5 t"
    #expect(
      try summary(["key", "name", "url", "version", "updated", "size", "title", "docset:identifier"], "atom")
        == "\(all) i")
    #expect(
      try summary(["key", "name", "url", "version", "updated", "size", "title", "digest"], "csv")
        == "\(all) \(String(repeating: "a", count: 32))")
  }

  @Test(arguments: [
    ("atom", "digest"), ("rss", "version"), ("dash", "title"), ("index", "version"), ("checksums", "size"),
    ("s3", "digest"), ("sitemap", "size"), ("metalink", "title"),
    ("csv, fields: {key: k, url: u}", "size"), ("github", "licence"),
  ])
  func `has no field that its format cannot have`(format: String, field: String) {
    let parse = parseLists(
      "  d/${entry.key}: {list: {url: https://x.org/, format: \(format)}, description: '${entry.\(field)}'}\n",
      [:])
    #expect(parse.diagnostics.map(\.message) == ["undefined variable \"entry.\(field)\""])
    #expect(parse.diagnostics.first?.hint?.hasPrefix("an entry of this list has key, name") == true)
  }

  @Test func `has the version that a match captures, and the columns that the manifest names`() throws {
    for (format, field) in [
      ("index, match: 'a-${v}'", "version"), ("csv, fields: {key: k, url: u, size: s}", "size"),
    ] {
      let parse = parseLists(
        "  d/${entry.key}: {list: {url: https://x.org/, format: \(format)}, description: '${entry.\(field)}'}\n",
        [:])
      #expect(parse.diagnostics.isEmpty)
    }
  }

  @Test func `takes values from defaults, too`() throws {
    let manifest = try listManifest(
      """
        d/${entry.key}: {list: {url: https://x.org/, format: atom}}
        u: {url: https://x.org/u, description: none}

      """, [template: [entry("a"), entry("b")]], before: "defaults: {description: 'of ${entry.key}'}\n")
    #expect(manifest.targets.map(\.summary) == ["of a", "of b", "none"])
  }

  @Test func `names the output as a target with that URL`() throws {
    let manifest = try listManifest(
      "  d/${entry.key}: {list: {url: https://x.org/, format: atom}, steps: [gunzip]}\n",
      [template: [entry("a", url: "https://x.org/f/a%20b.gz?q=1")]])
    #expect(manifest.targets.map(\.output.text) == ["a b"])
  }

  @Test func `has mirrors`() throws {
    var one = entry("a")
    one.mirrors = ["http://y.org/a#x"]
    let manifest = try listManifest(
      "  d/${entry.key}: {list: {url: https://x.org/, format: atom}}\n", [template: [one]])
    #expect(manifest.targets[0].source.mirrors == [.web("https://x.org/a"), .web("http://y.org/a")])
  }

  @Test func `without an entry in its name wants exactly one`() throws {
    func tool(_ entries: [ListEntry]) throws -> Manifest {
      try listManifest("  tool: {list: {url: https://x.org/, format: index}, output: t}\n", ["tool": entries])
    }
    let one = try tool([entry("a")])
    #expect(one.targets.map(\.name.text) == ["tool"])
    #expect(one.templates.first?.state == .expanded(first: TargetID(0), entries: [entry("a")]))
    for entries in [[], [entry("a"), entry("b")]] {
      let none = try tool(entries)
      #expect(none.targets.isEmpty)
      #expect(none.templates.first?.state == .invalid(.notOne(count: entries.count)))
    }
  }

  @Test func `may have no entry`() throws {
    #expect(try state("", []) == .expanded(first: TargetID(0), entries: []))
  }

  @Test func `may have slashes in a tree`() throws {
    let keys = "    output: o/${entry.key}\n"
    let entries = [entry("a/b")]
    #expect(
      try state(keys, entries) == .invalid(.badPath(.slash, value: "a/b", field: "key", key: "a/b")))
    #expect(try state(keys, entries, list: ", tree: true") == .expanded(first: TargetID(0), entries: entries))
  }

  private static let faults: [(keys: String, entries: [ListEntry], fault: ListExpansionFault)] = [
    ("", [entry("a b"), entry("a_b", url: "https://x.org/o")], .sameName("d/a_b", keys: ["a b", "a_b"])),
    ("", [entry("x"), entry("x", url: "https://x.org/o")], .sameName("d/x", keys: ["x", "x"])),
    ("", [entry("a", url: "ftp://x.org/a")], .badURL("ftp://x.org/a", key: "a")),
    ("", [entry("a", url: "a b")], .badURL("a b", key: "a")),
    ("", [entry("a", url: "file:///etc/passwd")], .badURL("file:///etc/passwd", key: "a")),
    ("", [entry("a", url: "https://u:p@x.org/a")], .hasCredentials(key: "a")),
    (
      "", [entry("a", url: "https://x.org/.bashrc")],
      .badPath(.leadingDot, value: ".bashrc", field: nil, key: "a")
    ),
    (
      "", [entry("a", url: "https://x.org/a%E2%80%AEb")],
      .badPath(.bidirectional(0x202e), value: "a\u{202e}b", field: nil, key: "a")
    ),
    (
      "", [entry("a", url: "https://x.org/")],
      .refused("cannot derive the output's name from this URL", key: "a")
    ),
    ("    output: ${entry.version}\n", [entry("a")], .lacks(field: "version", key: "a")),
    (
      "    output: o/${entry.name}\n", [entry("a"), entry("b", name: "..")],
      .badPath(.parent, value: "..", field: "name", key: "b")
    ),
    (
      "    output: o/x${entry.name}\n", [entry("b", name: "../../etc")],
      .badPath(.parent, value: "../../etc", field: "name", key: "b")
    ),
    (
      "    output: o/${entry.name}\n", [entry("b", name: "-rf")],
      .badPath(.leadingDash, value: "-rf", field: "name", key: "b")
    ),
    ("    output: same\n", [entry("a"), entry("b")], .outputTaken("same", key: "b", other: "d/a")),
    (
      "    output: o/${entry.name}\n", [entry("a", name: "x"), entry("b", name: "x")],
      .outputTaken("o/x", key: "b", other: "d/a")
    ),
    (
      "    output: o\n    steps: [{verify: {size: '${entry.version}'}}]\n", [entry("a", version: "x")],
      .refused("\"size\" must be a number of bytes, not \"x\"", key: "a")
    ),
    (
      "    output: .${entry.name}\n", [entry("a", name: "git")],
      .refused("output \".git\" conflicts with \".git\", which git uses", key: "a")
    ),
  ]

  @Test(arguments: faults.indices)
  func `with an impossible target has none`(row: Int) throws {
    let row = Self.faults[row]
    #expect(try state(row.keys, row.entries) == .invalid(row.fault))
  }

  @Test(arguments: [
    ("  d/a: {url: https://x.org/o}\n", "", ListExpansionFault.nameTaken("d/a", key: "a")),
    ("", "  d/a: {url: https://x.org/o}\n", .nameTaken("d/a", key: "a")),
    ("", "groups: {d/a: []}\n", .nameTaken("d/a", key: "a")),
    ("", "  o: {url: https://x.org/o, output: a}\n", .outputTaken("a", key: "a", other: "o")),
    ("  o: {url: https://x.org/o, output: a/b}\n", "", .outputTaken("a", key: "a", other: "o")),
    (
      "  e/${entry.key}: {list: {url: https://x.org/, format: atom}}\n", "",
      .outputTaken("a", key: "a", other: "e/a")
    ),
  ])
  func `leaves others as they are`(before: String, after: String, fault: ListExpansionFault) throws {
    let text = before + "  d/${entry.key}: {list: {url: https://x.org/, format: atom}}\n" + after
    let manifest = try listManifest(text, [template: [entry("a")], "e/${entry.key}": [entry("a")]])
    #expect(manifest.templates.last?.state == .invalid(fault))
    #expect(manifest.targets.count == (after.hasPrefix("groups") ? 0 : 1))
    #expect(manifest.targets.allSatisfy { !$0.name.text.hasPrefix("d/") || $0.output.text == "o" })
    #expect(manifest.groups.count == (after.hasPrefix("groups") ? 1 : 0))
  }

  @Test func `refuses more targets than a manifest may have`() throws {
    let entries = Array(repeating: entry("a"), count: 1_000_001)
    #expect(try state("", entries) == .invalid(.tooMany(count: 1_000_001)))
  }

  @Test func `repeats what is beside the list for each entry, and not the list itself`() throws {
    let entries = (0..<1_001).map { entry("k\($0)") }
    let words = (0..<32_000).map { "w\($0)" }.joined(separator: ", ")
    #expect(
      try state("", entries, list: ", exclude: [\(words)]")
        == .expanded(first: TargetID(0), entries: entries))
    #expect(try state("    tags: [\(words)]\n", entries) == .invalid(.repeatsTooMuch(count: 1_001)))
  }

  @Test func `does not hide a problem of the manifest`() {
    let text =
      "  d/${entry.key}:\n    list: {url: https://x.org/, format: atom}\n    retries: many\n    frob: 1\n"
    for lists in [[:], [template: []], [template: [entry("..")]]] {
      #expect(
        parseLists(text, lists).diagnostics.map(\.message) == [
          "\"retries\" must be a whole number such as 4, not \"many\"",
          "unknown key \"frob\" in target \"d/${entry.key}\"",
        ])
    }
  }

  @Test func `of many entries is expanded without a quadratic step`() throws {
    let entries = (0..<20_000).map { entry("k\($0)") }
    let manifest = try listManifest(
      "  d/${entry.key}: {list: {url: https://x.org/, format: atom}, output: 'o/${entry.name}'}\n",
      [template: entries])
    #expect(manifest.targets.count == 20_000 && manifest.targets.last?.output.text == "o/k19999")
  }
}
