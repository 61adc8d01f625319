import ContentPipeline
import LocalFiles
package import Planning
import Platform
package import SyncModel

/// How the values are known that variables take from targets' outputs.
package struct ValueOrder {
  /// What is done to know a value.
  package enum Manner: Sendable {
    /// Its target is brought up to date.
    case run
    /// The same, but the new output stays hidden, since the update may fail yet.
    case update
    /// Its target is planned, and a new output is read without being written.
    case plan
    /// The present output is read; nobody is asked.
    case present
  }

  /// What is done.
  package var manner: Manner
  /// The targets that are asked for, of a manifest in which every target has its name, with all that they need.
  package var selection: (Workspace) throws -> [TargetID]
  /// Those of a run or a plan of a part of the manifest.
  package var settings: (Manifest) throws -> RunSettings
  /// Hears of the requests of the targets of a part of the manifest.
  package var report: (Manifest) -> (RunEvent) -> Void = { _ in { _ in } }
  /// What the run has asked before it was known that it has something to do.
  package var early: EarlyAnswers?
  /// The lock, whose values take the place of those of the outputs; `nil` without one.
  package var lock: LockFile?
  /// Whether values of a lock are read anew, as far as ``renewing`` chooses their targets.
  package var renews = false
  /// The targets whose values are read anew; `nil` for all.
  package var renewing: ((Manifest) throws -> Set<TargetID>)?
  /// See ``KnownValues/orders``.
  package var orders = true
  /// Whether what uses a locked value does not wait for its target: what that has now may not be had any more.
  package var freesLocked = true

  /// The selection is everything, and nobody hears of requests.
  ///
  /// - Parameters:
  ///   - isOffline: nobody may be asked.
  ///   - requiresLock: the lock must fit, or nothing is started; so nothing is started for a value, either.
  package init(
    _ manner: Manner, isOffline: Bool = false, requiresLock: Bool = false,
    selection: @escaping (Workspace) throws -> [TargetID] = { $0.graph.order },
    settings: @escaping (Manifest) throws -> RunSettings = { _ in RunSettings() }
  ) {
    self.manner = isOffline || requiresLock ? .present : manner
    self.selection = selection
    self.settings = settings
    orders = !isOffline
  }
}

/// What is known of the values of a manifest's variables.
struct ValueStates {
  var known = KnownValues()
  /// By variable, why the value cannot be used.
  var failures: [String: FailureCause] = [:]
  /// By variable, the value that upstream has now, if it is not the lock's.
  var upstream: [String: String] = [:]
  /// See ``ManifestValue/isUnread``.
  var unread: Set<String> = []
}

/// A manifest with the values of its variables, and what was done to know them.
package struct ValueOutcome {
  /// Targets that use a value which is not known are missing; ``ManifestExpansion`` adds what stands for them.
  package var opened: OpenedManifest
  /// What became of the targets that were brought up to date.
  package var ended: [TargetName: TargetResult] = [:]
  /// The lines of a plan of the targets that were planned.
  package var planned: [TargetName: PlannedTarget] = [:]
  /// What all of them have had from the cache.
  package var cache = CacheAccount()
  /// What the targets have cost that an update has asked, and asks again.
  package var costs: [TargetName: ExchangeTotals] = [:]
  /// Whether a signal has ended it; then ``ended`` has those that were reached, and values may not be known.
  package var isInterrupted = false

  init(_ opened: OpenedManifest) { self.opened = opened }
}

/// Gives variables the values that targets' outputs have, before the graph is built (contract, section 11).
package enum ValueExpansion {
  /// Blocks until every value is known that the selection needs, or until the stop; throws what `order` throws, and a
  /// ``RunFault`` where nothing could be begun.
  package static func perform(
    on opened: OpenedManifest, _ order: ValueOrder, stop: StopSignal
  ) throws -> ValueOutcome {
    guard opened.workspace?.manifest.values.isEmpty == false else { return ValueOutcome(opened) }
    var session = ValueSession(opened, order, stop)
    try session.perform()
    return session.outcome
  }
}

/// One reading of the values of a manifest. Values may depend on others, so that there may be several rounds.
private struct ValueSession {
  /// A target, and those of the values of its output that can be read now: an output is read once for all of them.
  private typealias Wanted = (target: Target, values: [ManifestValue])

  var outcome: ValueOutcome
  private let order: ValueOrder
  private let stop: StopSignal
  /// The variables whose targets were looked at.
  private var tried: Set<String> = []
  /// The targets whose values are read anew, whatever the lock has.
  private var renewed: Set<TargetName> = []

  init(_ opened: OpenedManifest, _ order: ValueOrder, _ stop: StopSignal) {
    outcome = ValueOutcome(opened)
    self.order = order
    self.stop = stop
  }

