import LocalFiles
import Planning
import StateStore
import SyncModel
import Transfer

/// Keeps the compiled snapshot up to date: a run that has processed all targets makes a new one, and a run of some
/// targets replaces their rows in the old one.
struct SnapshotMaker {
  private let workspace: Workspace
  /// The state as it was before it was read.
  private let state: StateIdentity
  /// The existing snapshot, if all its rows are valid except perhaps those of this run's targets.
  private let base: SnapshotImage?
  /// The rows of targets that are simply fresh.
  private var snapshot: CompiledSnapshot
  /// The other targets; at the end the rules are applied to them once more.
  private var unsettled: [TargetID] = []
  /// The targets that were brought up to date for their values, before this run began.
  private var ended: [TargetID] = []
  private var count = 0
  /// By the targets' numbers; `nil` if no caller needs them.
  private var confirmed: [ConfirmedFile?]?
  private var questions: PlainQuestionMaker
  private let routes: RequestRoutes

  /// The most targets for which this is done, unless an eighth of all is more.
  private static let mostUnsettled = 64

  /// `nil` if none can be made; for a run that holds the lock and has not read the state yet.
  ///
  /// `routes` are those of the run's requests.
  init?(_ workspace: Workspace, routes: RequestRoutes) {
    guard workspace.lockSeen == .missing, let state = StateIdentity(folder: workspace.place.state) else {
      return nil
    }
    guard let premises = workspace.open?.premises ?? workspace.basis?.premises else { return nil }
    let image =
      workspace.open?.image ?? SnapshotFile.read(in: workspace.place.state) { $0 == premises.manifest.count }
    base = image.flatMap {
      $0.premises == premises && SnapshotFile.isStateUnchanged($0, in: workspace.place.state) ? $0 : nil
    }
    self.workspace = workspace
    self.routes = routes
    self.state = state
    questions = PlainQuestionMaker(workspace.manifest.hosts)
    confirmed =
      workspace.basis?.keepsConfirmed == true
      ? Array(repeating: nil, count: workspace.manifest.targets.count) : nil
    snapshot = CompiledSnapshot(
      premises, outline: workspace.basis?.outline,
      // Another value makes another definition, also where nothing waits for it.
      hasDependencies: !workspace.graph.isUnconnected || !workspace.manifest.values.isEmpty)
  }

  /// Takes an ended target: the facts behind its verdict, if it holds by itself or was confirmed by its source.
  mutating func add(_ result: TargetResult, _ outlook: Outlook?) {
    count += 1
    // Without a snapshot most targets are new; the next run finds them fresh and makes one.
    guard base != nil || unsettled.isEmpty else { return }
    if result.outcome == .fresh, let outlook {
      if !add(result.id, outlook, result.content) { unsettled.append(result.id) }
    } else if result.outcome == .fresh, isKept(workspace.manifest[result.id].gone) {
      snapshot.addUnseen()
    } else {
      unsettled.append(result.id)
    }
  }

  /// Takes a target that has ended before this run began.
  mutating func add(ended result: TargetResult) {
    count += 1
    ended.append(result.id)
  }

  /// Whether that entry stays as long as its list is the same: not if only this run does not remove it.
  private func isKept(_ gone: GoneEntry?) -> Bool {
    guard let gone else { return false }
    return gone.fate == .found
      || workspace.manifest.templates.contains {
        $0.list.template.hasSameBytes(as: gone.template) && $0.list.rules.gone == .keep
      }
  }

  /// Whether the snapshot can hold it.
  private mutating func add(_ id: TargetID, _ outlook: Outlook, _ content: ContentIdentity?) -> Bool {
    let target = workspace.manifest[id]
    switch outlook {
    case .stands(let standing):
      snapshot.add(
        target.name, id, output: target.path, look: OutputLook(target), standing.signature,
        in: standing.period)
    case .asks(let revalidation):
      guard routes.leaves(revalidation.url),
        let question = questions.question(url: revalidation.url, conditions: revalidation.conditions)
      else { return false }
      snapshot.add(
        target.name, id, output: target.path, look: OutputLook(target), revalidation.signature, in: .always,
        asking: question)
      confirmed?[id.index] = content.map { ConfirmedFile($0, revalidation.conditions) }
    }
    return true
  }

  /// Writes the snapshot if every target has a row; nothing may be recorded afterwards.
  mutating func write(in context: RunContext) {
    let isWhole = workspace.open == nil && count == workspace.manifest.targets.count
    guard isWhole || base != nil, settle(in: context), haveSameValues() else { return }
    if isWhole {
      writeAnew()
    } else if let base, !concernsOthers(context) {
      SnapshotFile.revise(base, with: snapshot, in: workspace.place.state)
    }
  }

  private mutating func writeAnew() {
    if let confirmed {
      snapshot.confirmed = confirmed.compactMap { $0 }
      guard snapshot.confirmed.count == count else { return }
    }
    // For confirmed sources the run has recorded only the time, on which no verdict here depends, and the rules were
    // applied to the other records; without either it has recorded nothing, or the snapshot is invalid.
    let hasRecorded = !snapshot.hosts.isEmpty || !unsettled.isEmpty || !ended.isEmpty
    guard let state = hasRecorded ? StateIdentity(folder: workspace.place.state) : state else { return }
    SnapshotFile.write(snapshot, of: state, in: workspace.place.state)
  }

  /// Adds rows of the unsettled targets and of those that had ended before; returns whether all have one.
  private mutating func settle(in context: RunContext) -> Bool {
    let left = ended + unsettled
    guard !left.isEmpty else { return true }
    guard isWorthSettling,
      let records = RecordLookup.records(
        of: left.map { workspace.manifest[$0].path }, in: workspace.place.state)
    else { return false }
    let now = context.clock.now()
    for (id, record) in zip(left, records) {
      guard let outlook = Outlook(workspace.manifest[id], record, in: context, now: now),
        add(id, outlook, record.content)
      else { return false }
    }
    return true
  }

  private var isWorthSettling: Bool {
    guard !unsettled.isEmpty else { return true }
    guard let base, unsettled.count <= max(Self.mostUnsettled, base.count / 8) else { return false }
    return unsettled.allSatisfy { workspace.manifest[$0].gone == nil }
  }

  /// Whether the outputs that have just been looked at have the values with which the manifest was read: between the two,
  /// another program may have changed them.
  private func haveSameValues() -> Bool {
    guard !workspace.manifest.values.isEmpty else { return true }
    guard let root = try? workspace.openRoot() else { return false }
    let values = Dictionary(grouping: workspace.manifest.values, by: \.target)
    let targets = workspace.manifest.targets.filter { values[$0.name] != nil }
    let wanted = Set(targets.map { UInt32($0.id.index) })
    let rows = Set(snapshot.entries.lazy.map(\.target).filter(wanted.contains))
    return targets.allSatisfy { target in
      guard rows.contains(UInt32(target.id.index)), let values = values[target.name] else { return true }
      var output = ValueReading.output(try? root.open(target.path))
      return values.allSatisfy { value in
        let read = ValueReading.read(value, &output)
        return (try? read.get()) == value.text && value.text != nil
      }
    }
  }

  /// Whether a target outside this run depends on a changed one.
  private func concernsOthers(_ context: RunContext) -> Bool {
    (ended + unsettled).contains { !workspace.graph.dependents(of: $0).isEmpty }
  }
}
