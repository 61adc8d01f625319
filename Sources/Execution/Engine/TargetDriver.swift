import ContentPipeline
import Planning
import SyncModel
import Transfer

/// The receiver of a target's end.
protocol TargetOwner: AnyObject {
  /// Only disk I/O remains.
  func targetCloses(_ id: TargetID)
  func targetEnded(_ driver: TargetDriver, _ result: TargetResult)
  func targetPlanned(_ driver: TargetDriver, _ planned: PlannedTarget, _ decision: Decision?)
  /// Whether a plan may ask how large the target's body is.
  func mayMeasure(_ target: Target) -> Bool
  /// The size could not be asked.
  func couldNotMeasure(_ target: Target, _ cause: FailureCause)
}

extension TargetOwner {
  // A run gets no events of a plan.
  func targetPlanned(_ driver: TargetDriver, _ planned: PlannedTarget, _ decision: Decision?) {}
  func mayMeasure(_ target: Target) -> Bool { false }
  func couldNotMeasure(_ target: Target, _ cause: FailureCause) {}
}

/// Performs the actions of one ``TargetMachine``, and returns the results as events.
final class TargetDriver: ActiveTarget {
  private(set) var machine: TargetMachine
  let context: RunContext
  private unowned let owner: any TargetOwner
  private let began: Duration
  private(set) lazy var exchange = SourceExchange(for: target, in: context, receiver: self)
  /// `nil` until it is needed.
  private var search: DemandSearch?
  private lazy var intake = TargetIntake(self)
  private lazy var cacheWork = context.state.caches.map { CacheWork($0, self) }
  /// The cost of the rule's sidecar.
  private var totals = ExchangeTotals()
  private var performance = Performance()

  /// The actions that are being performed.
  private struct Performance {
    var mode = Mode.idle
    /// What has happened meanwhile.
    var events: [TargetEvent] = []

    enum Mode {
      case idle
      case performing
      /// The exchange was adopted, and earlier reports are not repeated.
      case adopting
    }
  }

  var target: Target { machine.question.target }
  /// Whether a file stood in the output's place when the target was judged.
  var isReplacing: Bool { machine.question.output.isFile }

  /// `began` is when the target was first looked at.
  init(
    _ question: consuming FreshnessQuestion, began: Duration, in context: RunContext, owner: any TargetOwner
  ) {
    self.began = began
    self.context = context
    self.owner = owner
    let id = question.target.id
    machine = TargetMachine(question, on: context.terms)
    machine.dependencies = context.dependencyFacts(of: id)
    machine.leftovers.mayHavePartial = context.state.partialKey(of: machine.question.target) != nil
    if let record = machine.question.record {
      machine.check.isOnlyNoted = context.records.isOnlyNoted(record)
    }
    if context.terms.withholds(id) {
      let target = machine.question.target
      machine.leftovers.withheld = context.state.withheld?.earlier(
        for: target.path, keepingEdits: context.keepsEdits(target))
    }
  }

  func begin() {
    let actions = machine.begin()
    if context.settings.reports.hasTimes, !machine.isOver { context.report(.began(target.id)) }
    perform(actions)
  }

  /// Goes on with an exchange that a fast path has started, which has reported the verdict.
  func begin(with adopted: AdoptedExchange) {
    exchange.adopt(adopted)
    performance.mode = .adopting
    perform(machine.begin())
  }

  func interrupt() { tell(.interrupted) }

  /// Hands an event to the machine: at once, or when the present actions are performed.
  func tell(_ event: TargetEvent) {
    if performance.mode != .idle { return performance.events.append(event) }
    perform(machine.handle(event, now: context.clock.now()))
  }

  private func perform(_ actions: [TargetAction]) {
    let isAdopting = performance.mode == .adopting
    performance.mode = .performing
    // By their places: an action is large, and a loop over values copies each.
    for place in actions.indices {
      if isAdopting, case .report(.decided) = actions[place] { continue }
      perform(actions[place])
    }
    while !performance.events.isEmpty {
      let told = performance.events
      performance.events = []
      for event in told {
        let actions = machine.handle(event, now: context.clock.now())
        for place in actions.indices { perform(actions[place]) }
      }
    }
    performance.mode = .idle
  }

