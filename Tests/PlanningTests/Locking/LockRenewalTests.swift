import Planning
import SyncModel
import Testing

@Suite struct LockRenewalTests {
  private func pin(_ digit: Character, etag: String? = nil) -> Pin {
    let content = Pin.Content(size: 1, sha256: hex(digit))
    return Pin(
      source: .urls(["https://data.example/a"]), download: content, output: content,
      etag: etag.map { EntityTag($0) })
  }

  private func identity(_ digit: Character) -> ContentIdentity {
    ContentIdentity(size: 1, digests: [.sha256: hex(digit)])
  }

  @Test func `the next lock has the new pins, keeps those of other targets, and drops removed ones`() {
    let manifest = manifest(["a": [], "b": [], "c": []])
    let old = LockFile(pins: [
      TargetName("a"): pin("1"), TargetName("b"): pin("2"), TargetName("gone"): pin("3"),
    ])
    let lock = LockRenewal.lock(after: old, found: [TargetName("a"): pin("4")], in: manifest, isWhole: true)
    #expect(lock.pins == [TargetName("a"): pin("4"), TargetName("b"): pin("2")])
  }

  @Test
  func `a lock of named targets keeps what the manifest no longer has, but not of a list that was read`() {
    var manifest = manifest(["a": []])
    let list = ListDeclaration(
      template: "t", span: manifest.targets[0].span, url: .web("https://h/l"), format: .json)
    manifest.templates = [ListTemplate(list, .expanded(first: TargetID(1), entries: []))]
    var entry = pin("3")
    entry.entry = PinnedEntry(template: "t", entry: ListEntry(key: "c", name: "c", url: "https://h/c"))
    var old = LockFile(pins: [
      TargetName("a"): pin("1"), TargetName("gone"): pin("2"), TargetName("t/c"): entry,
    ])
    old.emptyLists = ["left"]
    old.values = [TargetName("gone"): ["v": LockedValue(part: "line: 1", text: "x")]]
    func lock(isWhole: Bool) -> LockFile {
      LockRenewal.lock(after: old, found: [TargetName("a"): pin("4")], in: manifest, isWhole: isWhole)
    }
    #expect(
      lock(isWhole: false).pins == [TargetName("a"): pin("4"), TargetName("gone"): pin("2")])
    #expect(lock(isWhole: false).emptyLists == ["left"])
    #expect(lock(isWhole: false).values == old.values && lock(isWhole: true).values.isEmpty)
    #expect(lock(isWhole: true).pins == [TargetName("a"): pin("4")])
    #expect(lock(isWhole: true).emptyLists == ["t"])
  }

  @Test func `each change has its kind, sorted by name`() {
    let old = LockFile(pins: [
      TargetName("same"): pin("1"), TargetName("moved"): pin("1"), TargetName("renewed"): pin("1"),
      TargetName("gone"): pin("1"),
    ])
    let new = LockFile(pins: [
      TargetName("same"): pin("1"), TargetName("moved"): pin("2"),
      TargetName("renewed"): pin("1", etag: "\"x\""),
      TargetName("added"): pin("1"),
    ])
    let changes = LockRenewal.changes(from: old, to: new)
    #expect(changes.map(\.name.text) == ["added", "gone", "moved", "renewed"])
    #expect(changes.map(\.kind) == [.added, .removed, .moved, .renewed])
    #expect(changes[2].was == pin("1"))
    #expect(changes[2].now == pin("2"))
    #expect(LockRenewal.changes(from: nil, to: new).allSatisfy { $0.kind == .added })
    #expect(LockRenewal.changes(from: new, to: new).isEmpty)
  }

  @Test func `the same bytes from another kind of source are not a move`() {
    let made = Pin(
      source: .target(TargetName("b")), download: nil, output: Pin.Content(size: 1, sha256: hex("1")))
    for (was, now) in [(made, pin("1")), (pin("1"), made)] {
      let (old, new) = (LockFile(pins: [TargetName("a"): was]), LockFile(pins: [TargetName("a"): now]))
      #expect(LockRenewal.changes(from: old, to: new).map(\.kind) == [.renewed])
    }
    let other = LockFile(pins: [TargetName("a"): pin("2")])
    #expect(
      LockRenewal.changes(from: LockFile(pins: [TargetName("a"): made]), to: other).map(\.kind) == [.moved])
  }

  @Test func `a pin has the source, both contents and the validators, secrets masked`() {
    var manifest = manifest(["a": []])
    manifest.targets[0].source = .urls([
      .web("https://data.example/a?key=hush"), .web("https://mirror.example/a"),
    ])
    manifest.secrets.add("hush")
    let pin = LockRenewal.pin(
      manifest.targets[0], in: manifest, download: identity("1"), output: identity("2"),
      validators: Validators(etag: EntityTag("\"hush\""), lastModified: "now", fileStamp: "1-2", url: "x"))
    #expect(
      pin
        == Pin(
          source: .urls(["https://data.example/a?key=***", "https://mirror.example/a"]),
          download: Pin.Content(size: 1, sha256: hex("1")), output: Pin.Content(size: 1, sha256: hex("2")),
          etag: EntityTag("\"***\""), lastModified: "now"))
  }

  @Test func `a validator that does not fit in a header line is left out`() {
    let manifest = manifest(["a": []])
    let pin = LockRenewal.pin(
      manifest.targets[0], in: manifest, download: nil, output: identity("1"),
      validators: Validators(etag: EntityTag("\"a\r\nb\""), lastModified: "now\u{7F}", url: "x"))
    #expect(pin != nil && pin?.etag == nil && pin?.lastModified == nil)
  }

  @Test func `without a transforming step the output is the download; with one it is unknown`() {
    var manifest = manifest(["a": []])
    func pin() -> Pin? {
      LockRenewal.pin(
        manifest.targets[0], in: manifest, download: nil, output: identity("1"), validators: nil)
    }
    #expect(pin()?.download == pin()?.output)
    manifest.targets[0].steps = [.gunzip]
    #expect(pin() == nil)
  }

  @Test func `a target made from another has its name, and no download`() {
    var manifest = manifest(["a": [], "b": []])
    manifest.targets[1].source = .target(TargetID(0))
    let pin = LockRenewal.pin(
      manifest.targets[1], in: manifest, download: identity("9"), output: identity("1"), validators: nil)
    #expect(
      pin
        == Pin(
          source: .target(TargetName("a")), download: nil, output: Pin.Content(size: 1, sha256: hex("1"))))
  }

  @Test func `a pin has the steps that transform, without what cannot change the output's digest`() throws {
    var manifest = manifest(["a": [], "b": []])
    manifest.secrets.add("hush")
    var tree = TreeRules()
    (tree.include, tree.keepsModes, tree.keepsTimes) = ([try PathPattern("hush/**")], true, true)
    manifest.targets[0].steps = [
      .verifySize(1), .gunzip, .unpack(UnpackRules(.folder(tree), format: .tar, strip: .count(1))),
    ]
    func pin(_ index: Int) -> Pin? {
      LockRenewal.pin(
        manifest.targets[index], in: manifest, download: identity("1"), output: identity("2"), validators: nil
      )
    }
    #expect(try #require(pin(0)).steps == ["gunzip", "unpack: {strip: 1, include: [***/**]}"])
    #expect(try #require(pin(1)).steps == [])
    manifest.targets[1].source = .target(TargetID(0))
    manifest.targets[1].steps = [.gunzip]
    #expect(try #require(pin(1)).steps == ["gunzip"])
    manifest.targets[1].steps = [.unpack(UnpackRules(.folder(TreeRules())))]
    #expect(try #require(pin(1)).steps == ["unpack"])
    // A lock has no control characters.
    tree.include = [try PathPattern("a\u{85}b")]
    manifest.targets[1].steps = [.unpack(UnpackRules(.folder(tree)))]
    #expect(try #require(pin(1)).steps == [])
  }

  @Test func `update asks the source even if the rule would not`() {
    #expect(FreshnessRule.once.askingNow == .etag)
    #expect(FreshnessRule.interval(period: .seconds(5), then: .mtime).askingNow == .mtime)
    #expect(FreshnessRule.interval(period: .seconds(5), then: .once).askingNow == .etag)
    #expect(FreshnessRule.always.askingNow == .always)
    let situation = Situation.inOrder(.interval(period: .seconds(3600), then: .etag))
    var question = situation.question
    #expect(question.rule == situation.target.freshness)
    question.asksNow = true
    #expect(question.rule == .etag)
  }
}

