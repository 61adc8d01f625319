import SyncModel

/// The plan's facts about one target beyond its verdict.
struct PlanCheck: Sendable {
  /// The verdict, once the source was asked additional questions: whether it still has the locked version, or how
  /// much there is to fetch; or while the cache is asked.
  var settled: Decision?
  /// Set while ``settled`` waits for the size of the download.
  var isMeasuring = false
  /// Whether the source has answered if it still has the locked version.
  var knowsMoved = false
  /// The size of a download, by the server or by the cache.
  var bytes: Int64?
  /// Why there is no size, if a run may fail by it.
  var refusal: FailureCause?
  /// Set if a run would take the body from a cache.
  var from: BodyOrigin?
  /// How the source differs from the lock.
  var moved: StaleReason?
}

/// The planning of a target: the same verdict as in a run, with questions whose bodies are dropped.
extension TargetMachine {
  mutating func planAsks(_ validators: Validators) {
    guard let rule = question.rule?.innermost else {
      return fail(.internalError("a target without a rule was planned"))
    }
    fetch.conditions = validators
    probe(validators, rule)
  }

  private mutating func probe(_ validators: Validators?, _ rule: FreshnessRule) {
    guard let mirrors = target.source.mirrors else {
      return fail(.internalError("a target without URLs was planned"))
    }
    var order = FetchOrder(
      purpose: plan.isMeasuring ? .size : .probe, mirrors: Array(mirrors),
      retries: plan.isMeasuring ? 0 : target.retries,
      conditions: validators,
      recordedSize: decision?.record?.download?.size, rule: rule,
      // Once the verdict is settled, only a size is asked, or whether a lock's version has moved.
      maxSize: plan.settled == nil ? target.maxSize : nil, secrets: secrets, seed: seed)
    order.isOfOtherURL = hasOtherURL(than: order.conditions)
    order.rewrites = terms.options.rewrites
    order.usesServerDigests = target.serverDigest == .use
    if let settled = plan.settled, let pin = question.pin {
      order.recorded = PinRules.download(pin, settled.record)
      order.recordedSize = order.recorded?.size
      order.recordedURL = PinRules.resource(pin, settled.record)
      order.settlesForHead = validators == nil
    } else if !plan.isMeasuring {
      order.recorded = decision?.record?.download
    }
    ask(order)
  }

  private mutating func askWhatMoved(_ question: MoveQuestion) {
    switch question {
    case .digest(_, .literal(let digest), _): planFinds(.success(digest))
    case .digest(let algorithm, let source, _): emit(.findDigest(algorithm, source))
    case .validators(let validators): probe(validators, PinRules.rule(of: target))
    case .serverDigest: probe(nil, PinRules.rule(of: target))
    }
  }

  /// The digest that the rule names, once the verdict is settled.
  mutating func planFinds(_ result: Result<HexDigest, FailureCause>) {
    guard let settled = plan.settled,
      case .digest(let algorithm, _, let locked)? = lockCheck?.question(after: settled)
    else { return }
    switch result {
    case .success(let digest):
      plan.settled = nil
      plan.knowsMoved = true
      if digest != locked { plan.moved = .digestDiffers(algorithm, expected: digest, actual: locked) }
      conclude(settled)
    case .failure(let cause): fail(cause)
    }
  }

  /// `nil` for a target that is not pinned.
  private var lockCheck: LockCheck? {
    question.pin.map {
      LockCheck(
        target: target, pin: $0, upstream: question.upstream, hasUnmovedList: question.hasUnmovedList,
        asks: terms.options.asksWhatMoved, secrets: secrets)
    }
  }

  mutating func planDecided(_ decision: Decision) {
    if planAsksCache(decision) { return }
    if let question = lockCheck?.question(after: decision) {
      plan.settled = decision
      return askWhatMoved(question)
    }
    guard isWorthMeasuring(decision) else { return conclude(decision) }
    plan.settled = decision
    emit(.askToMeasure)
  }

  /// Whether one more request can tell the size of the download, which is unknown so far, or that there is none. A look at a
  /// file is no request.
  private func isWorthMeasuring(_ decision: Decision) -> Bool {
    guard question.facts.sourceAnswer == nil, case .urls = target.source else { return false }
    if comesFromElsewhere(decision) { return true }
    guard readsFilesOnly || terms.options.asksHowLarge && question.pin == nil, plan.bytes == nil,
      case .stale = decision.verdict
    else { return false }
    return true
  }

  /// Whether an update would have the file from another source than the locked one, and nothing else asks that.
  private func comesFromElsewhere(_ decision: Decision) -> Bool {
    terms.options.insistsOnWhatMoved && lockCheck?.comesFromElsewhere(after: decision) == true
  }

  /// Whether a run would read nothing but files that are as they are now: what comes before it may make one.
  private var readsFilesOnly: Bool {
    guard plan.from == nil, let mirrors = target.source.mirrors else { return false }
    return mirrors.allSatisfy { if case .file = $0 { true } else { false } }
      && target.after.isEmpty && terms.graph.dependencies(of: target.id).isEmpty
  }

