import LocalFiles
import Planning
import SyncModel

/// The shared data of all targets of a run or plan.
final class RunContext {
  let workspace: Workspace
  /// The workspace's own.
  let manifest: Manifest
  let settings: RunSettings
  let driver: Driver
  let root: RootFolder
  var records: RecordIndex
  let report: (RunEvent) -> Void
  /// `nil` in a plan.
  let committer: Committer?
  /// `nil` in a plan, and if it cannot be created.
  let stateFolder: StateFolder?
  /// Why ``stateFolder`` is `nil` in a run.
  let stateFault: FailureCause
  /// Partial downloads that earlier runs left, listed once so that targets without one cost nothing.
  private lazy var partialKeys = stateFolder.map { PartialDownload.keys(in: $0) } ?? []
  private(set) lazy var sidecars = SidecarShelf(self)
  private(set) lazy var lists = ListShelf(self)
  /// The terms of every target's machine.
  let terms: TargetTerms
  /// The withheld outputs of an `update`; `nil` in any other run.
  let withheld: WithheldShelf?
  /// The content of each settled target's output; by id.
  private var contents: [ContentIdentity?]
  /// The targets whose outputs were edited and are kept.
  private var keptEdits: Set<TargetID> = []
  /// In a plan: the targets whose content cannot be known yet; by id.
  private var isUnsettled: [Bool]

  init(
    _ purpose: TargetTerms.Purpose, workspace: Workspace, settings: RunSettings, driver: Driver,
    root: RootFolder, records: RecordIndex, committer: Committer? = nil, stateFolder: StateFolder? = nil,
    withheld: WithheldShelf? = nil,
    stateFault: FailureCause = .internalError("a plan was asked to write"),
    report: @escaping (RunEvent) -> Void
  ) {
    self.workspace = workspace
    manifest = workspace.manifest
    self.settings = settings
    self.driver = driver
    self.root = root
    self.records = records
    self.committer = committer
    self.stateFolder = stateFolder
    self.withheld = withheld
    self.stateFault = stateFault
    self.report = report
    var options = TargetTerms.Options()
    options.collectsPins = settings.collectsPins
    options.isRecording = committer != nil
    options.writeFault = stateFolder == nil && purpose == .run ? stateFault : nil
    options.withholds = withheld != nil
    options.asksWhatMoved = settings.asksWhatMoved && !settings.isOffline
    options.insistsOnWhatMoved = settings.insistsOnWhatMoved
    options.asksHowLarge = settings.asksHowLarge && !settings.isOffline
    terms = TargetTerms(
      purpose, manifest: workspace.manifest, graph: workspace.graph, lock: workspace.lock, options: options)
    contents = Array(repeating: nil, count: workspace.manifest.targets.count)
    isUnsettled = Array(repeating: false, count: workspace.manifest.targets.count)
  }

  /// Opens a target's output for its dependents, even before its publication; callable from any thread.
  func opener(of output: RelativePath) -> @Sendable () throws(FailureCause) -> ReadableFile {
    if let withheld = withheld?.opener(of: output) { return withheld }
    let root = root
    return { () throws(FailureCause) in try root.open(output) }
  }

  /// The key of the target's partial download, if there may be one.
  func partialKey(of target: Target) -> String? {
    guard !partialKeys.isEmpty else { return nil }
    let key = BodyIntake.key(of: target)
    return partialKeys.contains(key) ? key : nil
  }

  /// Unused partial downloads that have not changed for 30 days are removed.
  static var unusedPartialMoment: Timestamp { Timestamp(seconds: SystemClock.now().seconds - 30 * 86_400) }

  /// Removes old partial downloads that no target here will resume.
  func removeForeignPartials() {
    guard let stateFolder, !partialKeys.isEmpty else { return }
    PartialDownload.removeUnused(
      since: Self.unusedPartialMoment, except: Set(manifest.targets.map(BodyIntake.key)), in: stateFolder)
  }

  /// Likewise that of a target that has become fresh without it.
  func removeOldPartial(of target: Target) {
    guard let stateFolder, let key = partialKey(of: target) else { return }
    PartialDownload.remove(key, ifUnusedSince: Self.unusedPartialMoment, in: stateFolder)
  }

  func settle(_ id: TargetID, content: ContentIdentity?) { contents[id.index] = content }

  func noteKeptEdit(_ id: TargetID) { keptEdits.insert(id) }

  /// Whether its output is a kept edit, and not a version of its source.
  func isKeptEdit(_ id: TargetID) -> Bool { keptEdits.contains(id) }

  func leaveUnsettled(_ id: TargetID) { isUnsettled[id.index] = true }

  /// The fact that the dependent of `edge` compares; `nil` for a line that must be read first.
  func content(at edge: TargetGraph.Edge) -> DependencyState.Content? {
    if settings.assumedOld.contains(edge.from) { return .takenAsUnchanged }
    if settings.assumedNew.contains(edge.from), edge.kind != .verify { return .takenAsChanged }
    if isUnsettled[edge.from.index] { return .wouldChange }
    guard edge.kind != .verify else { return nil }
    // A dependency that is fresh without anything known of its bytes cannot have changed anything.
    return contents[edge.from.index]?.sha256.map { .settled($0) } ?? .takenAsUnchanged
  }

  /// The known facts of a dependency's bytes.
  func content(of id: TargetID) -> ContentIdentity? { contents[id.index] }
}
