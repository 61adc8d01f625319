package import SyncModel

/// One target's whole life, from the first question to its result: the verdict, the question to the source, the
/// demands on the body, the comparison with the lock, and the record.
///
/// A state machine without IO. The driver performs each ``TargetAction`` and reports each ``TargetEvent``; the
/// machine ignores events that it does not wait for. Run, plan, `lock`, `update` and `--touch` use it with
/// different ``TargetTerms``.
package struct TargetMachine: Sendable {
  /// The terms of the run, the same for all of its targets.
  package let terms: TargetTerms
  /// The facts behind the verdict, as far as they are known.
  package internal(set) var question: FreshnessQuestion
  /// The run's facts about the dependencies; set it before events that lead to a record.
  package var dependencies: [DependencyFacts] = []
  /// The result so far.
  package internal(set) var result: TargetResult
  /// The demands on the body.
  package internal(set) var demands: BodyDemands
  /// The server's digests of the present or last body.
  package internal(set) var announced = AnnouncedDigests()
  /// Set if the target ended as fresh by a verdict that needs no IO, or only by its source's answer.
  package internal(set) var outlook: Outlook?
  /// What earlier runs have left for this one; set it before the machine begins.
  package var leftovers = Leftovers()
  /// What was asked for the verdict; the driver sets only ``RecordRules/Check/isOnlyNoted``.
  package var check = RecordRules.Check()

  var phase = Phase.judging
  var decision: Decision?
  private var hasReadDependencies = false
  var now: Timestamp
  var actions: [TargetAction] = []

  /// The target's dealings with its source.
  var fetch = FetchCourse()
  /// The target's body, wherever it comes from.
  var intake = BodyCourse()
  /// The target's dealings with the cache; `nil` if it has none.
  var cache: Shared<CacheCourse>?
  /// What a plan finds out besides.
  var plan = PlanCheck()

  /// What earlier runs have left of a target's body.
  package struct Leftovers: Sendable {
    /// The output that an earlier run withheld and this one may use; `nil` for none.
    package var withheld: TargetRecord?
    /// Whether there may be a partial download.
    package var mayHavePartial = false
  }

  /// The phase of the target's life.
  enum Phase: Equatable {
    /// The verdict waits for a fact.
    case judging
    /// A body is asked for, or comes.
    case fetching
    /// The end is being prepared; nothing is lost by stopping.
    case settling(Settling)
    /// The end can no longer be stopped.
    case closing(Closing)
    case over
  }

  /// The fact that a settling target waits for.
  enum Settling: Equatable {
    /// The content of a fresh output.
    case freshContent(FreshReason)
    /// The time of a fresh output.
    case freshTime(FreshReason, ContentIdentity)
    /// The digest of the output that the body may equal.
    case comparison
    /// Whether the output that equals the body still exists.
    case observation
    /// The time of an output that the body left unchanged.
    case unchangedTime
    /// The content of a touched file.
    case touch
  }

  /// The event that a closing target waits for.
  enum Closing: Equatable {
    case publication
    /// The resumable part is kept first.
    case failure(FailureCause, tries: Int)
    case stop
  }

  /// For the target of `question`.
  package init(_ question: consuming FreshnessQuestion, on terms: TargetTerms) {
    self.terms = terms
    now = question.now
    let target = question.target
    demands = BodyDemands(target)
    result = TargetResult(id: target.id, name: target.name, outcome: .failed, output: target.output)
    if target.isOptional { result.isOptional = true }
    self.question = question
  }

  var target: Target { question.target }
  var secrets: SecretMask { terms.manifest.secrets }

  /// Whether the target has ended.
  package var isOver: Bool { phase == .over }

  /// The first actions.
  package mutating func begin() -> [TargetAction] {
    // Not in the initializer, which would copy the machine.
    if terms.options.cache != .none { cache = CacheCourse(target, terms).map { Shared($0) } }
    if case .unlisted(let cause) = target.source {
      let awaited = terms.purpose == .plan ? target.needs.filter { terms.manifest[$0].isOptional } : []
      // What needs an optional target does not fail with it.
      if awaited.isEmpty {
        fail(cause)
      } else {
        finishPlan(Planner.awaiting(awaited, target, in: terms.manifest, terms.graph))
      }
    } else if let gone = target.gone {
      endGone(gone)
    } else if terms.purpose == .touch {
      touch()
    } else {
      judge()
    }
    return takeActions()
  }

  /// Takes an event; `now` is the time of day.
  package mutating func handle(_ event: TargetEvent, now: Timestamp) -> [TargetAction] {
    self.now = now
    switch event {
    case .dependenciesRead(let result): dependenciesRead(result)
    case .outputRead(let result, let seen): outputRead(result, seen)
    case .outputObserved(let observation): outputObserved(observation)
    case .digestFound(let result, let askedSource): digestFound(result, askedSource)
    case .replied(let head): replied(head)
    case .sourceOpened(let path, let stamp, let size, let isOwnOutput):
      sourceOpened(path, stamp, size, isOwnOutput)
    case .exchangeEnded(let end, let accepted, let requests): exchangeEnded(end, accepted, requests)
    case .waited: waited()
    case .mayMeasure(let isAllowed): mayMeasure(isAllowed)
    case .cacheAnswered(let answer): cacheAnswered(answer)
    case .cacheFailed: leaveCache(isBad: false)
    case .cacheRefused(let cause):
      cache?.refusal = cause
      leaveCache(isBad: false)
    case .partialOpened(let facts): partialOpened(facts)
    case .bodyRestored(let offset): bodyRestored(offset)
    case .bodySalvaged(let offset): bodySalvaged(offset)
    case .copyOpened(let size): copyOpened(size)
    case .bodyFinished(let content): bodyFinished(content)
    case .bodyRefused(let body): bodyRefused(body)
    case .bodyFailed(let cause, let accepted): bodyFailedInSteps(cause, accepted)
    case .demandsFound(let result): demandsFound(result)
    case .signaturesChecked(let faults): signaturesChecked(faults)
    case .timeSet(let result): timeSet(result)
    case .published(let result, let keptPartial, let isBegun): published(result, keptPartial, isBegun)
    case .partialKept(let bytes): partialKept(bytes)
    case .failed(let cause): fail(cause)
    case .interrupted: interrupt()
    }
    return takeActions()
  }

  private mutating func takeActions() -> [TargetAction] {
    defer { actions = [] }
    return actions
  }

  mutating func emit(_ action: TargetAction) {
    // As many as most events lead to, at once.
    if actions.isEmpty { actions.reserveCapacity(4) }
    actions.append(action)
  }

  // MARK: The verdict

  /// Applies the rules to the known facts, and requests a missing fact.
  mutating func judge() {
    var decision = FreshnessRules.verdict(question)
    if let seed = question.seed { decision = SharedNeedRule.judged(decision, seed: seed) }
    if !hasReadDependencies, decision.line >= TableLine.dependencies {
      hasReadDependencies = true
      // A target that matches the lock does not depend on a list's content; only `-W` of a dependency matters.
      let isAsLocked = if case .fresh(.asLocked) = decision.verdict { true } else { false }
      let isAsked = terms.graph.dependencies(of: target.id).contains {
        $0.kind != .after && !(isAsLocked && $0.kind == .verify)
      }
      if isAsked {
        // So far: if what it depends on cannot be read, a plan explains that.
        if terms.purpose == .plan {
          self.decision = Decision(decision.verdict, line: .dependencies, record: decision.record)
        }
        return emit(.readDependencies(withLists: !isAsLocked))
      }
    }
    self.decision = decision
    guard case .undecided(let probe) = decision.verdict else {
      return terms.purpose == .plan ? planDecided(decision) : act(on: decision)
    }
    switch probe {
    case .outputDigests(let algorithms): emit(.readOutput(algorithms.union([.sha256])))
    case .expectedDigest(let algorithm, let source): emit(.findDigest(algorithm, source))
    case .source(let validators):
      if terms.purpose == .plan { return planAsks(validators) }
      check.asking = decision
      fetchSource(conditions: validators)
    }
  }

  private mutating func dependenciesRead(_ result: Result<[DependencyState], FailureCause>) {
    guard phase == .judging || phase == .settling(.touch) else { return }
    switch result {
    case .success(let states):
      question.dependencies = states
      if phase == .judging { judge() }
    case .failure(let cause): fail(cause)
    }
  }

  private mutating func outputRead(
    _ result: Result<ContentIdentity, FailureCause>, _ seen: OutputObservation?
  ) {
    switch (phase, result) {
    case (.judging, .success(let content)):
      question.facts.outputDigests = content.digests
      if let seen { question.output = seen }
      if let gone = target.gone { endGone(gone, isRead: true) } else { judge() }
    case (.settling(.freshContent(let reason)), _) where terms.purpose == .plan: planReads(result, reason)
    case (.settling(.freshContent(let reason)), .success(let content)): endFresh(reason, content)
    case (.settling(.touch), .success(let content)):
      if let seen { question.output = seen }
      endTouch(content)
    case (.judging, .failure) where question.hasOtherNames && target.gone == nil:
      // Nothing else may have to be known of it.
      question.hasOtherNames = false
      judge()
    case (.settling(.comparison), _): compareOutput(with: (try? result.get())?.sha256)
    case (.judging, .failure(let cause)), (.settling, .failure(let cause)):
      if let gone = target.gone { endGone(gone, isRead: true) } else { fail(cause) }
    default: break
    }
  }

  private mutating func digestFound(_ result: Result<HexDigest, FailureCause>, _ askedSource: Bool) {
    guard phase == .judging else { return }
    if plan.settled != nil { return planFinds(result) }
    if askedSource { check.hasAsked = true }
    switch result {
    case .success(let digest):
      question.facts.expectedDigest = digest
      judge()
    case .failure(let cause): fail(cause)
    }
  }

  private mutating func act(on decision: Decision) {
    if case .fresh(.keptModified) = decision.verdict { emit(.noteKeptEdit) }
    if terms.options.collectsPins,
      let cause = PinRules.editPreventsLock(decision, question, dependencies)
    {
      return fail(cause)
    }
    switch decision.verdict {
    case .fresh(let reason):
      decide(.fresh(question.told(reason)))
      findFreshContent(reason)
    case .stale(let reason):
      decide(.stale(reason))
      switch target.source {
      case .urls, .entry: fetchSource(conditions: nil)
      case .unlisted(let cause): fail(cause)
      case .gone: fail(.internalError("an entry that has left its list was fetched"))
      case .target(let id):
        phase = .fetching
        if !usesWithheld(conditions: nil) { emit(.copyOutput(id)) }
      }
    case .refused(let cause):
      if case .outputModified(let expected?, let actual) = cause {
        result.reason = .stale(.edited(target.output, recorded: expected, actual: actual))
      }
      fail(cause)
    case .undecided, .dependsOn: fail(.internalError("a run met a verdict of planning"))
    }
  }

  mutating func decide(_ reason: Reason) {
    result.reason = reason
    emit(.report(.decided(target.id, reason)))
  }

  /// The source has something else than was recorded: the reason is found as any verdict is.
  mutating func decideStale(_ observed: Validators) {
    guard result.reason == nil else { return }
    check.hasAsked = true
    question.facts.sourceAnswer = .changed(observed)
    if case .stale(let reason) = FreshnessRules.verdict(question).verdict { decide(.stale(reason)) }
  }

  // MARK: A fresh target

  var records: RecordRules { RecordRules(question, dependencies, demands, now: now) }

  mutating func findFreshContent(_ reason: FreshReason) {
    phase = .settling(.freshContent(reason))
    let content = RecordRules.freshContent(
      question, decision, isRecording: terms.options.isRecording,
      hasDependents: hasDependents || terms.purpose == .plan && question.pin != nil)
    switch content {
    case .known(let content): endFresh(reason, content)
    case .unread: emit(.readOutput([.sha256]))
    }
  }

  mutating func endFresh(_ reason: FreshReason, _ content: ContentIdentity?) {
    emit(.settle(content))
    if terms.purpose == .plan { return planEndsFresh() }
    result.outcome = .fresh
    result.content = content
    if let standing = decision.flatMap({ Standing($0, question) }) {
      outlook = .stands(standing)
    } else {
      outlook = revalidated.map { .asks($0) }
    }
    let records = records
    if let content, let record = records.renewed(decision, reason, content, after: check) {
      if let time = records.missingTime(record, after: check), !defers(time, record) {
        phase = .settling(.freshTime(reason, content))
        return emit(.setTime(time, ifStill: record.signature, holding: nil))
      }
      remember(record)
    }
    completeFresh(reason, content)
  }

  /// The next run's one question, if it may have to ask nothing else.
  private var revalidated: Revalidation? {
    guard let asking = check.asking, let confirmed = check.confirmed, fetch.isOneConfirmation else {
      return nil
    }
    return Revalidation(asking: asking, question, confirmed: confirmed)
  }

  private mutating func completeFresh(_ reason: FreshReason, _ content: ContentIdentity?) {
    if terms.options.collectsPins {
      result.pin = PinRules.pin(
        ofFresh: question, decision?.record, content, reason, after: check, in: terms.manifest,
        lock: terms.lock)
    }
    end()
  }

  private mutating func remember(_ record: TargetRecord) {
    guard terms.options.isRecording else { return }
    var record = record
    if let checkedAt = cache?.provenCheck { record.checkedAt = checkedAt }
    emit(.remember(record))
  }

  private mutating func timeSet(_ set: Result<FileSignature, FailureCause>) {
    switch phase {
    case .settling(.freshTime(let reason, let content)):
      guard var record = records.renewed(decision, reason, content, after: check) else { break }
      // A file whose time cannot be set is still fresh.
      if let signature = try? set.get() { record.signature = signature }
      if case .asks? = outlook { outlook = nil }
      remember(record)
      completeFresh(reason, content)
    case .settling(.unchangedTime): unchangedTimeSet(set)
    default: break
    }
  }

  // MARK: Touching

  private mutating func touch() {
    switch question.output {
    case .missing, .incomplete:
      result.outcome = .skipped
      result.skipped = .nothingToTouch
      end()
    case .unusable(let fault): fail(.outputUnwritable(path: target.path.text, fault))
    case .file:
      phase = .settling(.touch)
      emit(.readOutput([.sha256]))
    }
  }

  private mutating func endTouch(_ content: ContentIdentity) {
    guard case .file(let signature) = question.output else { return }
    result.outcome = .fresh
    result.reason = .fresh(.touched)
    result.content = content
    emit(.settle(content))
    emit(.remember(records.touched(signature, content)))
    end()
  }

  // MARK: Ending

  mutating func fail(_ cause: FailureCause, tries: Int = 0, keptPartial: Int64 = 0) {
    if terms.purpose == .plan { return planFailed(cause) }
    switch phase {
    case .over, .closing(.failure), .closing(.stop): return
    default: break
    }
    let cause = told(cause)
    phase = .closing(.failure(cause, tries: tries))
    hangUp()
    if intake.hasBody { emit(.keepPartial) } else { endFailed(cause, tries: tries, keptPartial: keptPartial) }
  }

  private mutating func endFailed(_ cause: FailureCause, tries: Int, keptPartial: Int64) {
    result.outcome = .failed
    result.failure = TargetFailure(
      cause, tries: tries,
      keptOutput: question.output.isFile || terms.purpose == .touch && !question.output.isMissing,
      isHalfway: question.output == .incomplete(.interruptedChange),
      keptPartial: keptPartial)
    end()
  }

  /// Stops cleanly: the resumable part is kept, and a publication in progress is completed.
  private mutating func interrupt() {
    switch phase {
    case .closing, .over: return
    case .judging, .fetching, .settling: break
    }
    phase = .closing(.stop)
    hangUp()
    if intake.hasBody { emit(.keepPartial) } else { endStopped() }
  }

  private mutating func endStopped() {
    result.outcome = .skipped
    result.reason = nil
    result.skipped = .runStopped
    end()
  }

  private mutating func partialKept(_ bytes: Int64) {
    intake.hasBody = false
    switch phase {
    case .closing(.failure(let cause, let tries)): endFailed(cause, tries: tries, keptPartial: bytes)
    case .closing(.stop): endStopped()
    default: break
    }
  }

  mutating func hangUp() {
    emit(.hangUp)
    fetch.exchange = .idle
  }

  mutating func end() {
    phase = .over
    emit(.end(result))
  }
}
