import ManifestParsing
import SyncModel
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct `Variables` {
  private func url(_ vars: String, _ url: String) throws -> String {
    let manifest = try manifest("version: 1\nvars: {\(vars)}\ntargets: {a: {url: \"\(url)\", output: a}}")
    guard case .urls(let urls) = manifest.targets[0].source else { return "" }
    return urls[0].text
  }

  @Test func `may refer to each other in any order`() throws {
    #expect(try url("a: 'https://${b}', b: '${c}.org', c: x", "${a}/y") == "https://x.org/y")
  }

  @Test(arguments: [
    ("${env:MIRROR}/x", "https://mirror.example.org/x"),
    ("${env:NOT_SET:-https://d.org}/x", "https://d.org/x"),
    ("${env:EMPTY:-https://d.org}/x", "https://d.org/x"), ("https://x${env:EMPTY}/y", "https://x/y"),
    ("${env:NOT_SET:-${m}}/x", "https://m.org/x"), ("https://x/$${m}", "https://x/${m}"),
    ("https://x/${env:NOT_SET:-}y", "https://x/y"), ("https://x/$$$$", "https://x/$$"),
    ("${env:NOT_SET:-${env:MIRROR}}/$$", "https://mirror.example.org/$"),
    ("https://x/a:b}", "https://x/a:b}"),
  ])
  func `can be taken from the environment`(text: String, expected: String) throws {
    #expect(try url("m: https://m.org", text) == expected)
  }

  @Test func `for the system and the processor are built in`() throws {
    var names = utsname()
    try #require(uname(&names) == 0)
    func text<T>(_ field: T) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let os = ["Linux": "linux", "Darwin": "macos"][text(names.sysname)] ?? ""
    let arch = text(names.machine) == "arm64" ? "aarch64" : text(names.machine)
    #expect(try url("", "https://x/${os}-${arch}") == "https://x/\(os)-\(arch)")
    #expect(try url("a: '${os}'", "https://x/${a}") == "https://x/\(os)")
    #expect(try url("", "https://x/${env:NOT_SET:-${os}}") == "https://x/\(os)")
  }

  @Test func `with the name of a built-in one replace it, and so do keys of a matrix`() throws {
    #expect(try url("os: beos, arch: '${env:MIRROR}'", "https://x/${os}") == "https://x/beos")
    let manifest = try manifest(
      "version: 1\ntargets: {'t-${os}': {matrix: {os: [a, b]}, url: 'https://x/${os}'}}")
    #expect(manifest.targets.map(\.name.text) == ["t-a", "t-b"])
    #expect(manifest.targets.map(\.output.path.text) == ["a", "b"])
  }

  @Test func `that are misspelt get built-in names as hints, too`() {
    let parse = parse("version: 1\ntargets: {a: {url: 'https://x/${arhc}'}}")
    #expect(parse.diagnostics.map(\.hint) == ["did you mean \"arch\"?"])
  }

  @Test func `are not expanded a second time`() throws {
    #expect(try url("a: '$${b}', b: x", "https://x/${a}") == "https://x/${b}")
  }

  @Test func `that are secret are masked everywhere`() throws {
    let manifest = try manifest(
      "version: 1\nvars: {t: 'x${secret:TOKEN}'}\ntargets: {a: {url: 'https://example.org/?t=${t}', output: a}}"
    )
    #expect(manifest.secrets.mask("a hunter2 b") == "a *** b")
    guard case .urls(let urls) = manifest.targets[0].source else { return }
    #expect(urls[0].text == "https://example.org/?t=xhunter2")
  }

  @Test func `that are secret never appear in a diagnostic, even in one that is cut`() {
    let padding = String(repeating: "x", count: 97)
    let parse = parse(
      """
      version: 1
      targets:
        a: {url: "ftp://${secret:TOKEN}/x"}
        b: {url: x/b, retries: "\(padding)${secret:TOKEN}"}
        hunter2-literal: {url: x/c, outptu: hunter2}
      """)
    #expect(parse.diagnostics.count == 3)
    #expect(!"\(parse.diagnostics)".contains("hunter"))
  }

  @Test(
    arguments: [
      // One secret is `a/bc`, the other `%61bc`, which is `abc` to a server.
      ("https://h.example/${secret:SLASH}d", true), ("https://h.example/${secret:ESCAPE}", true),
      ("files/${secret:SLASH}", true), ("https://h.example:${secret:PORT}/f", false),
      ("https://h.example/${secret:SLASH}/f?k=${secret:ESCAPE}", false),
    ] as [(String, Bool)])
  func `that are secret leave no part of them in an output's name`(url: String, isRefused: Bool) {
    let secrets = ["SLASH": "a/bc", "ESCAPE": "%61bc", "PORT": "8443"]
    let text = "version: 1\ntargets: {t: {url: '\(url)'}}"
    let parse = ManifestParser.parse(Array(text.utf8), context: ManifestContext { secrets[$0] })
    #expect(
      parse.diagnostics.map(\.message)
        == (isRefused ? ["cannot derive the output's name from this URL"] : []))
  }

  @Test func `that end in a newline are refused with a hint`() {
    let text = "version: 1\ntargets: {a: {url: 'https://h.example/a', auth: {bearer: '${secret:TOKEN}'}}}"
    let parse = ManifestParser.parse(
      Array(text.utf8), context: ManifestContext { $0 == "TOKEN" ? "hunter2\n" : nil })
    #expect(parse.diagnostics.map(\.message) == ["control character U+000A in \"bearer\""])
    #expect(
      parse.diagnostics.first?.hint == "the value of the variable ends in a newline: set it without one")
  }

  @Test func `in a name may not be secret`() {
    #expect(
      messages("version: 1\ntargets: {'a${secret:TOKEN}': {url: x/y}}") == [
        "a secret cannot be part of the name"
      ])
  }

  @Test func `are reported at the reference itself, with columns in Unicode scalars`() throws {
    let parse = parse("version: 1\ntargets: {a: {url: \"x/😀e\u{301}${zz}\"}}")
    #expect(parse.diagnostics.first?.span == SourceSpan(line: 2, column: 26, endColumn: 31))
  }
}

