import Planning
import SyncModel

/// The freshness table in any situation: few questions, one answer, and no lost edit.
enum FreshnessCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    var choices = Choices(input)
    let scene = Scene(&choices)
    var question = scene.question
    var asked: Set<String> = []
    while true {
      let decision = FreshnessRules.verdict(question)
      try demand(decision == FreshnessRules.verdict(question), "two verdicts")
      guard case .undecided(let probe) = decision.verdict else {
        return try scene.judge(decision, question.facts)
      }
      let kind = scene.tell(probe, &question.facts)
      try demand(asked.insert(kind).inserted, "asked twice for \(kind)")
      try demand(asked.count <= 3, "more than three questions")
      try demand(!scene.isEditedForbidden || kind == "outputDigests", "\(kind) of an edited file")
    }
  }
}

/// A target with all facts behind its verdict, and the true situation.
private struct Scene {
  /// Three versions of a file, by number.
  private static func digest(_ content: Int, _ algorithm: DigestAlgorithm) -> HexDigest {
    let digits: [Character] = ["a", "b", "c"]
    guard let hex = HexDigest(String(repeating: digits[content], count: algorithm.hexCount), algorithm) else {
      preconditionFailure("a digest of \(algorithm.hexCount) digits")
    }
    return hex
  }

  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let page = "https://a.example/f.gz"

  var question: FreshnessQuestion
  /// The version at the output's path; `nil` for none.
  private let content: Int?
  private let answer: SourceAnswer
  private let expected: Int
  /// Whether the file's bytes differ from everything that was published, or was about to be.
  private let isEdited: Bool

  init(_ choices: inout Choices) {
    let output = Self.path(choices.pick(["out/f", "out/g"]))
    var target = Target(
      id: TargetID(0), name: TargetName("f"), source: .urls([.web(Self.page)]), output: Self.path("out/f"))
    let sources: [DigestSource] = [
      .literal(Self.digest(0, .sha256)), .sidecar(Sidecar(.web(Self.page + ".md5"))),
      .entry(TargetID(1), name: "f"),
    ]
    var source = choices.pick(sources)
    let algorithm = choices.pick([DigestAlgorithm.sha256, .md5])
    expected = choices.below(3)
    if case .literal = source { source = .literal(Self.digest(expected, algorithm)) }
    let rule = DigestRule(algorithm: algorithm, expected: source, of: choices.pick([.download, .output]))
    let rules: [FreshnessRule] = [.etag, .mtime, .digest(rule), .once, .always]
    let inner = choices.pick(rules)
    target.freshness = choices.flag() ? .interval(period: .seconds(3600), then: inner) : inner
    if choices.below(8) == 1 {
      target.source = .target(TargetID(1))
      target.freshness = nil
    }
    target.steps = choices.pick([[], [.gunzip], [.verifySize(9)]])
    target.localChanges = choices.pick([.refuse, .keep, .overwrite])
    let definition = [DefinitionField(name: "url", value: Self.page), .init(name: "output", value: "out/f")]

    let recorded = Self.record(output, definition, &choices)
    let pending = Self.record(Self.path(choices.pick(["out/f", "out/g"])), definition, &choices)
    let record = choices.flag() ? recorded : nil
    let intended = choices.below(4) == 1 ? pending : nil
    let signature = choices.pick([Self.signature(0), Self.signature(1), Self.signature(2)])
    let observations: [OutputObservation] = [
      .file(signature), .file(signature), .missing, .unusable(.isLink),
      .incomplete(.files(1, of: 2, first: "a")),
    ]
    let observation = choices.pick(observations)
    // Equal signatures of one path mean equal bytes: this is the purpose of a signature.
    var content = choices.below(3)
    let here = record.flatMap { $0.output == target.output.path ? $0 : nil }
    if let here, here.signature == signature { content = Self.content(of: here) }
    if case .file = observation { self.content = content } else { self.content = nil }

    question = FreshnessQuestion(
      target: target, definition: definition, record: record, pending: intended, output: observation,
      directive: choices.pick([.none, .none, .assumeFresh, .force]), overwritesEdits: choices.below(8) == 1,
      now: Self.now)
    if choices.below(4) == 1 { question.definition[0].value = "https://b.example/f.gz" }
    for _ in 0..<choices.below(3) {
      let contents: [DependencyState.Content] = [
        .settled(Self.digest(0, .sha256)), .settled(Self.digest(1, .sha256)), .wouldChange, .takenAsChanged,
        .takenAsUnchanged,
      ]
      let kind = choices.pick([DependencyKind.needs, .from, .verify, .after])
      question.dependencies.append(
        DependencyState(
          kind: kind, name: TargetName("d"), entry: kind == .verify ? "f" : nil,
          content: choices.pick(contents)))
    }
    let observed = Validators(etag: EntityTag("\"new\""), url: Self.page)
    answer = choices.flag() ? .confirmed : .changed(observed)
    let meant = intended.flatMap { $0.output == target.output.path ? $0 : nil }
    // If only an intention is known, the file is the intended one if it has the renamed inode.
    let isKnown = here != nil || meant?.signature.inode == signature.inode
    let ours = [here, meant].compactMap(\.self)
    isEdited = self.content != nil && isKnown && !ours.contains { Self.content(of: $0) == content }
  }