  mutating func mayMeasure(_ isAllowed: Bool) {
    guard phase == .judging, let settled = plan.settled else { return }
    guard isAllowed else {
      plan.settled = nil
      return conclude(settled)
    }
    plan.isMeasuring = true
    // By the answer to these, a run would take the body from a cache.
    probe(cache?.record?.validators, question.rule?.innermost ?? .etag)
  }

  private mutating func conclude(_ decision: Decision) {
    self.decision = decision
    guard case .fresh(let reason) = decision.verdict else { return endPlanned(decision) }
    findFreshContent(reason)
  }

  var hasDependents: Bool { !terms.graph.dependents(of: target.id).isEmpty }

  /// Takes what is in a fresh output, which the lock or a dependent is compared with.
  mutating func planReads(_ read: Result<ContentIdentity, FailureCause>, _ reason: FreshReason) {
    switch read {
    case .success(let content):
      question.facts.outputDigests = content.digests
      endFresh(reason, content)
    // A run would not read it.
    case .failure where !hasDependents: endFresh(reason, nil)
    case .failure(let cause): fail(cause)
    }
  }

  mutating func planEndsFresh() {
    if let decision { endPlanned(decision) }
  }

  private mutating func endPlanned(_ decision: Decision) {
    var planned = Planner.planned(
      target, in: terms.graph, by: decision, bytes: plan.bytes ?? target.source.listedSize)
    if case .fresh(let reason)? = planned.reason { planned.reason = .fresh(question.told(reason)) }
    lockCheck?.complete(
      &planned, decision, question, moved: plan.moved, knowsMoved: plan.knowsMoved, bytes: plan.bytes)
    let recorded = ListStanding(target.source, decision.record)
    planned.list = lockCheck.map { $0.list(orElse: recorded) } ?? recorded
    if planned.action == .update {
      planned.from = plannedOrigin
      planned.mayTakeCached = mayTakeCached
    }
    planned.isUnproven = decision.record?.isMade(as: target) == false
    planned.unmeasured = plan.refusal
    planned.knowsMoved = plan.knowsMoved || lockCheck?.isDecidedByList == true
    finishPlan(planned)
  }

  mutating func finishPlan(_ planned: PlannedTarget) {
    var planned = planned
    planned.serverDigests = fetch.machine?.heard.ofFile ?? []
    phase = .over
    // A target that depends on others is not decided yet.
    if let reason = planned.reason, planned.action != .maybe { emit(.report(.decided(target.id, reason))) }
    emit(.planned(planned, decision))
  }

  mutating func planFailed(_ cause: FailureCause) {
    guard phase != .over else { return }
    // A run, or the update, reads the same file.
    if case .sourceUnreadable = cause, readsFilesOnly, let settled = plan.settled,
      settled.isStale || comesFromElsewhere(settled)
    {
      return finishPlan(Planner.failed(target, in: terms.graph, cause))
    }
    // A decided target needs no request.
    if let settled = plan.settled, plan.isMeasuring || !terms.options.insistsOnWhatMoved {
      plan.settled = nil
      if plan.isMeasuring {
        emit(.noteUnmeasured(cause))
        switch cause {
        // These may speak of the question's method, which is HEAD.
        case .httpStatus(405, _), .httpStatus(501, _), .protocolError: break
        // What comes before the target may make the file.
        case .sourceUnreadable: break
        default: plan.refusal = cause
        }
      }
      return conclude(settled)
    }
    if cause == .offline, plan.settled == nil, let decision { return planDecided(decision) }
    finishPlan(Planner.failed(target, in: terms.graph, cause))
  }

  mutating func planFetchEnded(_ ending: FetchEnding) {
    guard phase == .judging else { return }
    switch (ending, plan.settled) {
    case (.differs(_, let bytes), let settled?) where plan.isMeasuring:
      plan.settled = nil
      plan.bytes = bytes
      cache?.record = nil
      conclude(settled)
    case (.differs(let observed, let bytes), let settled?):
      plan.settled = nil
      plan.moved = lockCheck?.difference(observed, fetch.machine?.heard ?? ServerDigests(), after: settled)
      plan.knowsMoved = plan.moved != nil
      if plan.knowsMoved { plan.bytes = bytes }
      conclude(settled)
    case (.confirmed, let settled?) where plan.isMeasuring:
      plan.settled = nil
      if let record = cache?.record { planTakes(file(of: record)) }
      conclude(settled)
    case (.confirmed, let settled?):
      plan.settled = nil
      plan.knowsMoved = true
      conclude(settled)
    case (.confirmed(let observed, let digest), nil):
      noteConfirmation(observed)
      sourceAnswered(digest.map { .sameDigest($0) } ?? .confirmed)
    case (.differs(let observed, let bytes), nil):
      plan.bytes = bytes
      sourceAnswered(.changed(observed))
    case (.failed(let cause, _), _): fail(cause)
    case (.downloaded, _): fail(.internalError("a plan downloaded"))
    }
  }

  private mutating func sourceAnswered(_ answer: SourceAnswer) {
    check.hasAsked = true
    question.facts.sourceAnswer = answer
    judge()
  }
}

extension Decision {
  fileprivate var isStale: Bool { if case .stale = verdict { true } else { false } }
}