@Suite struct LockReviewTests {
  private let content = Pin.Content(size: 5, sha256: hex("a"))

  private func contradiction(_ change: (inout Target, inout Pin) -> Void) -> LockContradiction? {
    var manifest = manifest(["dep": [], "a": []])
    var pin = Pin(source: .urls(["https://data.example/a"]), download: content, output: content)
    change(&manifest.targets[1], &pin)
    return LockReview(LockFile(pins: [TargetName("a"): pin]), manifest).contradictions.first?.what
  }

  @Test func `a matching pin is no contradiction, and a target without a pin is reported`() {
    #expect(contradiction { _, _ in } == nil)
    let manifest = manifest(["dep": [], "a": []])
    let review = LockReview(LockFile(), manifest)
    #expect(review.lacking == [TargetID(0), TargetID(1)])
    #expect(review.of([TargetID(1)]).lacking == [TargetID(1)])
    #expect(review.contradictions.isEmpty)
  }

  @Test func `another source is a contradiction: URL, mirrors, from`() {
    let url = Pin.Source.urls(["https://data.example/a"])
    #expect(
      contradiction { target, _ in target.source = .urls([.web("https://b/")]) }
        == .source(locked: url, now: .urls(["https://b/"])))
    #expect(
      contradiction { target, _ in target.source = .target(TargetID(0)) }
        == .source(locked: url, now: .target(TargetName("dep"))))
  }

  @Test func `a digest in the manifest is compared with the bytes that it covers`() {
    func rule(_ of: DigestRule.Subject, _ digest: HexDigest, _ algorithm: DigestAlgorithm = .sha256)
      -> FreshnessRule
    {
      .digest(DigestRule(algorithm: algorithm, expected: .literal(digest), of: of))
    }
    let other = Pin.Content(size: 6, sha256: hex("b"))
    for subject in DigestRule.Subject.allCases {
      let found = contradiction { target, pin in
        target.steps = [.gunzip]
        target.freshness = rule(subject, hex("a"))
        if subject == .download { pin.download = other } else { pin.output = other }
      }
      #expect(found == .digest(locked: hex("b"), now: hex("a")))
    }
    #expect(contradiction { target, _ in target.freshness = rule(.download, hex("a")) } == nil)
    // The lock has no digest of another algorithm.
    #expect(contradiction { target, _ in target.freshness = rule(.download, hex("1", .md5), .md5) } == nil)
  }

  @Test func `steps before gunzip check the download, steps after it check the output`() {
    func steps(_ steps: [Step]) -> LockContradiction? {
      contradiction { target, pin in
        target.steps = steps
        pin.download = Pin.Content(size: 2, sha256: hex("b"))
      }
    }
    let wantsDownload = Step.verifyDigest(.sha256, .literal(hex("b")))
    let wantsOutput = Step.verifyDigest(.sha256, .literal(hex("a")))
    #expect(steps([wantsDownload, .verifySize(2), .gunzip, wantsOutput, .verifySize(5)]) == nil)
    #expect(steps([wantsOutput, .gunzip]) == .digest(locked: hex("b"), now: hex("a")))
    #expect(steps([.gunzip, wantsDownload]) == .digest(locked: hex("a"), now: hex("b")))
    #expect(steps([.verifySize(5), .gunzip]) == .size(locked: 2, now: 5))
    #expect(steps([.gunzip, .verifySize(2)]) == .size(locked: 5, now: 2))
    // Between two transforming steps the lock has no digest.
    #expect(steps([.gunzip, .verifySize(99), .gunzip]) == nil)
  }

  @Test func `other steps are a contradiction, if the lock has those that made the output`() {
    func found(_ locked: [String], _ steps: [Step]) -> LockContradiction? {
      contradiction { target, pin in
        (target.steps, pin.steps) = (steps, locked)
        pin.download = Pin.Content(size: 9, sha256: hex("c"))
      }
    }
    #expect(found(["gunzip"], [.verifySize(9), .gunzip]) == nil)
    #expect(found([], [.gunzip, .gunzip]) == nil)
    #expect(found(["gunzip"], [.gunzip, .gunzip]) == .steps(locked: ["gunzip"], now: ["gunzip", "gunzip"]))
    #expect(found(["gunzip"], []) == .steps(locked: ["gunzip"], now: []))
    #expect(found(["gunzip"], [.decompress(.xz)]) == .steps(locked: ["gunzip"], now: ["unxz"]))
  }

  @Test func `a download and an output that differ need a transforming step`() {
    #expect(
      contradiction { _, pin in pin.download = Pin.Content(size: 9, sha256: hex("c")) } == .notTransformed)
    #expect(contradiction { target, _ in target.steps = [.gunzip] } == .transformed)
    #expect(
      contradiction { target, pin in
        target.steps = [.gunzip]
        pin.download = Pin.Content(size: 9, sha256: hex("c"))
      } == nil)
  }
}