  private func perform(_ action: TargetAction) {
    switch action {
    case .report(let event): context.report(event)
    case .readDependencies(let withLists):
      DependencyReader.read(target, withLists: withLists, in: context) { self.tell(.dependenciesRead($0)) }
    case .readOutput(let algorithms):
      OutputHasher.hash(
        target.output, algorithms, keepingEdits: context.keepsEdits(target),
        locked: machine.question.lockedOutput, in: context
      ) { found in
        let seen = (try? found.get()).flatMap { self.context.observeRead(self.target, $0) }
        self.tell(.outputRead(found.map(\.content), seen: seen))
      }
    case .observeOutput: tell(.outputObserved(context.observe(target)))
    case .findDigest(let algorithm, let source): findDigest(algorithm, source)
    case .noteKeptEdit: context.noteKeptEdit(target.id)
    case .ask(let question): exchange.ask(question)
    case .wait(let delay): exchange.pause(delay)
    case .hangUp: hangUp()
    case .askToMeasure: tell(.mayMeasure(owner.mayMeasure(target)))
    case .noteUnmeasured(let cause): owner.couldNotMeasure(target, cause)
    case .askCache(let question, let isToFetch):
      cacheWork?.ask(question, isToFetch: isToFetch) ?? tell(.cacheAnswered(CacheAnswer()))
    case .copyCached(let file): cacheWork?.copy(file, to: intake)
    case .dropCached(let file): cacheWork?.drop(file)
    case .keepForCache: intake.keepNext()
    case .store(let entry): intake.store(entry)
    case .renewInCache(let record, let key):
      context.state.caches?.renew(record, at: key, isShared: target.cache == .share)
    case .openPartial: intake.openPartial()
    case .restoreBody: intake.restore(spec)
    case .salvageBody: intake.salvage(spec)
    case .takeBody(let size, let facts):
      intake.take(size, facts, spec, part: machine.announced.partAlgorithms)
      exchange.readFile()
    case .continueBody: intake.goOn(part: machine.announced.partAlgorithms)
    case .copyOutput(let id): intake.copy(id)
    case .finishBody: intake.finish()
    case .discardBody: intake.discard()
    case .keepPartial: intake.keepPartial()
    case .findDemands(let anew):
      demandSearch().find(machine.demands, anew: anew) { self.tell(.demandsFound($0)) }
    case .checkSignatures:
      tell(.signaturesChecked(demandSearch().signatureFaults(in: intake.result?.signedContents ?? [:])))
    case .setTime(let time, let signature, let digest): setTime(time, signature, digest)
    case .publish(let publication): publish(publication)
    case .remember(let record): context.state.committer?.remember(.commit(record))
    case .withhold(let withholding): context.state.withheld?.add(withholding)
    case .retime(let record, let time): context.state.withheld?.add(.init(record: record, time: time))
    case .settle(let content): context.settle(target.id, content: content)
    case .end(let result): end(result)
    case .planned(var planned, let decision):
      if case .outputModified? = planned.failure, let named = editedFiles { planned.failure = named }
      if let policy = context.settings.policy { planned.failure = planned.failure.map(policy.told) }
      owner.targetPlanned(self, planned, decision)
    }
  }

  /// How the body that comes now is taken.
  private var spec: PipelineSpec {
    PipelineSpec(target, in: context.manifest, announced: machine.announced, context.settings) {
      demandSearch().bytesWish
    }
  }

  private func demandSearch() -> DemandSearch {
    if let search { return search }
    let made = DemandSearch(of: target, in: context)
    search = made
    return made
  }

  /// The body passed its steps.
  func bodyFinished(_ content: BodyContent) {
    // Targets that `-o` left alone may be settled only now.
    machine.dependencies = context.dependencyFacts(of: target.id)
    tell(.bodyFinished(content))
  }

  private func findDigest(_ algorithm: DigestAlgorithm, _ source: DigestSource) {
    let askedSource = if case .sidecar = source { true } else { false }
    let subject = target.digestRule?.of ?? .download
    ExpectedDigest.find(algorithm, source, of: subject, for: target, in: context) { result, cost in
      self.totals += cost
      self.tell(.digestFound(result, askedSource: askedSource))
    }
  }

  private func hangUp() {
    exchange.hangUp()
    intake.stopCopying()
    if context.state.caches != nil { cacheWork?.hangUp() }
  }

  private func setTime(_ time: Timestamp?, _ signature: FileSignature, _ digest: HexDigest?) {
    OutputTime.set(time, of: target.path, ifStill: signature, holding: digest, in: context) {
      self.tell(.timeSet($0))
    }
  }

