import Planning
import SyncModel

/// What every target of one run or plan shares.
final class RunContext {
  let workspace: Workspace
  let settings: RunSettings
  let driver: Driver
  let root: any OutputFolder
  /// What the machine of every target goes by.
  let terms: TargetTerms
  let report: (RunEvent) -> Void
  /// Where results are kept.
  let state: RunState
  /// What earlier runs have recorded, and the sidecars that this one has read.
  var records: RecordIndex
  private var settled: SettledContents
  private(set) lazy var texts = PublishedTexts(self)

  init(
    _ purpose: TargetTerms.Purpose, workspace: Workspace, settings: RunSettings, driver: Driver,
    root: any OutputFolder, records: RecordIndex, state: RunState = RunState(),
    report: @escaping (RunEvent) -> Void
  ) {
    self.workspace = workspace
    self.settings = settings
    self.driver = driver
    self.root = root
    self.records = records
    self.state = state
    self.report = report
    settled = SettledContents(targets: workspace.manifest.targets.count)
    var options = TargetTerms.Options()
    options.collectsPins = settings.reports.hasPins
    options.isRecording = state.committer != nil
    options.writeFault = state.bodies == nil && purpose == .run ? state.fault : nil
    options.withholding = state.withheld?.scope ?? .nothing
    // Who insists is told what `--offline` prevents.
    options.asksWhatMoved =
      settings.questions.asksWhatMoved
      && (!settings.questions.isOffline || settings.questions.insistsOnWhatMoved)
    options.insistsOnWhatMoved = settings.questions.insistsOnWhatMoved
    options.rewrites = settings.routes.rewrites
    options.asksHowLarge = settings.questions.asksHowLarge && !settings.questions.isOffline
    if state.caches != nil { options.cache = purpose == .run && !settings.isUntrusted ? .readWrite : .read }
    terms = TargetTerms(
      purpose, manifest: workspace.manifest, graph: workspace.graph, lock: workspace.lock, options: options)
  }

  /// The driver's.
  var clock: any RunClock { driver.clock }

  /// The workspace's manifest, lent without a copy: every target needs it several times.
  var manifest: Manifest { _read { yield workspace.manifest } }

  /// A target. It is taken past the manifest's subscript, for which the whole manifest would be copied.
  func target(_ id: TargetID) -> Target { workspace.manifest.targets[id.index] }

  /// Opens what a target's output holds for its dependents, which may not be in place yet; any thread may call it.
  func opener(of output: RelativePath) -> @Sendable () throws(FailureCause) -> any OpenedFile {
    if let withheld = state.withheld?.opener(of: output) { return withheld }
    let root = root
    return { () throws(FailureCause) -> any OpenedFile in try root.open(output) }
  }

  // MARK: What dependents see

  /// Notes the present content of a target's output; `nil` if it is unknown.
  func settle(_ id: TargetID, content: ContentIdentity?) { settled.contents[id.index] = content }

  /// Notes that a target's output was edited and is kept.
  func noteKeptEdit(_ id: TargetID) { settled.keptEdits.insert(id) }

  /// In a plan: notes that the future content of the target's output is unknown.
  func leaveUnsettled(_ id: TargetID) { settled.isUnsettled[id.index] = true }

  /// Whether its output is what somebody made of it, and no version of its source.
  func isKeptEdit(_ id: TargetID) -> Bool { settled.keptEdits.contains(id) }

  /// What is known of a dependency's bytes now.
  func content(of id: TargetID) -> ContentIdentity? { settled.contents[id.index] }

  /// What the dependent at the end of `edge` sees at its other end; `nil` for a line that must be read first.
  func content(at edge: TargetGraph.Edge) -> DependencyState.Content? {
    if settings.overrides.assumedOld.contains(edge.from) { return .takenAsUnchanged }
    if settings.overrides.assumedNew.contains(edge.from), edge.kind != .verify { return .takenAsChanged }
    if settled.isUnsettled[edge.from.index] { return .wouldChange }
    guard edge.kind != .verify else { return nil }
    // A dependency that is fresh without anything known of its bytes cannot have changed anything.
    return content(of: edge.from)?.sha256.map { .settled($0) } ?? .takenAsUnchanged
  }
}

/// What the outputs of a run or plan hold, as far as that is settled; by id.
private struct SettledContents {
  var contents: [ContentIdentity?]
  /// The targets whose outputs were edited and are kept.
  var keptEdits: Set<TargetID> = []
  /// In a plan: the targets whose future content is unknown.
  var isUnsettled: [Bool]

  init(targets: Int) {
    contents = Array(repeating: nil, count: targets)
    isUnsettled = Array(repeating: false, count: targets)
  }
}

/// What this run has read of lists, sidecars and signatures, each once.
final class PublishedTexts {
  let sidecars: SidecarShelf
  let lists: ListShelf

  init(_ context: RunContext) {
    sidecars = SidecarShelf(context)
    lists = ListShelf(context)
  }
}
