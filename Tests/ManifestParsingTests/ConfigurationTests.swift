import Foundation
import ManifestParsing
import SyncModel
import SyncTestSupport
import Testing

@Suite struct `The user's configuration` {
  private func read(_ text: String) -> ConfigurationParse {
    ConfigurationParser.parse(Array(text.utf8), fileName: "config.yaml") { "/folder/" + $0 }
  }

  @Test func `says what holds for every manifest`() throws {
    let configuration = try #require(
      read(
        """
        jobs: 4
        cache: ~/sm
        cache_size: 50GB
        cache_link: hardlink
        remote_cache: {url: "https://c.example/sm/", mode: read-write, trust: writers}
        rewrite:
          - {from: "https://a.example/", to: "https://m.example/a/", else: not-found}
          - from: https://b.example
            to: http://m.example/b
        credentials:
          - {host: "*.corp", helper: corp-helper}
          - {host: a.corp, helper: ./bin/helper}
        hosts: {"api.example": {connections: 2, rate: 3/s}, "*": {connections: 4}}
        """
      ).configuration)
    #expect(configuration.jobs == .init(4, line: 1))
    #expect(configuration.cache == .init("/folder/~/sm", line: 2))
    #expect(configuration.cacheSize == .init(50_000_000_000, line: 3))
    #expect(configuration.cacheLink == .init(.hardlink, line: 4))
    #expect(configuration.remoteCache?.line == 5)
    let remote = try #require(configuration.remoteCache?.value)
    #expect(remote.url == "https://c.example/sm" && remote.mode == .readWrite && remote.trust == .writers)
    #expect(configuration.rewrites.map(\.line) == [7, 8])
    #expect(configuration.rewrites.map(\.value.otherwise) == [.notFound, .never])
    #expect(configuration.credentials.map(\.value.program) == ["corp-helper", "/folder/./bin/helper"])
    #expect(configuration.credentials.map(\.value.helper) == ["corp-helper", "./bin/helper"])
    #expect(configuration.hosts.limit(for: "api.example") == 2 && configuration.hosts.limit(for: "x") == 4)
    #expect(configuration.hostLines.map(\.value) == ["api.example", "*"])
    #expect(!configuration.leavesRequests)
  }

  @Test func `says whose records count`() throws {
    let text = "remote_cache: {trust: signed, keys: [\(TestKey.two.shared), \(Self.signer)]}"
    let rule = try #require(read(text).configuration?.remoteCache?.value)
    #expect(rule.trust == .signed && rule.keys.map(\.text) == [TestKey.two.shared, Self.signer])
    #expect(rule.named("https://c.example")?.keys == rule.keys)
    var placed = rule
    placed.url = "https://c.example"
    #expect(placed.named("https://d.example")?.keys == [])
  }

  @Test(arguments: ["", "# nothing\n", "{}", "---\n"])
  func `may say nothing`(text: String) {
    #expect(read(text).configuration == UserConfiguration())
  }

  /// A public key.
  private static let signer = TestKey.one.shared

  static let bad: [(text: String, place: String, message: String, hint: String?)] = [
    ("jobz: 4", "1:1", "unknown key \"jobz\" in the configuration", "did you mean \"jobs\"?"),
    ("remote: x", "1:1", "unknown key \"remote\" in the configuration", nil),
    (
      "cache:", "1:7", "\"cache\" has no value, expected a folder such as ~/.cache/syncmake, or off", nil
    ),
    (
      "cache_size: 20", "1:13", "\"cache_size\" needs a unit after \"20\"",
      "write \"20GB\"; the units are B, kB, MB, GB, KiB, MiB and GiB"
    ),
    ("cache_size: 0GB", "1:13", "\"cache_size\" must be greater than 0", "\"cache: off\" uses none"),
    ("cache_size: [1GB]", "1:13", "\"cache_size\" must be a size such as 20GB, not a list", nil),
    (
      "cache_link: symlink", "1:13", "\"cache_link\" must be reflink, copy or hardlink, not \"symlink\"", nil
    ),
    (
      "remote_cache: https://a/", "1:15",
      "\"remote_cache\" must be a mapping such as {url: https://cache.example/sm}, not \"https://a/\"", nil
    ),
    (
      "remote_cache: https://u:p4ss@b/", "1:15",
      "\"remote_cache\" must be a mapping such as {url: https://cache.example/sm}, not \"https://u:***@b/\"",
      nil
    ),
    (
      "remote_cache: s3://AKID:p4ss@bucket/x", "1:15",
      "\"remote_cache\" must be a mapping such as {url: https://cache.example/sm}, not \"s3://AKID:***@bucket/x\"",
      nil
    ),
    (
      "remote_cache: {url: 's3://Bucket/x?endpoint=https://u:p4ss@b'}", "1:21",
      "\"url\" has \"Bucket\" for a bucket, and not 3 to 63 of a-z, 0-9, hyphens and dots",
      "write s3://bucket/prefix?region=eu-west-1, and &endpoint=https://… for a server that is not Amazon's"
    ),
    (
      "remote_cache: {url: 'https://u:p4ss@b/'}", "1:21", "\"url\" has a user's name or a password",
      "name a helper under \"credentials\""
    ),
    (
      "remote_cache: {url: ftp://b/}", "1:21",
      "\"url\" must be the address of a cache, such as https://cache.example/sm, or off, not \"ftp://b/\"",
      nil
    ),
    (
      "remote_cache: {url: 's3://AKID:p4ss@bucket/x'}", "1:21", "\"url\" has a key or a password",
      "credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from a profile of the AWS tools"
    ),
    (
      "remote_cache: {url: 's3://bucket/x?secret_key=p4ss'}", "1:21",
      "\"url\" may have only region= and endpoint= after its ?, and not \"secret_key\"",
      "write s3://bucket/prefix?region=eu-west-1, and &endpoint=https://… for a server that is not Amazon's"
    ),
    (
      "remote_cache: {url: 's3://Bucket/x'}", "1:21",
      "\"url\" has \"Bucket\" for a bucket, and not 3 to 63 of a-z, 0-9, hyphens and dots",
      "write s3://bucket/prefix?region=eu-west-1, and &endpoint=https://… for a server that is not Amazon's"
    ),
    (
      "remote_cache: {url: 'https://b/', mode: readwrite}", "1:41",
      "\"mode\" must be read, write or read-write, not \"readwrite\"", "did you mean \"read-write\"?"
    ),
    (
      "remote_cache: {trust: everyone}", "1:23",
      "\"trust\" must be digest, writers or signed, not \"everyone\"",
      nil
    ),
    (
      "remote_cache: {trust: signed}", "1:23", "\"trust: signed\" needs \"keys\"",
      "write keys: [RW…], whose records count"
    ),
    (
      "remote_cache: {keys: [\(signer)]}", "1:16", "\"keys\" needs \"trust: signed\"",
      "without it every record or none counts"
    ),
    (
      "remote_cache: {trust: writers, keys: [\(signer)]}", "1:32", "\"keys\" needs \"trust: signed\"",
      "without it every record or none counts"
    ),
    (
      "remote_cache: {trust: signed, keys: []}", "1:37",
      "\"keys\" must be a list of minisign public keys", "write [RW…]"
    ),
    (
      "remote_cache: {trust: signed, keys: \(signer)}", "1:37",
      "\"keys\" must be a list of minisign public keys", "write [RW…]"
    ),
    (
      "remote_cache: {trust: signed, keys: [\(signer), RWxx]}", "1:96",
      "an item of \"keys\" is not a minisign public key: it has 3 bytes, not 42",
      "a key is the second line of the publisher's .pub file: 56 characters that begin with RW"
    ),
    (
      "remote_cache: {trust: signed, keys: [RWX\(signer.dropFirst(3))]}", "1:38",
      "an item of \"keys\" is not a minisign public key: its algorithm is not Ed25519",
      "a key is the second line of the publisher's .pub file: 56 characters that begin with RW"
    ),
    (
      "remote_cache: {urls: off}", "1:16", "unknown key \"urls\" in \"remote_cache\"", "did you mean \"url\"?"
    ),
    ("jobs: 0", "1:7", "\"jobs\" must be between 1 and 10000, not \"0\"", nil),
    ("jobs: many", "1:7", "\"jobs\" must be a whole number such as 8, not \"many\"", nil),
    ("jobs:", "1:6", "\"jobs\" has no value, expected a whole number such as 8", nil),
    ("[1]", "1:1", "the configuration must be a mapping such as {jobs: 8}, not a list", nil),
    ("jobs: 1\njobs: 2", "2:1", "duplicate key \"jobs\"", "first used on line 1"),
    ("rewrite: [{from: 'https://a/'}]", "1:11", "\"to\" is missing", nil),
    (
      "rewrite: [{from: 'https://a/', too: 'https://b/'}]", "1:32",
      "unknown key \"too\" in a rule of \"rewrite\"", "did you mean \"to\"?"
    ),
    (
      "rewrite: [{from: a, to: 'https://b/'}]", "1:18",
      "\"from\" must be an address such as https://mirror.example/files/, not \"a\"",
      "write http or https, a host and perhaps a path, without ? and #"
    ),
    (
      "rewrite: [{from: 'https://a/', to: 'https://u:p4ss@b/'}]", "1:36",
      "\"to\" has a user's name or a password", "name a helper under \"credentials\""
    ),
    (
      "rewrite: [{from: 'https://a/', to: 'https://b/', else: not-fund}]", "1:56",
      "\"else\" must be never, not-found or error, not \"not-fund\"", "did you mean \"not-found\"?"
    ),
    ("credentials: [{host: a.corp}]", "1:15", "\"helper\" is missing", nil),
    (
      "credentials: [{host: 'https://a.corp', helper: h}]", "1:22", "\"https://a.corp\" is not a host's name",
      "write only the host, without scheme, port and path; *.example means every host in example"
    ),
    (
      "credentials: [{host: a, helper: h get}]", "1:33",
      "\"helper\" is a program, and gets no arguments of its own",
      "write a small script that calls it"
    ),
    (
      "hosts: {a: {connection: 3}}", "1:13", "unknown key \"connection\" in host \"a\"",
      "did you mean \"connections\"?"
    ),
  ]

  @Test(arguments: bad.indices)
  func `a problem has its place`(index: Int) throws {
    let (text, place, message, hint) = Self.bad[index]
    let parse = read(text)
    #expect(parse.configuration == nil)
    let problem = try #require(parse.diagnostics.first)
    #expect(problem.message == message)
    #expect(problem.span.map { "\($0.line):\($0.column)" } == place, "\(text)")
    if let hint { #expect(problem.hint == hint) }
    #expect(problem.sourceLine?.contains("p4ss") != true)
  }

  @Test func `off is no folder`() throws {
    #expect(try #require(read("cache: off").configuration).cache?.value == "off")
    #expect(try #require(read("cache: ./off").configuration).cache?.value == "/folder/./off")
  }

  @Test func `what is said of one server does not count for another`() throws {
    let text = "remote_cache: {url: 'https://c.example', mode: write, trust: writers}"
    let rule = try #require(read(text).configuration?.remoteCache?.value)
    #expect(rule.named(nil) == rule && rule.named("https://c.example") == rule)
    #expect(rule.named("https://d.example") == RemoteCacheRule(url: "https://d.example"))
    #expect(rule.named("off") == nil)
    let open = try #require(read("remote_cache: {mode: write}").configuration?.remoteCache?.value)
    #expect(open.named(nil) == nil && open.named("https://d.example")?.mode == .write)
    #expect(
      try #require(read("remote_cache: {url: off}").configuration?.remoteCache?.value).named(nil) == nil)
  }

  @Test func `every problem is reported in one run`() {
    let parse = read("jobs: x\nrewrite: 7\ncredentials: {}\nhosts: []\nother: 1\n")
    #expect(parse.diagnostics.map { $0.span?.line } == [1, 2, 3, 4, 5])
  }

  @Test func `has a limit, and is UTF-8`() {
    let large = ConfigurationParser.parse(
      Array(repeating: UInt8(ascii: "#"), count: ConfigurationParser.maximumSize + 1), fileName: "c"
    ) { $0 }
    #expect(large.diagnostics.map(\.message) == ["a configuration has at most 1 MiB"])
    #expect(ConfigurationParser.parse([0x6A, 0xFF, 0xFE], fileName: "c") { $0 }.configuration == nil)
  }

  @Test func `its schema accepts what the reader accepts`() throws {
    let schema = try String(
      contentsOf: SchemaValidator.repository.appending(path: "schema/configuration.schema.json"),
      encoding: .utf8)
    let good = [
      "jobs: 4", "jobs: '4'", "{}", "hosts: {a: {rate: 3/s}, '*': {connections: 2}}",
      "rewrite: [{from: 'https://a/', to: 'http://b/c', else: error}]",
      "credentials: [{host: '*.corp', helper: ~/bin/h}, {host: '*', helper: h}]",
      "cache: ~/.cache/sm\ncache_size: 5GiB", "cache: off", "cache_link: reflink", "cache_link: hardlink",
      "remote_cache: {url: off}",
      "remote_cache: {url: 'https://c/sm', mode: read-write, trust: writers}", "remote_cache: {mode: write}",
      "remote_cache: {url: 's3://bucket'}", "remote_cache: {url: 'S3://bucket/a'}", "cache: 2024",
      "cache: true",
      "credentials: [{host: 1.5, helper: 7}, {host: true, helper: false}]",
      "remote_cache: {url: 's3://bucket/a/b?endpoint=https://s3.corp:9000'}",
      "remote_cache: {url: 's3://my.bucket-1/a?region=eu-west-1&endpoint=http://127.0.0.1:9/x'}",
      "remote_cache: {trust: signed, keys: [\(Self.signer), \(TestKey.two.shared)]}",
      "remote_cache: {trust: digest, keys: [\(Self.signer)]}",
    ]
    let bad = [
      "jobz: 4", "jobs: 0", "rewrite: [{from: 'https://a/'}]", "rewrite: [{from: a, to: 'https://b/'}]",
      "rewrite: [{from: 'https://a/?q', to: 'https://b/'}]", "credentials: [{host: 'https://a', helper: h}]",
      "credentials: [{host: '::g', helper: h}]", "hosts: {'::g': {connections: 1}}",
      "rewrite: [{from: 'https://a/', to: 'https://b/', else: x}]", "hosts: {a: {}}", "hosts: {a: {rate: 3}}",
      "cache: [a]", "cache_size: 5", "cache_size: 5gb", "cache_link: soft", "cache_link: off",
      "remote_cache: off", "remote_cache: {url: c}",
      "remote_cache: {mode: on}", "remote_cache: {trust: all}", "remote_cache: {uri: 'https://c/'}",
      "remote_cache: {url: 's3://b'}", "remote_cache: {url: 's3://Bucket/x'}",
      "remote_cache: {url: 's3://bucket?key=x'}",
      "remote_cache: {url: 's3://u@bucket'}", "remote_cache: {url: 's3:bucket'}",
      "remote_cache: {url: 's3://bucket#x'}",
      "remote_cache: {trust: signed}", "remote_cache: {keys: [\(Self.signer)]}",
      "remote_cache: {trust: writers, keys: [\(Self.signer)]}", "remote_cache: {trust: signed, keys: []}",
      "remote_cache: {trust: signed, keys: [x]}", "remote_cache: {trust: signed, keys: \(Self.signer)}",
      "remote_cache: {trust: signed, keys: [RWX\(Self.signer.dropFirst(3))]}",
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
      #expect((read(text).configuration != nil) == isGood, "\(text)")
      #expect((verdicts[paths[index]] == .some(nil)) == isGood, "\(text): \(verdicts[paths[index]] as Any)")
    }
  }
}

