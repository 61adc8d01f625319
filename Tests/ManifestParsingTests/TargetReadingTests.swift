import ManifestParsing
import SyncModel
import Testing

private let md5 = "d41d8cd98f00b204e9800998ecf8427e"

@Suite struct `A target's keys` {
  @Test func `have the defaults of the contract`() throws {
    let target = try target("")
    #expect(target.source == .urls([.web("https://example.org/a")]))
    #expect(target.output.path.text == "a")
    #expect(target.freshness == .etag)
    #expect(target.steps.isEmpty && target.needs.isEmpty && target.after.isEmpty && target.headers.isEmpty)
    #expect(target.authentication == nil)
    #expect(target.retries == 4)
    #expect(target.timeouts == Timeouts(connect: .seconds(10), stall: .seconds(30), total: nil))
    #expect(target.maxSize == nil && target.output.mode == nil)
    #expect(target.localChanges == .refuse && target.unprovenLength == .refuse)
    #expect(target.serverDigest == .use)
    #expect(!target.isOptional && target.summary == nil && target.tags.isEmpty)
    #expect(target.span == SourceSpan(line: 3, column: 3, endColumn: 4))
  }

  @Test(arguments: [
    ("etag", FreshnessRule.etag), ("mtime", .mtime), ("once", .once), ("always", .always),
    ("{interval: 12h}", .interval(period: .seconds(43200), then: .etag)),
    ("{interval: 1h30m, then: always}", .interval(period: .seconds(5400), then: .always)),
    ("{md5: \(md5)}", .digest(DigestRule(algorithm: .md5, expected: .literal(HexDigest(hex: md5)!)))),
    (
      "{of: output, sha1: {url: x.sha1}}",
      .digest(
        DigestRule(
          algorithm: .sha1, expected: .sidecar(Sidecar(.file(path: "x.sha1", written: "x.sha1"))), of: .output
        ))
    ),
    (
      "{sha256: {target: sums, entry: a}}",
      .digest(
        DigestRule(algorithm: .sha256, expected: .entry(TargetID(1), name: "a")))
    ),
    (
      "{interval: 2w, then: {md5: {url: 'https://example.org/m'}}}",
      .interval(
        period: .seconds(1_209_600),
        then: .digest(DigestRule(algorithm: .md5, expected: .sidecar(Sidecar(.web("https://example.org/m")))))
      )
    ),
  ])
  func `read every form of a rule`(text: String, rule: FreshnessRule) throws {
    #expect(try target("freshness: \(text)").freshness == rule)
  }