@Suite struct `A matrix` {
  @Test func `gives every combination, the first key slowest`() throws {
    let manifest = try manifest(
      "version: 1\ntargets: {'t${b}-${a}': {matrix: {a: [1..2, X], b: [p, q]}, url: 'x/${a}${b}'}}")
    #expect(manifest.targets.map(\.name.text) == ["tp-1", "tq-1", "tp-2", "tq-2", "tp-X", "tq-X"])
    #expect(manifest.targets.map(\.output.path.text) == ["1p", "1q", "2p", "2q", "Xp", "Xq"])
    #expect(manifest.targets.map(\.id.index) == Array(0..<6))
  }

  @Test(arguments: [
    ("[1..3]", ["1", "2", "3"]), ("[08..10]", ["08", "09", "10"]), ("['5..5']", ["5"]), ("7", ["7"]),
    ("[no, 1.5, a..b]", ["no", "1.5", "a..b"]), ("[0..1]", ["0", "1"]), ("['${n}..3']", ["2", "3"]),
  ])
  func `reads ranges and words`(values: String, expected: [String]) throws {
    let manifest = try manifest(
      "version: 1\nvars: {n: 2}\ntargets: {'t${c}': {matrix: {c: \(values)}, url: 'x/${c}'}}")
    #expect(manifest.targets.map(\.output.path.text) == expected)
  }

  @Test func `is expanded in steps, needs, rules and defaults`() throws {
    let manifest = try manifest(
      """
      version: 1
      defaults: {freshness: {md5: {url: "x/${c}.md5"}}, tags: ["all", "c${c}"]}
      targets:
        s${c}: {matrix: {c: [1, 2]}, url: "s/${c}", freshness: once}
        t${c}:
          matrix: {c: [1, 2]}
          url: t/${c}
          output: out/${c}
          needs: ["s${c}"]
          steps: [verify: {md5: {target: "s${c}", entry: "e${c}"}}]
      """)
    let last = manifest.targets[3]
    #expect(last.needs == [TargetID(1)])
    #expect(last.steps == [.verifyDigest(.md5, .entry(TargetID(1), name: "e2"))])
    #expect(
      last.freshness
        == .digest(
          DigestRule(algorithm: .md5, expected: .sidecar(Sidecar(.file(path: "x/2.md5", written: "x/2.md5"))))
        ))
    #expect(last.tags == ["all", "c2"])
    #expect(manifest.targets[1].freshness == .once)
  }
}

