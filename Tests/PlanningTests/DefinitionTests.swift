import Planning
import SyncModel
import Testing

@Suite struct DefinitionTests {
  private let sidecar = DigestSource.sidecar(Sidecar(.web("https://data.example/a.md5")))

  private func fields(_ change: (inout Target) -> Void = { _ in }, secrets: SecretMask = SecretMask())
    -> [DefinitionField]
  {
    var manifest = manifest(["list": [], "a": []])
    manifest.secrets = secrets
    change(&manifest.targets[1])
    return Definition.fields(of: manifest.targets[1], in: manifest)
  }

  @Test func `a web target is its url, output and steps, in that order`() {
    let fields = fields { $0.steps = [.gunzip] }
    #expect(
      fields == [
        DefinitionField(name: "url", value: "https://data.example/a"),
        DefinitionField(name: "output", value: "a"),
        DefinitionField(name: "steps", value: "gunzip"),
      ])
  }

  @Test func `a target made from another names it and has no url`() {
    #expect(fields { $0.source = .target(TargetID(0)) }.first == DefinitionField(name: "from", value: "list"))
  }

  @Test func `a change of invisible characters is a change`() {
    func fields(_ name: String) -> [DefinitionField] {
      self.fields { $0.source = .urls([.web("https://data.example/\(name)")]) }
    }
    let changes = Definition.changes(from: fields("\u{E9}"), to: fields("e\u{301}"))
    #expect(changes.map(\.field) == ["url"])
  }

  @Test func `without steps there is no field for them`() {
    #expect(fields().map(\.name) == ["url", "output"])
  }

  @Test func `only unpacking without an entry makes a folder`() throws {
    let pattern = try PathPattern("unpack")
    #expect(
      Definition.isOfFolder(fields { $0.steps = [.gunzip, .unpack(UnpackRules(.folder(TreeRules())))] }))
    #expect(!Definition.isOfFolder(fields { $0.steps = [.unpack(UnpackRules(entry: pattern))] }))
    #expect(!Definition.isOfFolder(fields()))
  }

  @Test func `mirrors are one per line, in their order`() {
    let fields = fields { $0.source = .urls([.web("https://b/x"), .file(path: "/srv/x", written: "../x")]) }
    #expect(fields.first?.value == "https://b/x\n../x")
  }

  @Test func `every form of a step has its own spelling`() throws {
    let pattern = try PathPattern("*/rg")
    var both = TreeRules()
    both.include = [try PathPattern("a, b")]
    let steps: [(Step, String)] = [
      (.gunzip, "gunzip"), (.decompress(.xz), "unxz"), (.decompress(.bzip2), "bunzip2"),
      // The limit for windows does not change the bytes.
      (.decompress(.zstd), "unzstd"), (.decompress(.zstd, window: 1 << 30), "unzstd"),
      (.unpack(UnpackRules(entry: pattern)), "unpack: {entry: */rg}"),
      (
        .unpack(
          UnpackRules(entry: pattern, format: .tarGzip, strip: .count(2), exclude: [pattern], mostEntries: 5)),
        "unpack: {entry: */rg, format: tar.gz, strip: 2, exclude: [*/rg]}"
      ), (.unpack(UnpackRules(entry: pattern, strip: .auto)), "unpack: {entry: */rg, strip: auto}"),
      (
        .unpack(UnpackRules(.folder(both), exclude: [try PathPattern("a"), try PathPattern("b")])),
        "unpack: {exclude: [a, b], include: [\"a, b\"]}"
      ), (.verifySize(12), "verify: {size: 12}"),
      (.verifyDigest(.md5, .literal(hex("d", .md5))), "verify: {md5: dddddddddddddddddddddddddddddddd}"),
      (.verifyDigest(.sha512, sidecar), "verify: {sha512: {url: https://data.example/a.md5}}"),
      (
        .verifyDigest(.sha1, .entry(TargetID(0), name: "a.gz")), "verify: {sha1: {target: list, entry: a.gz}}"
      ),
    ]
    #expect(fields { $0.steps = steps.map(\.0) }.last?.value == steps.map(\.1).joined(separator: "\n"))
  }

  @Test func `an entry's name cannot look like a second step`() {
    let one = fields { $0.steps = [.verifyDigest(.md5, .entry(TargetID(0), name: "x}}\ngunzip"))] }
    #expect(one.last?.value.contains("\n") == false)
    let other = fields { $0.steps = [.verifyDigest(.md5, .entry(TargetID(0), name: "x}}\\ngunzip"))] }
    #expect(one != other)
  }

  @Test func `secrets are masked, also percent-encoded ones, so that a new secret changes nothing`() {
    func url(_ secret: String, _ text: String) -> [DefinitionField] {
      fields(
        { $0.source = .urls([.web("https://data.example/\(text)/a")]) }, secrets: SecretMask(values: [secret])
      )
    }
    #expect(url("s3/cret", "s3%2Fcret").first?.value == "https://data.example/***/a")
    #expect(Definition.changes(from: url("old", "old"), to: url("new", "new")).isEmpty)
  }

  @Test func `settings that do not affect the bytes are not part of the definition`() {
    let other = fields {
      $0.freshness = .always
      $0.needs = [TargetID(0)]
      $0.headers = [RequestHeader(name: "X", value: "y")]
      $0.retries = 0
      $0.mode = 0o600
      $0.localChanges = .keep
      $0.tags = ["t"]
    }
    #expect(other == fields())
  }

  @Test(
    arguments: [
      ([("url", "x")], [("url", "x")], []),
      ([("url", "x")], [("url", "y")], [FieldChange(field: "url", was: "x", now: "y")]),
      (
        [("output", "o")], [("output", "o"), ("steps", "gunzip")],
        [FieldChange(field: "steps", was: nil, now: "gunzip")]
      ),
      (
        [("output", "o"), ("steps", "gunzip")], [("output", "o")],
        [FieldChange(field: "steps", was: "gunzip", now: nil)]
      ),
      (
        [("url", "x"), ("output", "o")], [("from", "t"), ("output", "p")],
        [
          FieldChange(field: "from", was: nil, now: "t"), FieldChange(field: "output", was: "o", now: "p"),
          FieldChange(field: "url", was: "x", now: nil),
        ]
      ),
    ] as [([(String, String)], [(String, String)], [FieldChange])])
  func `changes are reported field by field`(
    recorded: [(String, String)], current: [(String, String)], changes: [FieldChange]
  ) {
    func fields(_ pairs: [(String, String)]) -> [DefinitionField] {
      pairs.map { DefinitionField(name: $0.0, value: $0.1) }
    }
    #expect(Definition.changes(from: fields(recorded), to: fields(current)) == changes)
  }
}
