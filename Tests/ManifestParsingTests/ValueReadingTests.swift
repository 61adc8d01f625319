import ManifestParsing
import SyncModel
import Testing

/// Parses targets with variables, of which these values are known.
private func parseValues(
  _ vars: String, _ targets: String, _ known: [String: String] = [:], orders: Bool = true
) -> ManifestParse {
  var context = ManifestContext { Corpus.environment[$0] }
  context.values = KnownValues(known)
  context.values.orders = orders
  context.outlineKey = ByteSum.Key(words: (1, 2))
  return ManifestParser.parse(Array("version: 1\nvars:\n\(vars)targets:\n\(targets)".utf8), context: context)
}

private func values(
  _ vars: String, _ targets: String, _ known: [String: String] = [:], orders: Bool = true,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> Manifest {
  let parse = parseValues(vars, targets, known, orders: orders)
  return try #require(parse.manifest, "\(Corpus.render(parse.diagnostics))", sourceLocation: sourceLocation)
}

private let stamp = "  stamp: {target: latest, line: 1}\n"
private let latest = "  latest: {url: https://x.org/LATEST}\n"
private let dump = "  dump: {url: 'https://x.org/${stamp}', output: 'd/${stamp}'}\n"

@Suite struct `A value of an output in a manifest` {
  @Test func `is declared with its target and its part`() throws {
    let manifest = try values(
      stamp + "  v: {target: latest, regex: '^v(.*)$'}\n  j: {target: latest, json: /a/0}\n", latest)
    #expect(manifest.values.map(\.name) == ["stamp", "v", "j"])
    #expect(manifest.values.map(\.pick) == [.line(1), .pattern("^v(.*)$"), .json(JSONPointer("/a/0")!)])
    #expect(manifest.values.allSatisfy { $0.text == nil && $0.target.text == "latest" })
  }

  @Test func `whose part is wrong tells that its target is unknown, too`() {
    let found = parseValues("  v: {target: nobody, line: 0}\n", latest).diagnostics.map(\.message)
    #expect(found == ["unknown target \"nobody\"", "\"line\" must be between 1 and 1000000, not \"0\""])
  }

  @Test func `is waited for by those that use it, and by those that come after them`() throws {
    let manifest = try values(
      stamp,
      dump + latest + "  copy: {from: dump, output: copy}\n  late: {url: https://x.org/l, after: [dump]}\n")
    #expect(manifest.targets.map(\.name.text) == ["latest"])
    #expect(manifest.waiting.map(\.name.text) == ["dump", "copy", "late"])
    #expect(manifest.waiting.map(\.template) == ["${stamp}", "dump", "dump"])
  }

  @Test func `is put in as plain text, and its target comes first`() throws {
    let manifest = try values(
      stamp + "  base: https://x.org/${stamp}\n", "  dump: {url: '${base}/a'}\n" + latest, ["stamp": "${os}$"]
    )
    #expect(manifest.targets[0].source.mirrors?.first?.text == "https://x.org/${os}$/a")
    #expect(manifest.targets[0].after == [TargetID(1)])
    #expect(manifest.targets[0].needs == [])
    #expect(manifest.values[0].users == [TargetID(0)])
    let alone = try values(stamp, dump + latest, ["stamp": "7"], orders: false)
    #expect(alone.targets[0].after == [])
  }

  @Test(arguments: ["../x", "a/b", ".a", "-a", "a\u{202E}b"])
  func `is one component of an output`(value: String) throws {
    let manifest = try values(stamp, dump + latest, ["stamp": value])
    #expect(manifest.targets.map(\.name.text) == ["latest"])
    guard case .badPath(_, value)? = manifest.waiting.first?.fault?.fault else {
      Issue.record("\(manifest.waiting)")
      return
    }
  }

  @Test(arguments: ["file:///etc/passwd", "/etc/passwd", "passwd"])
  func `makes no other URL than one of http or https`(value: String) throws {
    let manifest = try values(stamp, "  a: {url: '${stamp}', output: a}\n" + latest, ["stamp": value])
    #expect(manifest.waiting.first?.fault?.fault.isAboutURL == true, "\(manifest.waiting)")
  }

  @Test(arguments: [
    ("ftp://h/${stamp}", "unknown URL scheme \"ftp\""),
    ("http://u:p@h/${stamp}", "a URL cannot contain a user's name or a password"),
    ("http://h/a b/${stamp}", "a space in the URL \"http://h/a b/${stamp}\""),
    ("${ftp}/x", "unknown URL scheme \"ftp\""),
    ("x/${stamp}", "\"x/${stamp}\" has the value of an output in it, and is not a URL of http or https"),
    (
      "file:///x/${stamp}",
      "\"file:///x/${stamp}\" has the value of an output in it, and is not a URL of http or https"
    ),
  ])
  func `does not excuse a URL that begins with a mistake`(url: String, message: String) {
    let vars = stamp + "  ftp: ftp://h/${stamp}\n"
    let parse = parseValues(vars, "  a: {url: ['https://x.org/a', '\(url)'], output: a}\n" + latest)
    #expect(parse.diagnostics.map(\.message) == [message])
  }

  @Test(arguments: [
    "${stamp}", "${stamp}://h/x", "${stamp}/x", "http${stamp}", "http://${stamp}/x", "http://h:${stamp}/x",
    "http://u:${stamp}@h/x", "http://[${stamp}]/x", "http://h/${stamp}#a b", "${base}/x",
  ])
  func `may make a URL right that begins with nothing wrong`(url: String) throws {
    let manifest = try values(
      stamp + "  base: ${stamp}\n", "  a: {url: '\(url)', output: a}\n" + latest)
    #expect(manifest.waiting.map(\.name.text) == ["a"])
  }

  @Test(arguments: [
    ("../${stamp}", "output \"../${stamp}\" is outside the manifest's folder"),
    ("${stamp}/../../x", "output \"${stamp}/../../x\" is outside the manifest's folder"),
    ("/abs/${stamp}", "output \"/abs/${stamp}\" is an absolute path"),
    ("~/${stamp}", "output \"~/${stamp}\" begins with \"~\", which syncmake does not expand"),
    (".git/x-${stamp}", "output \".git/x-${stamp}\" conflicts with \".git\", which git uses"),
    ("${below}/x", "output \".git/${stamp}/x\" conflicts with \".git\", which git uses"),
    ("d/${stamp}/", "output \"d/${stamp}/\" is a folder's name"),
  ])
  func `does not excuse an output that is wrong with every value`(output: String, message: String) {
    let vars = stamp + "  below: .git/${stamp}\n"
    let parse = parseValues(vars, "  a: {url: https://x.org/a, output: '\(output)'}\n" + latest)
    #expect(parse.diagnostics.map(\.message) == [message])
  }

  @Test(arguments: ["a/../${stamp}", ".${stamp}", "~${stamp}", "syncmake.${stamp}", "${stamp}/x"])
  func `may make an output right`(output: String) throws {
    let long = String(repeating: "n", count: 253)
    let manifest = try values(
      stamp,
      "  a: {url: https://x.org/a, output: '\(output)'}\n  b: {from: a, output: '\(long)${stamp}'}\n" + latest
    )
    #expect(manifest.waiting.map(\.name.text) == ["a", "b"])
  }

  @Test func `does not excuse two outputs without it that conflict`() {
    let targets =
      "  a: {url: 'https://x.org/a/${stamp}', output: o}\n  b: {url: 'https://x.org/b/${stamp}', output: o}\n"
      + "  c: {url: https://x.org/c, output: o/c}\n"
    #expect(
      parseValues(stamp, targets + latest).diagnostics.map(\.message) == [
        "duplicate output \"o\"", "output \"o/c\" is inside the output \"o\"",
      ])
  }

  @Test func `that makes an output twice refuses the target that uses it`() throws {
    let manifest = try values(
      stamp,
      "  a: {url: https://x.org/a, output: 'o-${stamp}'}\n  b: {url: https://x.org/b, output: o-7}\n"
        + latest,
      ["stamp": "7"])
    #expect(manifest.targets.map(\.name.text) == ["b", "latest"])
    #expect(manifest.waiting.map(\.fault?.fault) == [.outputTaken("o-7", other: "b")])
  }

  @Test func `that makes another key wrong refuses the target that uses it`() throws {
    let manifest = try values(
      stamp, "  a: {url: https://x.org/a, mode: '${stamp}'}\n" + latest, ["stamp": "x"])
    #expect(manifest.targets.map(\.name.text) == ["latest"])
    guard case .refused? = manifest.waiting.first?.fault?.fault else {
      Issue.record("\(manifest.waiting)")
      return
    }
  }

  @Test func `that names an output which another one is named after refuses that one`() throws {
    let manifest = try values(
      stamp,
      "  a: {url: https://x.org/a, output: '${stamp}'}\n  b: {from: a, steps: [gunzip]}\n" + latest,
      ["stamp": "syncmake.lock.gz"])
    #expect(manifest.targets.map(\.name.text) == ["a", "latest"])
    #expect(manifest.waiting.map(\.name.text) == ["b"])
  }

  @Test func `is a reason to have no outline`() throws {
    #expect(parseValues(stamp, latest).outline == nil)
    #expect(parseValues("  a: b\n", latest).outline != nil)
  }

  @Test func `is known to groups`() throws {
    let manifest = try values(stamp, dump + latest + "groups:\n  all: [dump, latest]\n")
    #expect(manifest.groups[0].awaited == ["dump"])
    #expect(manifest.groups[0].members.count == 1)
  }
}

extension ValueFault {
  fileprivate var isAboutURL: Bool {
    switch self {
    case .notWeb, .refused: true
    default: false
    }
  }
}
