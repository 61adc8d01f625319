import SyncModel

/// The records of earlier runs and of this one, found by path first and then by name; of several with one name, the
/// one that was made or checked last.
///
/// The path comes first so that a renamed target still has its file's record, and an edit is detected.
struct RecordIndex {
  private var byOutput: [RelativePath: TargetRecord] = [:]
  private var outputByName: [TargetName: RelativePath] = [:]
  private var pending: [RelativePath: TargetRecord] = [:]
  private var sidecars: [ByteString: SidecarRecord] = [:]
  private let noted: Set<RelativePath>
  private let order = SortedOutputs()
  private let others: OtherStates

  /// The outputs in order, which only few runs need.
  private final class SortedOutputs {
    private var sorted: [RelativePath]?

    func outputs(_ records: [RelativePath: TargetRecord]) -> [RelativePath] {
      let outputs = sorted ?? records.keys.sorted()
      sorted = outputs
      return outputs
    }
  }

  /// What other states know, which few runs need.
  private final class OtherStates {
    private let read: () -> [StateSnapshot]
    private(set) lazy var indexes: [RecordIndex] = read().map { RecordIndex($0) }

    init(_ read: @escaping () -> [StateSnapshot]) { self.read = read }
  }

  /// - others: what other states know that is not in `snapshot`; called once, and only for ``above(_:)`` and ``below(_:)``.
  init(_ snapshot: StateSnapshot, others: @escaping () -> [StateSnapshot] = { [] }) {
    self.others = OtherStates(others)
    noted = snapshot.noted
    byOutput.reserveCapacity(snapshot.records.count)
    outputByName.reserveCapacity(snapshot.records.count)
    for record in snapshot.records {
      byOutput[record.output] = record
      if let other = outputByName.updateValue(record.output, forKey: record.name).flatMap({ byOutput[$0] }),
        other.lastSeen > record.lastSeen
      {
        outputByName[record.name] = other.output
      }
    }
    for record in snapshot.pending { pending[record.output] = record }
    // An earlier version recorded signed URLs unchanged: the record of the resource itself takes precedence.
    for sidecar in snapshot.sidecars where sidecars[ByteString(sidecar.url)] == nil {
      sidecars[ByteString(sidecar.url)] = sidecar
    }
  }

  func record(for target: Target) -> TargetRecord? {
    byOutput[target.path] ?? outputByName[target.name].flatMap { byOutput[$0] }
  }

  /// Whether the time of its last check is only noted, and lost when others are noted.
  func isOnlyNoted(_ record: TargetRecord) -> Bool { noted.contains(record.output) }

  /// The records that lose the time of their last check once this run's manifest is asked about by a snapshot, which
  /// notes the times of other outputs.
  func notedForOthers(than manifest: Manifest) -> [TargetRecord] {
    guard !noted.isEmpty else { return [] }
    var left = noted
    for target in manifest.targets where target.freshness?.holdsByValidators == true {
      left.remove(target.path)
    }
    return left.sorted().compactMap { byOutput[$0] }
  }

  func record(at output: RelativePath) -> TargetRecord? { byOutput[output] }

  /// What is known of an output.
  struct Entry {
    let record: TargetRecord
    /// It is the intention of a killed run, which may not have put it in place.
    var isPending = false
  }

  /// What is known of the folders that `output` would be in; `ofOthers`: other shards' states are read, too.
  func above(_ output: RelativePath, ofOthers: Bool = true) -> [Entry] {
    let folders = output.folders
    let recorded = folders.compactMap { byOutput[$0] }.map { Entry(record: $0) }
    let intended = folders.compactMap { pending[$0] }.map { Entry(record: $0, isPending: true) }
    return recorded + intended + (ofOthers ? others.indexes.flatMap { $0.above(output) } : [])
  }

  /// What is known of what would be in the folder `output`; `ofOthers` as in ``above(_:ofOthers:)``.
  func below(_ output: RelativePath, ofOthers: Bool = true) -> [Entry] {
    let intended = pending.values.filter { output.isFolder(of: $0.output) }.sorted { $0.output < $1.output }
    return recorded(below: output).map { Entry(record: $0) }
      + intended.map { Entry(record: $0, isPending: true) }
      + (ofOthers ? others.indexes.flatMap { $0.below(output) } : [])
  }

  private func recorded(below output: RelativePath) -> [TargetRecord] {
    let sorted = order.outputs(byOutput)
    var (low, high) = (0, sorted.count)
    let prefix = output.text + "/"
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].text.utf8.lexicographicallyPrecedes(prefix.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return sorted[low...].prefix { output.isFolder(of: $0) }.compactMap { byOutput[$0] }
  }

  func pending(for target: Target) -> TargetRecord? { pending[target.path] }

  /// The earlier text from `url`, which contains no secret.
  func sidecar(_ url: String) -> SidecarRecord? { sidecars[ByteString(url)] }

  mutating func store(_ sidecar: SidecarRecord) { sidecars[ByteString(sidecar.url)] = sidecar }
}