  private func publish(_ publication: TargetAction.Publication) {
    guard let committer = context.state.committer, let body = intake.handOver() else {
      return tell(.published(.failure(.internalError("a body without a file")), keptPartial: 0))
    }
    let isWithheld = context.terms.withholds(target.id)
    let job = PublishJob(
      body: body, record: publication.record, over: publication.over, overDigest: publication.overDigest,
      contradictsRecord: publication.contradictsRecord,
      mode: target.output.mode ?? modeInArchive, modified: publication.modified,
      isWithheld: isWithheld)
    let ticket = context.driver.expectOne { [self] letter in
      guard case .published(let published) = letter else { return }
      switch published {
      case .success(let signature):
        if context.settings.reports.hasTimes, !isWithheld { context.report(.published(target.id)) }
        tell(.published(.success(signature), keptPartial: 0))
      case .failure(let failure):
        tell(
          .published(.failure(failure.cause), keptPartial: failure.keptPartial, isBegun: failure.isBegun))
      }
    }
    if context.settings.reports.hasTimes { context.report(.publishing(target.id)) }
    committer.publish(job, ticket)
    owner.targetCloses(target.id)
  }

  /// The mode of a file from an archive (contract, section 10, `modes: plain`); `nil` for other files.
  private var modeInArchive: UInt16? {
    intake.result?.isExecutable.map { ($0 ? 0o755 : 0o644) & ~context.root.maskOfNewFiles }
  }

  /// Which files of a folder were edited; `nil` for a file.
  private var editedFiles: FailureCause? {
    target.output.isFolder ? context.state.trees?.edits(in: target.path) : nil
  }

  /// The URL of the last reply if it is not the only one that the manifest names.
  private var surprisingURL: String? {
    guard let url = exchange.lastURL, let mirrors = target.source.mirrors else { return nil }
    let isOnly = mirrors.count == 1 && context.manifest.secrets.mask(mirrors[0].shown) == url
    return isOnly ? nil : url
  }

  /// What it took to ask for the list for whose targets this one stands; `nil` if it stands for none.
  private var listWork: ListWork? {
    context.manifest.templates.first { $0.list.template == target.name.text }?.work
  }

  private func end(_ result: TargetResult) {
    var result = result
    if case .outputModified? = result.failure?.cause, let named = editedFiles {
      result.failure?.cause = named
    }
    if let policy = context.settings.policy, let cause = result.failure?.cause {
      result.failure?.cause = policy.told(cause)
    }
    if result.outcome == .updated, result.tree == nil, context.terms.withholds(target.id),
      let order = target.treeOrder(context.settings)
    {
      // An earlier run has unpacked it.
      result.tree = context.state.withheld?.facts(of: target.path, order)
    }
    result.totals += totals
    if let search { result.totals += search.totals }
    result.totals += exchange.totals
    if let caches = context.state.caches {
      cacheWork?.end()
      caches.note(result.from, hasLooked: cacheWork?.hasLooked == true)
    }
    result.httpStatus = exchange.lastStatus
    result.url = exchange.lastURL
    if result.failure?.cause.traits.contains(.content) == true { result.failure?.origin = surprisingURL }
    result.duration = context.clock.monotonic() - began
    if case .unlisted = target.source, let work = listWork { result.add(work) }
    owner.targetEnded(self, result)
  }
}

extension TargetDriver: SourceExchangeReceiver {
  var acceptedBytes: Int64 { intake.acceptedBytes }

  func sourceReplied(_ head: ResponseHead) -> BodyDisposition {
    intake.expect(head.contentLength)
    tell(.replied(head))
    return intake.takesReply ? .take : .drop
  }

  func sourceOpened(_ path: String, _ stamp: Validators, size: Int64, isOwnOutput: Bool) {
    intake.expect(size)
    tell(.sourceOpened(path: path, stamp: stamp, size: size, isOwnOutput: isOwnOutput))
  }

  func sourceSent(_ bytes: UnsafeRawBufferPointer) -> BodyReception { unsafe intake.push(bytes) }

  func sourceEnded(_ end: ExchangeEnd, cost: ExchangeTotals) {
    tell(.exchangeEnded(end, accepted: acceptedBytes, requests: cost.requests))
  }

  func sourcePauseEnded() { tell(.waited) }
}