  mutating func perform() throws {
    outcome.opened.values.known.orders = order.orders
    try takeLocked()
    expand()
    while !outcome.isInterrupted, let workspace = outcome.opened.workspace {
      let wanted = try wanted(in: workspace)
      guard !wanted.isEmpty else { return }
      for (_, values) in wanted { tried.formUnion(values.map(\.name)) }
      let values = outcome.opened.values
      switch order.manner {
      case .run, .update: try run(wanted, in: workspace)
      case .plan: try plan(wanted, in: workspace)
      case .present:
        for (target, values) in wanted { takePresent(values, target, workspace, mayCome: order.orders) }
      }
      if outcome.opened.values.known == values.known {
        outcome.opened.workspace?.take(outcome.opened.values)
      } else {
        expand()
      }
    }
  }

  private mutating func expand() { outcome.opened = outcome.opened.expanded(by: ListedEntries()) }

  private mutating func takeLocked() throws {
    guard let lock = order.lock, let workspace = outcome.opened.workspace else { return }
    if order.renews {
      let whole = workspace.withStandIns
      let chosen = try order.renewing.map { try $0(whole.manifest) }
      let named = chosen.map { whole.graph.units.withFellows($0) } ?? Set(whole.manifest.targets.map(\.id))
      renewed = Set(LockRenewal.withDerived(named, in: whole.graph).map { whole.manifest[$0].name })
    }
    // A plan needs the lock's value to tell whether it has moved.
    for value in workspace.manifest.values where order.manner == .plan || !renewed.contains(value.target) {
      guard let text = lock.text(of: value) else { continue }
      outcome.opened.values.known.texts[value.name] = text
      if order.freesLocked, !renewed.contains(value.target) {
        outcome.opened.values.known.locked.insert(value.name)
      }
    }
  }

  /// The values that the selection needs and that can be read now, with their targets, in the order of the variables.
  private func wanted(in workspace: Workspace) throws -> [Wanted] {
    let open = workspace.manifest.values.filter { value in
      !tried.contains(value.name) && (value.text == nil || order.manner == .plan)
    }
    guard !open.isEmpty else { return [] }
    let whole = workspace.withStandIns
    let chosen = Set(try order.selection(whole).map { whole.manifest[$0].name })
    // What is made of a renewed target is renewed with it.
    let names = Set(open.map(\.target)).intersection(chosen.union(renewed))
    let targets = Dictionary(
      workspace.manifest.targets.lazy.filter { names.contains($0.name) }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    var values = Dictionary(grouping: open, by: \.target)
    return open.compactMap { value in
      guard let target = targets[value.target], let all = values.removeValue(forKey: value.target) else {
        return nil
      }
      return (target: target, values: all)
    }
  }

  /// A part of the manifest, with the lock.
  private func part(_ workspace: Workspace) throws -> Workspace {
    var part = workspace
    part.isPart = true
    if order.lock != nil { _ = try part.readLock() }
    return part
  }

  private mutating func run(_ wanted: [Wanted], in workspace: Workspace) throws {
    var part = try part(workspace)
    var settings = try order.settings(part.manifest)
    settings.earlier.ended = outcome.ended
    settings.earlier.cache = outcome.cache
    let report = order.report(part.manifest)
    let ids = Set(wanted.map(\.target.id))
    if order.manner == .update {
      // What they need is taken anew with them: at its locked version it may not be there any more, or not go with them.
      let renewing = Selection.closure(of: Array(ids), in: part.graph).filter {
        renewed.contains(part.manifest[$0].name)
      }
      let task = LockTask.update(ids.union(renewing), in: part)
      part.unpinned = task.unpinned
      let cache = try Runner.withhold(
        task.selection, in: part, settings: settings, stop: stop, report: report
      ) { results, file in
        for result in results { outcome.costs[result.name, default: ExchangeTotals()] += result.totals }
        take(wanted, results) { file($0.path) }
      }
      if let cache { outcome.cache = cache }
      return
    }
    let selection = Selection.closure(of: Array(ids), in: part.graph)
    let ended = try Runner.run(
      selection, in: part, settings: settings, stop: stop, early: order.early, report: report)
    outcome.isInterrupted = ended.status == .interrupted
    if let cache = ended.cache { outcome.cache = cache }
    for result in ended.results where result.outcome != .skipped { outcome.ended[result.name] = result }
    let root = try? part.openRoot()
    take(wanted, ended.results) { try? root?.open($0.path) }
  }

  /// Takes the values of those targets that have succeeded.
  private mutating func take(
    _ wanted: [Wanted], _ results: [TargetResult], _ open: (Target) -> ReadableFile?
  ) {
    let succeeded = Set(results.lazy.filter { $0.hasSucceeded }.map { $0.id })
    for (target, values) in wanted where succeeded.contains(target.id) { take(values, open(target)) }
  }

  /// Takes the values of the output that is there; `mayCome` says that a missing one may be made before it is needed.
  private mutating func takePresent(
    _ values: [ManifestValue], _ target: Target, _ workspace: Workspace, mayCome: Bool
  ) {
    guard !values.isEmpty else { return }
    let file = try? workspace.openRoot().open(target.path)
    // Then nothing is known yet, which is no failure.
    if file == nil, mayCome { return }
    take(values, file)
  }

  private mutating func take(_ values: [ManifestValue], _ file: ReadableFile?) {
    var output = ValueReading.output(file)
    for value in values { take(ValueReading.read(value, &output), of: value) }
  }

  private mutating func take(_ read: Result<String, ValueFault>, of value: ManifestValue) {
    switch read {
    case .success(let text): outcome.opened.values.known.texts[value.name] = text
    case .failure(let fault):
      // What an update takes anew is not what a plan has had of the lock.
      outcome.opened.values.known.texts[value.name] = nil
      outcome.opened.values.failures[value.name] = .valueInvalid(
        ValueProblem(variable: value.name, target: value.target, fault))
    }
  }

  private mutating func plan(_ wanted: [Wanted], in workspace: Workspace) throws {
    let part = try part(workspace)
    var settings = try order.settings(part.manifest)
    settings.earlier.planned = outcome.planned
    let report = order.report(part.manifest)
    let selection = Selection.closure(of: wanted.map(\.target.id), in: part.graph)
    let plan = try PlanMaker.plan(selection, in: part, settings: settings, stop: stop, report: report)
    var lines: [TargetID: PlannedTarget] = [:]
    for line in plan.targets {
      lines[line.id] = line
      outcome.planned[line.name] = line
    }
    let moved = plan.moved(in: part.manifest)
    func isNew(_ value: ManifestValue, _ target: Target) -> Bool {
      guard let line = lines[target.id] else { return false }
      return value.text == nil ? line.action == .update : moved.contains(line.name)
    }
    let fetched = try ValueFetching.fetch(
      wanted.filter { want in want.values.contains { isNew($0, want.target) } }.map(\.target)
        .filter(\.isReadable), in: part, settings: settings, stop: stop, report: report)
    for (target, values) in wanted {
      if lines[target.id]?.action == .fresh {
        // A run does not make what is missing, either, if `-o` names it.
        let mayCome = !settings.overrides.assumedOld.contains(target.id)
        takePresent(values.filter { $0.text == nil }, target, part, mayCome: mayCome)
      }
      let new = values.filter { isNew($0, target) }
      guard !new.isEmpty else { continue }
      guard case .success(let bytes)? = fetched[target.id], target.accepts(bytes) else {
        outcome.opened.values.unread.formUnion(new.map(\.name))
        continue
      }
      var output: ValueRule? = ValueRule(bytes, isWhole: true)
      for value in new {
        let read = ValueReading.read(value, &output)
        guard let locked = value.text, !renewed.contains(value.target) else {
          take(read, of: value)
          continue
        }
        if case .success(let text) = read, text != locked {
          outcome.opened.values.upstream[value.name] = text
        }
      }
    }
  }
}

extension Target {
  /// Whether a plan can read its bytes: they are only compared with what the manifest says.
  fileprivate var isReadable: Bool {
    guard case .urls = self.source else { return false }
    return BodyDemands.areLiteral(for: self)
  }

