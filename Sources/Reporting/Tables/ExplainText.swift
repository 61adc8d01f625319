package import Planning
package import SyncModel

/// Answers "why?": the verdict, then the table of the contract, section 3 line by line, then what run would do.
package enum ExplainText {
  /// Marks: `>` decided, `-` does not apply, nothing for lines that were not reached. Ends in a line end. `place` is that of
  /// the manifest, for commands in hints.
  package static func render(
    _ explanation: Explanation, style: TextStyle, secrets: SecretMask, place: CommandPlace = CommandPlace()
  ) -> String {
    let name = secrets.shown(explanation.target.name)
    let planned = explanation.planned
    let code = PlanWording.code(planned).map { ": \($0)" } ?? ""
    var text = style.paint("\(name) \(verdict(planned))\(code)", .bold) + "\n"
    text += "  \(CleanText.clean(PlanWording.detail(planned, secrets: secrets)))\n\n"
    let wording = RuleWording(explanation: explanation, secrets: secrets)
    for line in explanation.lines {
      text += render(line, CleanText.clean(wording.sentence(line)), style) + "\n"
    }
    let digests = wording.serverDigests.map { CleanText.clean($0) + "\n" } ?? ""
    let dropped =
      planned.tree.flatMap { ForecastText.dropped($0, secrets: secrets) }.map { CleanText.clean($0) + "\n" }
      ?? ""
    let fellows = wording.fellows.map { CleanText.clean($0) + "\n" } ?? ""
    let list = wording.list.map { CleanText.clean($0) + "\n" } ?? ""
    let mirror =
      explanation.mirror.map {
        CleanText.clean("the user's configuration sends its requests to \(secrets.mask($0))") + "\n"
      } ?? ""
    let owner = wording.owner.map { $0 + "\n" } ?? ""
    let values = wording.values.map { CleanText.clean($0) + "\n" }.joined()
    return text + "\n" + CleanText.clean("run would " + wording.outlook) + "\n" + dropped + fellows + list
      + owner + mirror + values + digests
      + hint(explanation, style, secrets, place)
  }

  private static func verdict(_ planned: PlannedTarget) -> String {
    switch planned.action {
    case .update: "is stale"
    case .fresh: "is fresh"
    case .maybe: "may be stale"
    case .error where planned.failure?.code == .outputModified: "was edited"
    case .error: "cannot be judged"
    }
  }

  private static func render(_ line: Explanation.Line, _ sentence: String, _ style: TextStyle) -> String {
    switch line.finding {
    case .decides: style.paint("> \(line.asks.rawValue)  \(sentence)", .bold)
    case .passes: "- \(line.asks.rawValue)  \(sentence)"
    case .notReached: style.paint("  \(line.asks.rawValue)  \(sentence)", .faint)
    }
  }

  private static func hint(
    _ explanation: Explanation, _ style: TextStyle, _ secrets: SecretMask, _ place: CommandPlace
  ) -> String {
    guard let cause = explanation.planned.failure else { return "" }
    let failure = TargetFailure(cause)
    let hint = FailureText.hint(
      failure, target: explanation.target, secrets: secrets, .at(place))
    return (hint.map { "\(style.paint("hint:", .cyan)) \($0)\n" } ?? "")
      + ErrorPage.line(failure.code.rawValue, style)
  }
}

/// The sentences of an explanation; foreign texts as they are, secrets masked.
struct RuleWording {
  var explanation: Explanation
  var secrets: SecretMask

  func sentence(_ line: Explanation.Line) -> String {
    switch line.finding {
    case .decides: deciding(line.asks)
    case .passes: passing(line.asks)
    case .notReached: "\(question(line.asks)): not reached"
    }
  }

  /// Which shard owns it; `nil` if nobody asked.
  var owner: String? {
    guard let (partition, owner) = explanation.owner else { return nil }
    func shard(_ part: Shard.Part) -> String { Shard(part, of: partition.total, by: partition.division).text }
    switch owner {
    case .nobody: return nil
    case .shared: return "the shards share it: \(shard(.seed)) brings it up to date"
    case .shard(let number): return "shard \(shard(.number(number))) owns it"
    }
  }

  /// The text after "run would".
  var outlook: String {
    let target = explanation.target
    let output = secrets.mask(target.output.text)
    switch explanation.planned.action {
    case .update where target.gone != nil: return "remove \(output) once everything else has succeeded"
    case .update where planned.from == .remoteCache:
      return "take the bytes from the cache on the server and write \(output)"
    case .update where planned.from == .localCache:
      return "take the bytes from the cache and write \(output)"
    case .update where planned.mayTakeCached:
      return "\(work), or take its bytes from a cache, and write \(output)"
    case .update where planned.unmeasured == .offline:
      return "\(work) and write \(output)" + PlanWording.offline
    case .update: return "\(work) and write \(output)"
    case .fresh: return "leave \(output) as it is"
    // Only `--offline` leaves it without a reason.
    case .maybe where explanation.planned.waitsFor.isEmpty:
      return "ask \(source) and decide by the answer"
        + (explanation.planned.reason == nil ? PlanWording.offline : "")
    case .maybe: return "decide after \(secrets.masked(explanation.planned.waitsFor))"
    case .error: return "fail, unless this changes first"
    }
  }

  /// What changes in the same step; `nil` if the target is published alone.
  var fellows: String? {
    let fellows = explanation.fellows
    guard !fellows.isEmpty else { return nil }
    return "published together with \(secrets.masked(fellows)): all change, or none"
  }