  @Test func `read every form of a step`() throws {
    let steps = try target(
      "steps: [gunzip, verify: {size: 5}, verify: {md5: \(md5.uppercased())}, verify: {sha512: {target: sums, entry: b}}]"
    ).steps
    #expect(
      steps == [
        .gunzip, .verifySize(5), .verifyDigest(.md5, .literal(HexDigest(hex: md5)!)),
        .verifyDigest(.sha512, .entry(TargetID(1), name: "b")),
      ])
    #expect(
      try target("steps: [unxz, unzstd, bunzip2, unzstd: {window: 2GiB}, unzstd: {window: 1KiB}]").steps == [
        .decompress(.xz), .decompress(.zstd), .decompress(.bzip2), .decompress(.zstd, window: 2 << 30),
        .decompress(.zstd, window: 1024),
      ])
  }

  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("30s", .seconds(30)), ("15m", .seconds(900)),
    ("1d", .seconds(86400)),
    ("2w", .seconds(1_209_600)), ("1w2d3h4m5s6ms", .milliseconds(788_645_006)),
  ])
  func `read durations`(text: String, duration: Duration) throws {
    #expect(try target("timeout: {stall: \(text)}").timeouts.stall == duration)
  }

  @Test(
    arguments: [
      ("1B", 1), ("2kB", 2000), ("500MB", 500_000_000), ("3GB", 3_000_000_000), ("1KiB", 1024),
      ("1MiB", 1_048_576),
      ("2GiB", 2_147_483_648),
    ] as [(String, Int64)])
  func `read sizes`(text: String, size: Int64) throws {
    #expect(try target("max_size: \(text)").maxSize == size)
  }

  @Test(arguments: ["\"0644\"", "0644", "644", "\"0o644\""])
  func `read modes as octal`(text: String) throws {
    #expect(try target("mode: \(text)").output.mode == 0o644)
  }

  @Test func `read headers in order and each kind of auth`() throws {
    let headers = try target("headers: {X-B: 1, X-A: no}").headers
    #expect(headers == [RequestHeader(name: "X-B", value: "1"), RequestHeader(name: "X-A", value: "no")])
    #expect(try target("auth: {bearer: t}").authentication == .bearer("t"))
    #expect(
      try target("auth: {basic: {user: u, password: ''}}").authentication == .basic(user: "u", password: ""))
    #expect(try target("auth: {netrc: true}").authentication == .netrc)
  }

  @Test func `read the rest`() throws {
    let target = try target(
      "retries: 0, local_changes: keep, unproven_length: accept, server_digest: ignore, cache: off, optional: TRUE, description: 5, tags: [x, y, x]"
    )
    #expect(target.retries == 0)
    #expect(target.localChanges == .keep && target.unprovenLength == .accept && target.isOptional)
    #expect(target.serverDigest == .ignore && target.cache == .off)
    #expect(target.summary == "5" && target.tags == ["x", "y"])
  }

  @Test func `contain each dependency once`() throws {
    let target = try target("needs: [sums, sums], after: [sums]")
    #expect(target.needs == [TargetID(1)] && target.after == [TargetID(1)])
  }

  @Test func `keep every byte of a plain scalar`() throws {
    #expect(try target("output: no").output.path.text == "no")
    #expect(try target("output: 1.50").output.path.text == "1.50")
    #expect(try target("output: 0x10").output.path.text == "0x10")
  }
}

@Suite struct `A source` {
  @Test(arguments: [
    ("https://example.org/a?b#c", SourceURL.web("https://example.org/a?b")),
    ("HTTP://Example.org:80/a", .web("HTTP://Example.org:80/a")),
    ("https://example.org/a/@b", .web("https://example.org/a/@b")),
    ("file:///srv/a%20b", .file(path: "/srv/a b", written: "file:///srv/a%20b")),
    ("file://localhost/srv/a", .file(path: "/srv/a", written: "file://localhost/srv/a")),
    ("data/a b#c", .file(path: "data/a b#c", written: "data/a b#c")),
    ("../a:b", .file(path: "../a:b", written: "../a:b")),
  ])
  func `is recognised`(text: String, url: SourceURL) throws {
    let manifest = try manifest("version: 1\ntargets: {a: {url: '\(text)', output: out}}")
    #expect(manifest.targets[0].source == .urls([url]))
  }

  @Test(arguments: [
    "a:b", "ftp://x/y", "s3:x", "https:/x/y", "https://", "https://@x/y", "https://u:@x/y",
    "https://exa mple.org/",
    "https://x/\u{2003}y", "https://x\u{301}/@y:z@w/", "https://x\\@y/", "http://[::1/x", "file:x",
    "file:////", "a/..", ".", "/",
    "https://x:0/", "https://x:/\u{85}",
  ])
  func `is refused if it is invalid`(text: String) {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\u{85}", with: "\\N")
    let parse = parse("version: 1\ntargets: {a: {url: \"\(escaped)\", output: out}}")
    if text == "https://x\u{301}/@y:z@w/" {
      // The path begins before the "@", so these are not credentials.
      #expect(parse.diagnostics.isEmpty)
    } else {
      #expect(parse.diagnostics.count == 1, "\(Corpus.render(parse.diagnostics))")
    }
  }