  /// Whether a run would take these bytes; only for a target that ``isReadable``.
  fileprivate func accepts(_ bytes: [UInt8]) -> Bool {
    var digester = Digester(BodyDemands.algorithms(of: self))
    unsafe bytes.withUnsafeBytes { unsafe digester.update($0) }
    return BodyDemands.meetsLiteral(digester.identity(size: Int64(bytes.count)), self)
  }
}

/// Reads values from outputs.
enum ValueReading {
  /// The output in a file; `nil` if that is not there.
  static func output(_ file: ReadableFile?) -> ValueRule? {
    guard let file, let (bytes, isWhole) = try? beginning(of: file) else { return nil }
    return ValueRule(bytes, isWhole: isWhole)
  }

  /// The value in an output, which keeps what it has found for the next one.
  static func read(_ value: ManifestValue, _ output: inout ValueRule?) -> Result<String, ValueFault> {
    func text(_ match: (ArraySlice<UInt8>) -> Range<Int>?) throws(ValueFault) -> String {
      guard let text = try output?.value(value.pick, match: match) else { throw .noOutput }
      return text
    }
    do throws(ValueFault) {
      guard case .pattern(let expression) = value.pick, let pattern = try? PosixPattern(expression) else {
        return .success(try text { _ in nil })
      }
      return .success(try text { pattern.group(in: $0) })
    } catch {
      return .failure(error)
    }
  }

  private static func beginning(of file: ReadableFile) throws(FailureCause) -> ([UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    try unsafe file.readBlocks { block in
      unsafe bytes += block
      return bytes.count <= ValueRule.longestOutput
    }
    try file.requireUnchanged()
    let isWhole = bytes.count <= ValueRule.longestOutput
    return (isWhole ? bytes : Array(bytes.prefix(ValueRule.longestOutput)), isWhole)
  }
}