  private static func path(_ text: String) -> RelativePath {
    guard let path = try? RelativePath(text) else { preconditionFailure("\(text) is a path") }
    return path
  }

  private static func signature(_ number: Int) -> FileSignature {
    let time = Timestamp(seconds: 1_700_000_000 + Int64(number))
    return FileSignature(size: 9, modified: time, changed: time, inode: UInt64(7 + number / 2))
  }

  private static func record(
    _ output: RelativePath, _ definition: [DefinitionField], _ choices: inout Choices
  ) -> TargetRecord {
    let content = choices.below(3)
    var digests = [DigestAlgorithm.sha256: digest(content, .sha256)]
    if choices.flag() { digests[.md5] = digest(content, .md5) }
    let download = choices.below(3)
    let validators = choices.pick([
      nil, Validators(etag: EntityTag("\"old\""), url: page), Validators(url: page),
      Validators(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", url: page),
    ])
    let inputs = (0..<choices.below(3)).map { _ in
      InputRecord(
        kind: choices.pick([.needs, .from, .verify]), name: TargetName("d"), entry: choices.pick([nil, "f"]),
        digest: digest(choices.below(2), .sha256))
    }
    return TargetRecord(
      name: TargetName("f"), output: output, definition: definition,
      signature: signature(choices.below(3)), content: ContentIdentity(size: 9, digests: digests),
      download: choices.flag()
        ? ContentIdentity(size: 9, digests: [.sha256: digest(download, .sha256)]) : nil,
      validators: validators, inputs: inputs,
      checkedAt: choices.pick([
        Timestamp(seconds: now.seconds - 60), Timestamp(seconds: now.seconds - 3600),
        Timestamp(seconds: now.seconds + 1), Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max),
      ]),
      updatedAt: now)
  }

  private static func content(of record: TargetRecord) -> Int {
    (0..<3).first { record.content.sha256 == digest($0, .sha256) } ?? 0
  }

  /// Answers `probe` truthfully; returns which of the three it was.
  func tell(_ probe: Probe, _ facts: inout FreshnessQuestion.Facts) -> String {
    switch probe {
    case .outputDigests(let algorithms):
      facts.outputDigests = [:]
      for algorithm in algorithms {
        facts.outputDigests?[algorithm] = content.map { Self.digest($0, algorithm) }
      }
      return "outputDigests"
    case .expectedDigest(let algorithm, _):
      facts.expectedDigest = Self.digest(expected, algorithm)
      return "expectedDigest"
    case .source:
      facts.sourceAnswer = answer
      return "source"
    }
  }

  private var mayReplaceEdits: Bool {
    question.overwritesEdits || question.target.localChanges == .overwrite
  }

  /// Whether the file was edited and must not be replaced, so that nothing else matters.
  var isEditedForbidden: Bool { isEdited && !mayReplaceEdits && question.directive != .assumeFresh }