  @Test func `with a password is refused without showing it`() throws {
    let parse = parse("version: 1\ntargets: {a: {url: 'https://me:s3cr3t@example.org/a'}}")
    let diagnostic = try #require(parse.diagnostics.first)
    #expect(diagnostic.hint?.contains("auth") == true)
    #expect(!"\(diagnostic)".contains("s3cr3t"))
  }
}

@Suite struct `An output's name` {
  @Test(arguments: [
    ("https://example.org/x/genes.tsv", "", "genes.tsv"),
    ("https://example.org/genes.tsv.gz", "", "genes.tsv.gz"),
    ("https://example.org/genes.tsv.gz", "gunzip", "genes.tsv"),
    ("https://example.org/genes.GZ?x=y.z", "gunzip", "genes"),
    ("https://example.org/genes.tgz", "gunzip", "genes.tar"),
    ("https://example.org/genes.gzip", "gunzip", "genes"),
    ("https://example.org/genes.gz.gz", "gunzip, gunzip", "genes"),
    ("https://example.org/genes", "gunzip", "genes"),
    ("https://example.org/a%20b.gz", "gunzip", "a b"),
    ("https://example.org/.gz", "gunzip", ".gz"),
    ("https://example.org/genes.xz", "gunzip", "genes.xz"),
    ("https://example.org/genes.tsv.xz", "unxz", "genes.tsv"),
    ("https://example.org/genes.lzma", "unxz", "genes"),
    ("https://example.org/genes.txz", "unxz", "genes.tar"),
    ("https://example.org/genes.tlz", "unxz", "genes.tar"),
    ("https://example.org/genes.tsv.ZST", "unzstd", "genes.tsv"),
    ("https://example.org/genes.zstd", "'unzstd': {window: 1GB}", "genes"),
    ("https://example.org/genes.tzst", "unzstd", "genes.tar"),
    ("https://example.org/genes.bz2", "bunzip2", "genes"),
    ("https://example.org/genes.tbz2", "bunzip2", "genes.tar"),
    ("https://example.org/genes.tbz", "bunzip2", "genes.tar"),
    ("https://example.org/genes.gz.bz2", "bunzip2, gunzip", "genes"),
    ("folder/genes.gz", "gunzip", "genes"),
    ("file:///srv/genes%2Egz", "gunzip", "genes"),
  ])
  func `is the last part of the URL's path without the suffix that unpacking removes`(
    url: String, steps: String, name: String
  ) throws {
    let manifest = try manifest("version: 1\ntargets: {a: {url: '\(url)', steps: [\(steps)]}}")
    #expect(manifest.targets[0].output.path.text == name)
  }

  @Test func `comes from the first of several mirrors`() throws {
    let manifest = try manifest("version: 1\ntargets: {a: {url: ['https://x.org/one', 'https://y.org/two']}}")
    #expect(manifest.targets[0].output.path.text == "one")
  }

  @Test func `of a derived target is beside its input, through chains and in any order`() throws {
    let manifest = try manifest(
      """
      version: 1
      targets:
        c: {from: b, steps: [gunzip]}
        b: {from: a, steps: [gunzip]}
        a: {url: https://example.org/x, output: data/x.gz.gz}
      """)
    #expect(manifest.targets.map(\.output.path.text) == ["data/x", "data/x.gz", "data/x.gz.gz"])
    #expect(manifest.targets.map(\.freshness) == [nil, nil, .etag])
    #expect(manifest.targets[0].source == .target(TargetID(1)))
  }

  @Test func `cannot be the place of a moved state folder or of another manifest`() {
    let text = "version: 1\ntargets: {a: {url: x/y, output: var}, b: {url: x/y, output: my.yaml}}"
    #expect(parse(text).diagnostics.isEmpty)
    #expect(parse(text, reservedPaths: ["my.yaml", "var/state", "/abs", "../up"]).diagnostics.count == 2)
  }
}