@Suite struct `A secret in a file` {
  private func read(_ bytes: [UInt8]) -> ManifestParse {
    var context = ManifestContext { _ in nil }
    context.secretFile = { path throws(SecretFileFault) in
      guard path == "/run/secrets/token" else { throw .system("No such file or directory") }
      return bytes
    }
    let text =
      "version: 1\ntargets:\n  a: {url: 'https://a.example/', output: a, auth: {bearer: '${secret:file:/run/secrets/token}'}}\n"
    return ManifestParser.parse(Array(text.utf8), context: context)
  }

  @Test(arguments: ["t0ken", "t0ken\n", "t0ken\r\n"])
  func `loses one line end`(text: String) throws {
    let manifest = try #require(read(Array(text.utf8)).manifest)
    #expect(manifest.targets[0].authentication == .bearer(ByteString("t0ken")))
    #expect(manifest.secrets.mask("a t0ken") == "a ***")
  }

  @Test(arguments: [
    ("", "it is empty"), ("\n", "it is empty"), ("a\nb", "it has several lines"),
    ("a\n\n", "it has several lines"),
    ("a\0", "it has control characters, or is not UTF-8"),
    (String(repeating: "x", count: SecretFileFault.mostBytes + 1), "it has more than 64 KiB"),
  ])
  func `must be one line`(text: String, why: String) {
    let diagnostics = read(Array(text.utf8)).diagnostics
    #expect(diagnostics.map(\.message) == ["the secret file \"/run/secrets/token\" cannot be used: \(why)"])
    #expect(diagnostics.first?.span?.line == 3)
  }

  @Test func `must be UTF-8`() {
    #expect(read([0x61, 0xFF]).diagnostics.count == 1)
  }

  @Test func `is unknown where there are no files`() {
    let text = "version: 1\ntargets: {a: {url: '${secret:file:/x}', output: a}}\n"
    let parse = ManifestParser.parse(Array(text.utf8), context: ManifestContext { _ in nil })
    #expect(
      parse.diagnostics.map(\.message) == ["the secret file \"/x\" cannot be used: there are no files here"])
  }
}