  /// Compares a final verdict with the table of the contract, section 3.
  func judge(_ decision: Decision, _ facts: FreshnessQuestion.Facts) throws(Violation) {
    let verdict = decision.verdict
    let what = "\(verdict) on line \(decision.line) of \(question)"
    if question.directive == .assumeFresh { return try demand(verdict == .fresh(.assumedFresh), what) }
    switch question.output {
    case .missing: return try demand(verdict == .stale(.outputMissing), what)
    case .incomplete(let gap): return try demand(verdict == .stale(.folderIncomplete(gap)), what)
    case .unusable:
      guard case .refused(.outputUnwritable) = verdict else { throw Violation(what) }
      return
    case .file: break
    }
    if isEdited { return try judgeEdited(verdict, what) }
    if question.directive == .force { return try demand(verdict == .stale(.forced), what) }
    try judgeOurs(verdict, decision.record, facts, what)
  }

  /// Line 3: an edited file is replaced only with permission, whatever else is true.
  private func judgeEdited(_ verdict: Verdict, _ what: String) throws(Violation) {
    switch verdict {
    case .stale(.outputModified): try demand(mayReplaceEdits, what)
    case .refused(.outputModified):
      try demand(!mayReplaceEdits && question.target.localChanges == .refuse, what)
    case .fresh(.keptModified):
      try demand(!mayReplaceEdits && question.target.localChanges == .keep, what)
    default: throw Violation(what)
    }
  }

  private func judgeOurs(
    _ verdict: Verdict, _ record: TargetRecord?, _ facts: FreshnessQuestion.Facts, _ what: String
  ) throws(Violation) {
    guard case .fresh(let reason) = verdict else { return try judgeStale(verdict, record, what) }
    let isRedefined = record != nil && question.definition[0].value != Self.page
    try demand(
      !isRedefined && record?.output ?? question.target.output.path == question.target.output.path, what)
    let isOpen = question.dependencies.contains { dependency in
      dependency.kind != .after && [.wouldChange, .takenAsChanged].contains(dependency.content)
    }
    try demand(!isOpen, what)
    switch reason {
    case .notModified: try demand(facts.sourceAnswer == .confirmed, what)
    case .serverDigestMatches(let digest):
      try demand(facts.sourceAnswer == .sameDigest(digest), what)
    case .withinInterval(let age, let period):
      guard let checked = record?.checkedAt else { throw Violation(what) }
      try demand(checked <= question.now && age < period && age == question.now - checked, what)
    case .digestMatches(let algorithm, let digest):
      try demand(digest == Self.digest(expected, algorithm), what)
      if let mine = subject(algorithm, record) { try demand(mine == digest, what) }
    // No rule gives it.
    case .touched: try demand(false, what)
    case .present: try demand(question.target.freshness?.innermost == .once, what)
    case .inputsUnchanged: try demand(question.target.freshness == nil && record != nil, what)
    case .assumedFresh, .leftToSeed, .keptModified, .asLocked, .listUnchanged, .listGone,
      .listGoneEdited, .listGoneWaits, .listGoneMissing:
      throw Violation(what)
    }
  }

  private func judgeStale(_ verdict: Verdict, _ record: TargetRecord?, _ what: String) throws(Violation) {
    switch verdict {
    case .stale(.outputMissing), .stale(.outputModified), .stale(.forced), .refused: throw Violation(what)
    case .stale(.neverSynced): try demand(record == nil, what)
    case .stale(.digestDiffers(let algorithm, let wanted, let actual)):
      guard let mine = subject(algorithm, record) else { return }
      try demand(actual == mine && mine != wanted, what)
    case .stale(.definitionChanged): try demand(record != nil, what)
    default: break
    }
  }

  /// The digest in the rule, if it is known here: that of the output, unless a step transforms the bytes.
  private func subject(_ algorithm: DigestAlgorithm, _ record: TargetRecord?) -> HexDigest? {
    guard case .digest(let rule)? = question.target.freshness?.innermost else { return nil }
    if rule.of == .download {
      if let digest = record?.download?.digests[algorithm] { return digest }
      if question.target.steps.contains(where: \.transforms) { return nil }
    }
    return content.map { Self.digest($0, algorithm) }
  }
}