  /// Which list names it; `nil` for a target without `list`.
  var list: String? {
    guard let list = explanation.list else { return nil }
    let url = secrets.mask(list.url)
    let key = secrets.mask(list.key)
    if explanation.target.gone != nil { return "the list \(url) no longer has this entry; its key is \(key)" }
    // The lock has it; `newest` may select another one.
    return explanation.planned.moved == .listGone
      ? "this entry is no longer selected from the list \(url); its key is \(key)"
      : "the list \(url) names it, with the key \(key)"
  }

  /// What each variable with the value of an output is, and where that comes from.
  var values: [String] {
    explanation.values.map { value in
      let place =
        switch value.pick {
        case .line(let number): "line \(number)"
        case .pattern(let text): "the group of \(text)"
        case .json(let pointer): "\(pointer.text.isEmpty ? "the document" : pointer.text)"
        }
      let text = value.text.map { "\"\(secrets.mask($0))\"" } ?? "not known"
      let moved = value.upstream.map { ", and \"\(secrets.mask($0))\" upstream" } ?? ""
      return "the variable \(value.name) is \(text)\(moved): \(secrets.mask(place)) of the output of "
        + secrets.mask(value.target.text)
    }
  }

  /// What the server's digests prove; `nil` if none are known.
  var serverDigests: String? {
    guard explanation.target.source.mirrors != nil else { return nil }
    if explanation.target.serverDigest == .ignore {
      return "server_digest: ignore: digests from the server are ignored"
    }
    let told = planned.serverDigests.map {
      "\($0.field.rawValue) (\($0.algorithm.rawValue) \($0.digest.text.prefix(12))...)"
    }
    guard !told.isEmpty || record?.hasServerDigest == true else { return nil }
    let sends =
      told.isEmpty
      ? "the server sent a digest with the last download" : "the server sends \(told.joined(separator: ", "))"
    return sends
      + ": such digests can prove a complete transfer and freshness, but not the file's origin"
  }

  private var planned: PlannedTarget { explanation.planned }
  private var record: TargetRecord? { explanation.record }
  private var output: String { secrets.mask(explanation.target.output.text) }

  private var source: String {
    switch explanation.target.source {
    case .urls, .entry, .unlisted, .gone:
      explanation.target.source.mirrors?.first.map { secrets.mask($0.shown) } ?? "the source"
    case .target: secrets.masked(Array(planned.needs.prefix(1)))
    }
  }

  private var work: String {
    if case .target = explanation.target.source { return "make it again from its input" }
    return "fetch \(source)" + (planned.bytes.map { " (\(Quantity.size($0)))" } ?? "")
  }

  private var rule: String {
    if explanation.isPinned { return LockFile.fileName }
    return explanation.target.freshness.map(WarningText.word) ?? "inputs alone"
  }

  private var detail: String { PlanWording.detail(planned, secrets: secrets) }

  /// The question of a line that was not reached.
  private func question(_ line: TableLine) -> String {
    switch line {
    case .assumedFresh: "whether -o names it"
    case .output: "whether \(output) is missing"
    case .edits: "whether \(output) was edited"
    case .forced: "whether -B or -W names it"
    case .definition: "whether url, steps or output changed in the manifest"
    case .dependencies: "whether a dependency changed"
    case .ruleWithoutRecord: "whether something is recorded"
    case .rule: "the rule (\(rule))"
    }
  }

  private func passing(_ line: TableLine) -> String {
    switch line {
    case .assumedFresh: "-o does not name it"
    case .output: "\(output) is there"
    case .edits:
      record.flatMap { $0.output == explanation.target.path ? $0 : nil }
        .map { "\(output) is unchanged since it was written\(exception): \(identity($0.content))" }
        ?? "no record describes \(output)"
    case .forced: "neither -B nor -W names it"
    case .definition:
      record == nil
        ? "no record describes its definition" : "url, steps and output have not changed in the manifest"
    case .dependencies:
      planned.needs.isEmpty
        ? "it needs no other target"
        : "its dependencies have not changed so far: \(secrets.masked(planned.needs))"
    case .ruleWithoutRecord: record.map(history) ?? "nothing is recorded"
    case .rule: "the rule (\(rule)) does not decide"
    }
  }

  private func deciding(_ line: TableLine) -> String {
    switch line {
    case .output where planned.failure == nil: missing
    case .ruleWithoutRecord where planned.reason?.code != .neverSynced && planned.failure == nil:
      "no record describes its bytes, so the rule (\(rule)) judges the file itself: \(detail)"
    case .rule where isDecidedByList: "the list decides: \(detail)"
    case .rule: "the rule (\(rule)): \(detail)"
    default: detail
    }
  }

  /// Whether what the list says comes before the target's rule.
  private var isDecidedByList: Bool {
    switch planned.reason?.code {
    case .listUnchanged, .listChanged, .listGone: true
    default: false
    }
  }

  /// What the line of edits passes over.
  private var exception: String {
    let target = explanation.target
    return target.output.isFolder && target.localChanges == .keep
      ? ", except for any edited files, which are kept" : ""
  }

  private var missing: String {
    guard case .stale(.folderIncomplete)? = planned.reason, let reason = planned.reason else {
      return "\(output) is missing"
    }
    return "\(output) is incomplete: \(ReasonText.wording(reason, secrets: secrets))"
  }

  private func identity(_ content: ContentIdentity) -> String {
    let digest = explanation.target.output.isFolder ? "tree" : "sha256"
    return Quantity.size(content.size) + (content.sha256.map { ", \(digest) \($0.text.prefix(12))..." } ?? "")
  }

  private func history(_ record: TargetRecord) -> String {
    let validators = record.validators.flatMap { $0.isEmpty ? nil : ReasonText.name($0, secrets) }
    let checked = record.checkedAt.map { "checked \($0.rfc3339)" } ?? "never checked"
    return "\(checked), changed \(record.updatedAt.rfc3339)"
      + (validators.map { ", validator: \($0)" } ?? "")
  }
}
