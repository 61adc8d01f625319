import Foundation
import ManifestParsing
import SyncModel
import Testing

@Suite struct `A policy file` {
  private func read(_ text: String) -> PolicyParse {
    PolicyParser.parse(Array(text.utf8), fileName: "policy.yaml")
  }

  @Test func `has seven keys`() throws {
    let policy = try #require(
      read(
        """
        hosts: [data.example.org, "*.ncbi.nlm.nih.gov"]
        require_digest: true
        env: [RELEASE]
        headers: [Accept]
        outputs: ["data/**"]
        limits: {targets: 500, bytes: 2GB, file: 500MB, requests: 5000, time: 10m, redirects: 5}
        addresses: [public, 10.1.0.0/16]
        """
      ).policy)
    #expect(policy.hosts?.map(\.text) == ["data.example.org", "*.ncbi.nlm.nih.gov"])
    #expect(policy.requiresDigest && policy.environment == ["RELEASE"] && policy.headers == ["accept"])
    #expect(policy.outputs?.map(\.text.text) == ["data/**"])
    #expect(policy.limits.targets == 500 && policy.limits.bytes == 2_000_000_000)
    #expect(policy.limits.file == 500_000_000 && policy.limits.requests == 5000)
    #expect(policy.limits.time == .seconds(600) && policy.limits.redirects == 5)
    #expect(policy.addresses == AddressRule(.public, networks: [try AddressNetwork("10.1.0.0/16")]))
  }

  @Test(arguments: [
    "{}", "require_digest: false", "addresses: public", "addresses: [public]", "env: []", "limits: {}",
  ])
  func `may add nothing`(text: String) { #expect(read(text).policy == Policy()) }

  @Test func `may write a host or an address in another form`() throws {
    let policy = try #require(read("hosts: [a.example.]\naddresses: [\"::ffff:10.1.0.0/112\"]").policy)
    #expect(policy.hosts?.map(\.text) == ["a.example"])
    #expect(policy.addresses == AddressRule(.none, networks: [try AddressNetwork("10.1.0.0/16")]))
  }

  @Test func `with empty lists allows nothing`() throws {
    let policy = try #require(read("hosts: []\nheaders: []\noutputs: []\naddresses: []\n").policy)
    #expect(policy.hosts == [] && policy.headers == [] && policy.outputs == [])
    #expect(policy.addresses == AddressRule(.none))
  }

  static let bad: [(text: String, place: String, message: String, hint: String?)] = [
    ("", "1:1", "the policy is empty", "write {} for no more than --untrusted demands"),
    ("# nothing\n", "1:1", "the policy is empty", nil), ("---\n", "1:1", "the policy is empty", nil),
    ("[a]", "1:1", "the policy must be a mapping such as {hosts: [data.example.org]}, not a list", nil),
    ("host: [a]", "1:1", "unknown key \"host\" in the policy", "did you mean \"hosts\"?"),
    ("hosts: [a]\nhosts: [b]", "2:1", "duplicate key \"hosts\"", "first used on line 1"),
    (
      "hosts: a.example", "1:8", "\"hosts\" must be a list of host names, not \"a.example\"",
      "write [a.example]"
    ),
    ("hosts:", "1:7", "\"hosts\" has no value, expected a list of host names", nil),
    ("hosts: ['https://a']", "1:9", "\"https://a\" is not a host's name", nil),
    ("hosts: ['${x}']", "1:9", "a policy has no variables, but \"hosts\" has \"${x}\"", nil),
    (
      "require_digest: yes", "1:17", "\"require_digest\" must be true or false, not \"yes\"", "write \"true\""
    ),
    ("env: [A B]", "1:7", "\"A B\" is not a variable's name", nil),
    ("headers: ['A:']", "1:11", "\"A:\" is not a header's name", nil),
    (
      "outputs: ['[a']", "1:11", "\"[a\" is not a pattern: a \"[\" lacks its \"]\"",
      "write \\[ for a bracket"
    ), ("outputs: ['/']", "1:11", "\"/\" is not a pattern: it matches nothing", nil),
    ("limits: 5", "1:9", "\"limits\" must be a mapping such as {bytes: 2GB, time: 10m}, not \"5\"", nil),
    ("limits: {byte: 5}", "1:10", "unknown key \"byte\" in \"limits\"", "did you mean \"bytes\"?"),
    ("limits: {bytes: 5}", "1:17", "\"bytes\" needs a unit after \"5\"", nil),
    ("limits: {targets: -1}", "1:19", "\"targets\" must be a whole number such as 500, not \"-1\"", nil),
    (
      "limits: {time: soon}", "1:16",
      "\"time\" must be a duration such as 500ms, 30s, 12h or 1h30m, not \"soon\"", nil
    ),
    (
      "addresses: private", "1:12",
      "\"addresses\" must be \"public\", or a list of it and networks such as 10.1.0.0/16, not \"private\"",
      nil
    ),
    (
      "addresses: 10.0.0.0/8", "1:12",
      "\"addresses\" must be \"public\", or a list of it and networks such as 10.1.0.0/16, not \"10.0.0.0/8\"",
      "write [public, 10.0.0.0/8], or [10.0.0.0/8] for that alone"
    ),
    ("addresses: [a.example]", "1:13", "\"a.example\" is neither \"public\" nor a network", nil),
    (
      "addresses: [10.1.2.3/16]", "1:13", "the network \"10.1.2.3/16\" has more bits than its prefix",
      "write 10.1.0.0/16"
    ),
  ]

  @Test(arguments: bad.indices)
  func `a problem has its place`(index: Int) throws {
    let (text, place, message, hint) = Self.bad[index]
    let parse = read(text)
    #expect(parse.policy == nil)
    let problem = try #require(parse.diagnostics.first)
    #expect(problem.message == message)
    #expect(problem.span.map { "\($0.line):\($0.column)" } == place, "\(text)")
    if let hint { #expect(problem.hint == hint) }
  }

  @Test func `every problem is reported in one run`() {
    let parse = read("hosts: x\nenv: 7\nlimits: []\naddresses: {}\nother: 1\n")
    #expect(parse.diagnostics.map { $0.span?.line } == [1, 2, 3, 4, 5])
  }

  @Test func `has a limit, and is UTF-8`() {
    let large = PolicyParser.parse(
      Array(repeating: UInt8(ascii: "#"), count: PolicyParser.maximumSize + 1), fileName: "p")
    #expect(large.diagnostics.map(\.message) == ["a policy has at most 1 MiB"])
    #expect(PolicyParser.parse([0x6A, 0xFF, 0xFE], fileName: "p").policy == nil)
  }

  @Test func `its schema accepts what the reader accepts`() throws {
    let schema = try String(
      contentsOf: SchemaValidator.repository.appending(path: "schema/policy.schema.json"), encoding: .utf8)
    let good = [
      "{}", "hosts: []", "hosts: [a.example, '*.b.example', '*', '::1']", "require_digest: true",
      "env: [A_1, true]", "outputs: [2024, 1.50, true]\nhosts: [1.5, true]\nheaders: [1000, true]",
      "headers: [Accept, X-Y]", "outputs: ['data/**', '!x']", "addresses: public", "addresses: []",
      "addresses: [public, 10.0.0.0/8, 'fd00::/8', 1.2.3.4]", "limits: {}",
      "limits: {targets: 0, bytes: 0B, file: 1KiB, requests: 1, time: 1h30m, redirects: 0}",
    ]
    let bad = [
      "", "hosts: a", "hosts: ['https://a']", "hosts: ['::g']", "require_digest: 1", "env: ['1 2']",
      "headers: ['a b']", "outputs: x", "addresses: private", "addresses: [x]", "limits: {x: 1}",
      "limits: {bytes: 5}", "limits: {time: 5}", "limits: {targets: -1}", "policy: {}",
    ]
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try (good + bad).enumerated().map { index, text in
      let file = folder.appending(path: "\(index).yaml")
      try Data(text.utf8).write(to: file)
      return file.path
    }
    let verdicts = try SchemaValidator.verdicts(paths, schema: schema)
    for (index, text) in (good + bad).enumerated() {
      let isGood = index < good.count
      #expect((read(text).policy != nil) == isGood, "\(text)")
      #expect((verdicts[paths[index]] == .some(nil)) == isGood, "\(text): \(verdicts[paths[index]] as Any)")
    }
  }
}

@Suite struct `A manifest under a policy` {
  private func read(
    _ targets: String, _ change: (inout Policy) -> Void = { _ in },
    environment: [String: String] = ["HOME": "/h"],
    pinned: Set<Int> = [], lists: ListedEntries = ListedEntries()
  ) -> [String] {
    var policy = Policy()
    change(&policy)
    var context = ManifestContext { environment[$0] }
    context.included =
      Included(files: [
        "sub/syncmake.yaml":
          "version: 1\ntargets:\n  x:\n    url: https://a.example/x\n    auth: {netrc: true}\n"
      ]).reading
    context.lists = lists
    context.policy = ManifestPolicy(
      policy,
      PolicyFacts(
        isOutside: { $0.hasPrefix("/") || $0.contains("..") },
        pinned: { _ in Set(pinned.map { TargetID($0) }) }))
    let parse = ManifestParser.parse(Array("version: 1\ntargets:\n\(targets)\n".utf8), context: context)
    #expect((parse.manifest == nil) == !parse.diagnostics.isEmpty)
    return parse.diagnostics.map { "\($0.file):\($0.span?.line ?? 0): \($0.message)" }
  }

  static let refused: [(targets: String, message: String)] = [
    (
      "  a: {url: http://a.example/a}",
      "target \"a\": an untrusted manifest may use https only: \"http://a.example/a\""
    ),
    (
      "  a: {url: 'https://a.example:444/a'}",
      "target \"a\": an untrusted manifest may use port 443 only, not 444: \"https://a.example:444/a\""
    ),
    (
      "  a: {url: 'https://0x7f.1/a'}",
      "target \"a\": \"https://0x7f.1/a\" must not be asked: 127.0.0.1 is a loopback address"
    ),
    (
      "  a: {url: ['https://a.example/a', 'https://[fd00:ec2::254]/a']}",
      "target \"a\": \"https://[fd00:ec2::254]/a\" must not be asked: fd00:ec2::254 is a metadata address, where a cloud gives a machine its credentials"
    ),
    (
      "  a: {url: file:///etc/passwd}",
      "target \"a\": an untrusted manifest may read files of its folder only, and none of git's: \"file:///etc/passwd\""
    ),
    (
      "  a: {url: ../x}",
      "target \"a\": an untrusted manifest may read files of its folder only, and none of git's: \"../x\""
    ),
    (
      "  a: {url: https://a.example/a, auth: {bearer: t}}",
      "target \"a\": an untrusted manifest may not use \"auth\""
    ),
    (
      "  a: {url: https://a.example/a, auth: {netrc: true}}",
      "target \"a\": an untrusted manifest may not use \"auth\""
    ),
    (
      "  a: {url: https://a.example/a, local_changes: overwrite}",
      "target \"a\": an untrusted manifest may not use \"local_changes: overwrite\""
    ),
    (
      "  a: {url: 'https://a.example/${env:HOME}'}",
      "an untrusted manifest may not read the environment variable \"HOME\""
    ),
    (
      "  a: {url: 'https://a.example/${env:NONE:-x}'}",
      "an untrusted manifest may not read the environment variable \"NONE\""
    ),
    ("  a: {url: 'https://a.example/${secret:HOME}'}", "an untrusted manifest may not have secrets"),
    ("  a: {url: 'https://a.example/${secret:file:/run/x}'}", "an untrusted manifest may not have secrets"),
    (
      "  a: {url: https://a.example/a, output: .github/workflows/a.yml}",
      "target \"a\": an untrusted manifest may not write to \".github/workflows/a.yml\", since \".github\" begins with a dot"
    ),
    (
      "  a: {url: https://a.example/a.tar, output: .x/, steps: [unpack]}",
      "target \"a\": an untrusted manifest may not write to \".x/\", since \".x\" begins with a dot"
    ),
    (
      "  a: {url: https://a.example/a, output: sub/jenkinsfile}",
      "target \"a\": an untrusted manifest may not write \"sub/jenkinsfile\", which defines a CI pipeline"
    ),
    (
      "  a: {url: https://a.example/a, steps: [{verify: {md5: {url: 'http://a.example/a.md5'}}}]}",
      "target \"a\": an untrusted manifest may use https only: \"http://a.example/a.md5\""
    ),
    (
      "  a: {url: https://a.example/a, freshness: {sha256: {url: 'https://10.0.0.1/a'}}}",
      "target \"a\": \"https://10.0.0.1/a\" must not be asked: 10.0.0.1 is a private address"
    ),
    (
      "  a${n}: {matrix: {n: [1, 2, 127.1]}, url: 'https://${n}/a${n}'}",
      "target \"a1\": \"https://1/a1\" must not be asked: 0.0.0.1 is an address of no host"
    ),
    (
      "  'a/${entry.key}': {list: {url: 'http://a.example/l', format: index}}",
      "target \"a/${entry.key}\": an untrusted manifest may use https only: \"http://a.example/l\""
    ),
    (
      "  'a/${entry.key}': {list: {url: 'https://a.example/l', format: index}, auth: {netrc: true}}",
      "target \"a/${entry.key}\": an untrusted manifest may not use \"auth\""
    ),
  ]

  @Test(arguments: refused)
  func `is refused with its line`(targets: String, message: String) {
    #expect(read(targets).contains("syncmake.yaml:3: \(message)"), "\(read(targets))")
  }

  @Test func `may ask for what everybody may`() {
    #expect(
      read(
        "  a: {url: https://a.example/a, output: .a}\n  b: {url: x/b, output: data/b}\n  c: {from: a, output: c}"
      ) == [])
  }

  @Test func `says each kind of problem once for a matrix`() {
    #expect(
      read("  a${n}: {matrix: {n: [1..500]}, url: 'http://a.example/${n}', auth: {netrc: true}}").count == 2)
  }

  @Test func `is checked in included files, too`() {
    let text = "  a: {url: https://a.example/a}\ninclude: [sub/syncmake.yaml]"
    #expect(
      read(text) == ["sub/syncmake.yaml:3: target \"sub/x\": an untrusted manifest may not use \"auth\""])
  }

  @Test func `is checked with the entries of lists`() {
    let text = "  'a/${entry.key}': {list: {url: 'https://a.example/l', format: index}}"
    let entry = ListEntry(key: "x", name: "x", url: "https://169.254.169.254/latest")
    let found = read(text, lists: ListedEntries(["a/${entry.key}": [entry]]))
    #expect(
      found == [
        "syncmake.yaml:3: target \"a/x\": \"https://169.254.169.254/latest\" must not be asked: 169.254.169.254 is a metadata address, where a cloud gives a machine its credentials"
      ])
  }

  @Test func `may do what the policy allows besides`() {
    let text =
      "  a: {url: 'https://a.example/${env:HOME}', output: a}\n  b: {url: 'https://10.1.0.1/b', headers: {ACCEPT: x}, output: data/b}"
    let found = read(text) { policy in
      policy.environment = ["HOME"]
      policy.addresses = AddressRule(.public, networks: [AddressNetwork(of: .v4(0x0a01_0000), prefix: 16)])
      policy.headers = ["accept"]
    }
    #expect(found == [])
  }

  @Test func `must not do what the policy restricts`() throws {
    let text =
      "  a: {url: https://a.example/a, headers: {X-A: x}, output: data/a}\n  b: {url: https://b.example/b, output: b}"
    let patterns = [try PathPattern("data/**")]
    let found = read(text) { policy in
      policy.hosts = [HostPattern("a.example")].compactMap(\.self)
      policy.headers = []
      policy.outputs = patterns
    }
    #expect(
      found == [
        "syncmake.yaml:3: target \"a\": the policy's \"headers\" do not have \"X-A\"",
        "syncmake.yaml:4: target \"b\": the policy's \"hosts\" do not have \"b.example\": \"https://b.example/b\"",
        "syncmake.yaml:4: target \"b\": the policy's \"outputs\" do not match \"b\"",
      ])
  }

  static let sum = String(repeating: "a", count: 64)

  @Test(arguments: [
    ("", true), (", steps: [{verify: {sha256: \(sum)}}]", false), (", freshness: {sha256: \(sum)}", false),
    (", freshness: {interval: 1h, then: {sha256: \(sum)}}", false), (", steps: [{verify: {size: 3}}]", true),
    (", steps: [{verify: {sha256: {url: 'https://a.example/a.sha256'}}}]", true), (", freshness: once", true),
    (
      ", steps: [{verify: {minisign: {key: RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3}}}]", true
    ),
  ])
  func `needs a literal digest if the policy requires one`(more: String, isRefused: Bool) {
    let found = read("  a: {url: https://a.example/a\(more)}") { $0.requiresDigest = true }
    #expect(found == (isRefused ? ["syncmake.yaml:3: target \"a\": the policy requires a digest"] : []))
  }

  @Test func `needs none for what the lock has or another target gives`() {
    let text = "  a: {url: https://a.example/a}\n  b: {from: a, output: b}\n  c: {url: https://a.example/c}"
    let found = read(text, { $0.requiresDigest = true }, pinned: [0])
    #expect(found == ["syncmake.yaml:5: target \"c\": the policy requires a digest"])
  }

  @Test(arguments: [
    ("  a${n}: {matrix: {n: [1..1000000]}, url: 'https://a.example/${n}'}", "3"),
    (
      "  a: {url: https://a.example/a}\n  b: {url: https://a.example/b}\n  c: {url: https://a.example/c}", "5"
    ),
  ])
  func `has a limited number of targets`(text: String, line: String) {
    let found = read(text) { $0.limits.targets = 2 }
    #expect(found == ["syncmake.yaml:\(line): more targets than the policy allows: 2"])
  }

  @Test func `of too many targets tells what else is refused`() {
    let text =
      "  a: {url: https://a.example/a}\n  b: {url: https://b.example/b}\n  c: {url: http://a.example/c}"
    let found = read(text) { policy in
      policy.limits.targets = 2
      policy.hosts = [HostPattern("a.example")].compactMap(\.self)
    }
    #expect(
      found == [
        "syncmake.yaml:4: target \"b\": the policy's \"hosts\" do not have \"b.example\": \"https://b.example/b\"",
        "syncmake.yaml:5: more targets than the policy allows: 2",
        "syncmake.yaml:5: target \"c\": an untrusted manifest may use https only: \"http://a.example/c\"",
      ])
  }

  @Test func `has a limited number of entries of lists`() {
    let text = "  'a/${entry.key}': {list: {url: 'https://a.example/l', format: index}}"
    let entries = (0..<3).map { ListEntry(key: "x\($0)", name: "x\($0)", url: "https://a.example/x\($0)") }
    let found = read(text, { $0.limits.targets = 2 }, lists: ListedEntries(["a/${entry.key}": entries]))
    #expect(found == ["syncmake.yaml:3: more targets than the policy allows: 2"])
  }
}