@Suite struct `Defaults` {
  @Test func `are replaced whole by a target's own key`() throws {
    let manifest = try manifest(
      """
      version: 1
      defaults: {timeout: {stall: 1m}, headers: {A: b}, tags: [x], freshness: once, auth: {bearer: t}}
      targets:
        a: {url: x/a}
        b: {url: x/b, timeout: {connect: 1s}, headers: {}, tags: [y], freshness: etag, auth: {netrc: true}}
        c: {from: a, output: c}
      """)
    #expect(manifest.targets[0].timeouts == Timeouts(stall: .seconds(60)))
    #expect(manifest.targets[0].tags == ["x"] && manifest.targets[0].freshness == .once)
    #expect(manifest.targets[1].timeouts == Timeouts(connect: .seconds(1)))
    #expect(manifest.targets[1].headers.isEmpty && manifest.targets[1].tags == ["y"])
    #expect(manifest.targets[1].freshness == .etag && manifest.targets[1].authentication == .netrc)
    #expect(manifest.targets[2].freshness == nil && manifest.targets[2].authentication == .bearer("t"))
  }
}

@Suite struct `Merges` {
  @Test func `give precedence to a mapping's own keys, then to earlier mappings`() throws {
    let manifest = try manifest(
      """
      version: 1
      targets:
        a: &a {url: x/a, retries: 1, tags: [a], mode: "0600"}
        b: &b {<<: *a, url: x/b, retries: 2}
        c: {<<: [*b, *a], url: x/c, tags: [c]}
        d: {<<: [{retries: 7}, *b], url: x/d}
      """)
    #expect(manifest.targets.map(\.retries) == [1, 2, 2, 7])
    #expect(manifest.targets.map(\.tags) == [["a"], ["a"], ["c"], ["a"]])
    #expect(manifest.targets.allSatisfy { $0.output.mode == 0o600 })
  }

  @Test func `are plain words only`() {
    #expect(
      messages("version: 1\ntargets: {a: {url: x/y, '<<': {retries: 1}}}") == [
        "unknown key \"<<\" in target \"a\""
      ])
  }
}

@Suite struct `Groups and hosts` {
  @Test func `a group holds the targets of its groups in their place, once each`() throws {
    let manifest = try manifest(
      """
      version: 1
      targets: {a: {url: x/a}, b: {url: x/b}, c: {url: x/c}}
      groups: {g: [c, h, a], h: [b, c], i: []}
      """)
    #expect(manifest.groups.map(\.name.text) == ["g", "h", "i"])
    #expect(manifest.groups.map { $0.members.map(\.index) } == [[2, 1, 0], [1, 2], []])
    #expect(manifest.groups[0].span.line == 3)
  }

  @Test func `a host may have a rate, with or without connections`() throws {
    let manifest = try manifest(
      "version: 1\ntargets: {}\nhosts: {Example.ORG: {rate: 3/s}, '*': {connections: 3, rate: 100/m}, a.b: {connections: 4}}"
    )
    #expect(manifest.hosts.rate(for: "example.org") == RequestRate(count: 3, period: .seconds(1)))
    #expect(manifest.hosts.limit(for: "example.org") == 8)
    #expect(manifest.hosts.rate(for: "other.org") == RequestRate(count: 100, period: .seconds(60)))
    #expect(manifest.hosts.limit(for: "other.org") == 3)
    #expect(manifest.hosts.rate(for: "a.b") == nil)
  }

  @Test func `hosts are compared in lower case, and the star stands for all others`() throws {
    let manifest = try manifest(
      "version: 1\ntargets: {}\nhosts: {Example.ORG: {connections: 2}, '*': {connections: 3}, '[::1]': {connections: 4}}"
    )
    #expect(manifest.hosts.limit(for: "example.org") == 2)
    #expect(manifest.hosts.limit(for: "other.org") == 3)
    #expect(manifest.hosts.limit(for: "::1") == 4)
    #expect(manifest.hosts.limit(for: "[::1]") == 4)
  }
}
