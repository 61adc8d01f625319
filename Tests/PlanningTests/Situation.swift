import Planning
import SyncModel

/// A target and all facts behind its verdict; each test changes some of them.
struct Situation {
  var target: Target
  var definition: [DefinitionField]
  var record: TargetRecord?
  var pending: TargetRecord?
  var output: OutputObservation
  var dependencies: [DependencyState] = []
  var directive = FreshnessQuestion.Directive.none
  var overwritesEdits = false
  var now = Situation.now
  var facts = FreshnessQuestion.Facts()
  var pin: Pin?
  var lockedOutput: HexDigest?
  var mustKnowDownload = false
  var hasOtherNames = false

  static let now = Timestamp(seconds: 1_800_000_000)
  static let checkedAt = Timestamp(seconds: 1_799_996_400)
  static let signature = FileSignature(
    size: 456, modified: Timestamp(seconds: 1_700_000_000), changed: Timestamp(seconds: 1_700_000_001),
    inode: 7)
  /// ``signature``'s time as HTTP writes it.
  static let ownTime = Validators(
    lastModified: "Tue, 14 Nov 2023 22:13:20 GMT", fileStamp: "456-1700000000000000000",
    origin: .ownTime)
  static let validators = Validators(
    etag: EntityTag("\"a1\""), lastModified: "Mon, 13 Nov 2023 00:00:00 GMT", url: "https://data.example/a.gz"
  )
  static let moved = Validators(
    etag: EntityTag("\"b2\""), lastModified: "Wed, 15 Nov 2023 00:00:00 GMT", url: "https://data.example/a.gz"
  )
  static let md5Here = hex("d", .md5)
  static let md5Elsewhere = hex("e", .md5)

  /// The output was fetched by an earlier run and not touched since, and the record is complete.
  static func inOrder(_ rule: FreshnessRule? = .etag, steps: [Step] = [], needs: [TargetID] = []) -> Situation
  {
    var situation = unrecorded(rule, steps: steps, needs: needs)
    let content = ContentIdentity(size: 456, digests: [.sha256: hex("a")])
    let download =
      steps.contains(.gunzip) ? ContentIdentity(size: 123, digests: [.sha256: hex("b")]) : content
    situation.record = TargetRecord(
      name: situation.target.name, output: situation.target.output.path, definition: situation.definition,
      signature: signature, content: content, download: download, validators: validators, inputs: [],
      checkedAt: checkedAt, updatedAt: checkedAt)
    return situation
  }

  /// The output was recorded by `--touch`: there are digests, but no validators and no download.
  static func touched(_ rule: FreshnessRule? = .etag, steps: [Step] = []) -> Situation {
    var situation = inOrder(rule, steps: steps)
    situation.record?.validators = nil
    situation.record?.download = nil
    return situation
  }

  /// The file exists, and nothing is recorded for it.
  static func unrecorded(
    _ rule: FreshnessRule? = .etag, steps: [Step] = [], needs: [TargetID] = []
  ) -> Situation {
    let source: BodySource = rule == nil ? .target(TargetID(0)) : .urls([.web("https://data.example/a.gz")])
    var target = Target(
      id: TargetID(1), name: TargetName("a"), source: source, output: path("out/a"), needs: needs)
    target.freshness = rule
    target.steps = steps
    let other = Target(
      id: TargetID(0), name: TargetName("dep"), source: .urls([.web("https://data.example/dep")]),
      output: path("dep"))
    let manifest = Manifest(fileName: "syncmake.yaml", targets: [other, target])
    return Situation(
      target: target, definition: Definition.fields(of: target, in: manifest), output: .file(signature))
  }

  var question: FreshnessQuestion {
    var question = FreshnessQuestion(
      target: target, definition: definition, record: record, pending: pending, output: output,
      dependencies: dependencies, directive: directive, overwritesEdits: overwritesEdits, now: now,
      facts: facts, pin: pin)
    question.lockedOutput = lockedOutput
    question.mustKnowDownload = mustKnowDownload
    question.hasOtherNames = hasOtherNames
    return question
  }

  var decision: Decision { FreshnessRules.verdict(question) }
  var verdict: Verdict { decision.verdict }

  /// This situation with one thing changed.
  func with(_ change: (inout Situation) -> Void) -> Situation {
    var copy = self
    change(&copy)
    return copy
  }

  /// The output was edited: it has another size, other times and, once it is read, another digest.
  func edited(_ digest: HexDigest? = hex("f")) -> Situation {
    with {
      $0.output = .file(Situation.rewritten)
      $0.facts.outputDigests = digest.map { [.sha256: $0, .md5: hex("f", .md5)] }
    }
  }

  static let rewritten = FileSignature(
    size: 999, modified: Timestamp(seconds: 1_750_000_000), changed: Timestamp(seconds: 1_750_000_000),
    inode: 7)

  /// Needs a target with this content.
  func needing(_ content: DependencyState.Content) -> Situation { needing(.needs, content) }

  func needing(_ kind: DependencyKind, entry: String? = nil, _ content: DependencyState.Content) -> Situation
  {
    with {
      $0.dependencies.append(
        DependencyState(kind: kind, name: TargetName("dep"), entry: entry, content: content))
    }
  }

  /// Records what the target was made with.
  func madeWith(_ digest: HexDigest) -> Situation { madeWith(.needs, digest) }

  func madeWith(_ kind: DependencyKind, entry: String? = nil, _ digest: HexDigest) -> Situation {
    with {
      $0.record?.inputs.append(
        InputRecord(kind: kind, name: TargetName("dep"), entry: entry, digest: digest))
    }
  }

  func confirmed() -> Situation { with { $0.facts.sourceAnswer = .confirmed } }
  func changed(_ observed: Validators = moved) -> Situation {
    with { $0.facts.sourceAnswer = .changed(observed) }
  }
  func told(_ digest: HexDigest) -> Situation { with { $0.facts.expectedDigest = digest } }
  func read(_ digests: [DigestAlgorithm: HexDigest]) -> Situation {
    with { $0.facts.outputDigests = digests }
  }
}

/// A digest of `algorithm`'s length, all of one digit.
func hex(_ digit: Character, _ algorithm: DigestAlgorithm = .sha256) -> HexDigest {
  guard let digest = HexDigest(String(repeating: digit, count: algorithm.hexCount), algorithm) else {
    preconditionFailure("\(digit) is no hexadecimal digit")
  }
  return digest
}

func path(_ text: String) -> RelativePath {
  guard let path = try? RelativePath(text) else { preconditionFailure("\(text) is no path below the root") }
  return path
}

/// A manifest of web targets from names to what each needs, in alphabetical order of names.
func manifest(_ needs: KeyValuePairs<String, [String]>, change: (inout Target) -> Void = { _ in }) -> Manifest
{
  let names = needs.map(\.key)
  let targets = needs.enumerated().map { index, entry in
    var target = Target(
      id: TargetID(index), name: TargetName(entry.key),
      source: .urls([.web("https://data.example/\(entry.key)")]),
      output: path(entry.key), needs: entry.value.compactMap { names.firstIndex(of: $0).map(TargetID.init) })
    change(&target)
    return target
  }
  return Manifest(fileName: "syncmake.yaml", targets: targets)
}
