package import Planning
package import SyncModel

/// Shows a plan to people.
package enum PlanText {
  /// One line for each target and a summary; a single line if there is nothing to do.
  ///
  /// No line is longer than a terminal's width (at least 40), except those with files that are removed. Ends in a line
  /// end.
  ///
  /// - whole: the whole plan, of which `plan` may be a part; the summary counts it.
  /// - showsCodes: whether reasons begin with their codes.
  /// - shard: the part of the targets that the plan is about; `nil` for all that are selected.
  /// - place: how the manifest was named.
  package static func table(
    _ plan: Plan, of whole: Plan? = nil, style: TextStyle, secrets: SecretMask, showsCodes: Bool = false,
    shard: Shard? = nil, place: CommandPlace = CommandPlace()
  ) -> String {
    let whole = whole ?? plan
    if whole.targets.allSatisfy({ $0.action == .fresh && $0.lock != .moved }) {
      let kept = whole.targets.filter { PlanWord($0) == .kept }.map(\.name)
      let gone = whole.targets.filter {
        $0.reason == .fresh(.listGone) || $0.reason == .fresh(.listGoneMissing)
      }.map(\.name)
      return SummaryText.allFresh(
        whole.targets.count, first: whole.targets.first?.name, kept: kept, gone: gone, shard: shard,
        secrets: secrets) + "\n"
    }
    var table = TextTable([
      ("ACTION", .whole), ("LOCK", .whole), ("TARGET", .middle), ("SIZE", .right), ("REASON", .rest),
    ])
    for target in plan.targets {
      table.add(
        [
          PlanWord(target).rawValue, target.lock?.rawValue ?? "", secrets.shown(target.name),
          target.bytes.map(Quantity.size) ?? "",
          reason(target, showsCodes, secrets),
        ], paint: PlanWord(target).paint)
    }
    func summary(_ place: CommandPlace) -> String {
      Self.summary(whole, update: secrets.shown(place.command("update")))
    }
    let (line, width) = (summary(place), style.tableColumns)
    // Half a command is none: where there is no room for all of it, only its name is left.
    let fitting = TextWidth.of(line) > width ? summary(CommandPlace()) : line
    return table.render(style) + dropped(plan, secrets) + TextWidth.cutEnd(fitting, to: width) + "\n"
  }

  /// The targets that could not be checked, as errors with their hints; empty if there are none.
  ///
  /// For standard error: the table has room only for the beginning of each message.
  package static func problems(_ plan: Plan, manifest: Manifest, style: TextStyle) -> String {
    var lists: Set<String> = []
    return plan.targets.reduce(into: "") { text, target in
      guard let cause = target.failure else { return }
      let definition = manifest[target.id]
      // What is wrong with a list is said once, not for each of its entries.
      if case .listInvalid = cause {
        guard lists.insert(definition.gone?.template ?? target.name.text).inserted else { return }
      }
      text += FailureReport(
        name: target.name, failure: TargetFailure(cause), target: definition,
        isOptional: definition.isOptional
      ).render(style, manifest)
    }
  }

  /// A line for each folder of which files are removed that nobody recorded.
  private static func dropped(_ plan: Plan, _ secrets: SecretMask) -> String {
    plan.targets.reduce(into: "") { text, target in
      guard let dropped = target.tree.flatMap({ ForecastText.dropped($0, secrets: secrets) }) else { return }
      text += CleanText.clean("\(secrets.mask(target.name.text)): \(dropped)") + "\n"
    }
  }

  private static func summary(_ plan: Plan, update: String) -> String {
    var numbers: [PlanWord: Int] = [:]
    for target in plan.targets { numbers[PlanWord(target), default: 0] += 1 }
    let counts = PlanWord.allCases.compactMap { word in numbers[word].map { "\($0) \(word.counted)" } }
    let sizes = plan.targets.filter {
      $0.action == .update && $0.fetches && $0.from?.isCache != true && $0.unmeasured != .offline
    }.map(\.bytes)
    let isAll = sizes.allSatisfy { $0 != nil }
    let isKnown = sizes.contains { $0 != nil }
    let known = sizes.reduce(Int64(0)) { sum, size in
      let (total, isTooMuch) = sum.addingReportingOverflow(size ?? 0)
      return isTooMuch ? .max : total
    }
    let moved = plan.targets.count { $0.lock == .moved }
    return counts.joined(separator: ", ")
      + (isKnown ? "; \(isAll ? "" : "at least ")\(Quantity.size(known)) to download" : "")
      + (moved > 0 ? "; \(moved) moved; \(update) accepts \(moved == 1 ? "it" : "them")" : "")
  }

  private static func reason(_ target: PlannedTarget, _ showsCode: Bool, _ secrets: SecretMask) -> String {
    let origin =
      target.from?.isCache == true
      ? "; from the cache" : target.unmeasured == .offline ? PlanWording.offline : ""
    let detail = CleanText.clean(PlanWording.detail(target, secrets: secrets, isFull: showsCode)) + origin
    guard showsCode, let code = PlanWording.code(target) else { return detail }
    return "\(code): \(detail)"
  }
}

/// The word for a target's planned action; JSON has the four words of ``PlanAction``.
private enum PlanWord: String, CaseIterable {
  /// There is no output yet.
  case new
  case update, fresh
  /// The output would be removed, since its entry has left its list.
  case remove
  /// The output was edited, and the edit would stay.
  case kept
  case maybe, error

  init(_ target: PlannedTarget) {
    switch (target.action, target.reason) {
    case (.update, .stale(.outputMissing)?): self = .new
    case (.update, .stale(.listGone)?): self = .remove
    case (.update, _): self = .update
    case (.fresh, .fresh(.keptModified)?), (.fresh, .fresh(.listGoneEdited)?): self = .kept
    case (.fresh, _): self = .fresh
    case (.maybe, _): self = .maybe
    case (.error, _): self = .error
    }
  }

  /// The form after a number.
  var counted: String {
    switch self {
    case .update: "to update"
    case .remove: "to remove"
    case .error: "with errors"
    case .new, .fresh, .kept, .maybe: rawValue
    }
  }

  var paint: Paint {
    switch self {
    case .new, .update: .green
    case .fresh: .faint
    case .kept, .maybe, .remove: .yellow
    case .error: .red
    }
  }
}

/// Texts about a planned target that table, JSON and explanation share.
package enum PlanWording {
  /// After what a run would do.
  static let offline = "; with --offline it would fail"

  /// The reason's code, or without one the failure's; `nil` for a target that waits for others.
  package static func code(_ target: PlannedTarget) -> String? {
    if let failure = target.failure, target.reason != .stale(.listGone) { return failure.code.rawValue }
    if let reason = target.reason { return reason.code.rawValue }
    return target.waitsFor.isEmpty && target.action == .maybe ? FailureCode.offline.rawValue : nil
  }

  /// Foreign texts as they are; secrets masked. `isFull`: also what may differ from plan to plan.
  package static func detail(_ target: PlannedTarget, secrets: SecretMask, isFull: Bool = false) -> String {
    if let failure = target.failure { return FailureText.wording(failure, secrets: secrets) }
    if target.action == .maybe {
      return target.waitsFor.isEmpty
        ? "only a request can tell, but --offline is set"
        : "depends on the result of \(secrets.masked(target.waitsFor))"
    }
    let detail = target.reason.map { ReasonText.wording($0, secrets: secrets) } ?? ""
    let forecast = (forecast(target).map { "; \($0)" } ?? "") + refusal(of: target, secrets, isFull)
    return
      (target.moved.map { "\(detail); upstream: \(ReasonText.moved($0, secrets: secrets))" }
      ?? detail) + forecast
  }

  /// What came of the question for its size; a run may fail by it, too.
  private static func refusal(of target: PlannedTarget, _ secrets: SecretMask, _ isFull: Bool) -> String {
    guard let cause = target.unmeasured, cause != .offline else { return "" }
    let what =
      switch cause {
      case .httpStatus(let status, _): HTTPStatusText.name(status)
      // After the first, the others are not asked.
      case _ where !isFull && cause.traits.contains(.silent): "no answer"
      default: FailureText.wording(cause, secrets: secrets)
      }
    return "; its size was asked for: \(what)"
  }

  /// `nil` if the reason already says it.
  private static func forecast(_ target: PlannedTarget) -> String? {
    guard let forecast = target.tree else { return nil }
    if case .stale(.folderIncomplete)? = target.reason, forecast.changes == nil { return nil }
    return ForecastText.counts(forecast)
  }
}
