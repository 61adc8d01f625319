/// What the states of several runs of one root know together.
package struct KnownState {
  private var whole: StateSnapshot
  private var records: [RelativePath: TargetRecord] = [:]
  private var intended: Set<RelativePath>
  private var urls: Set<ByteString>
  /// Those of the plain state.
  private var plain: [TargetRecord]
  /// The same by output, for the few cases that need it.
  private lazy var plainRecords = Dictionary(plain.map { ($0.output, $0) }) { first, _ in first }
  private let present: (RelativePath) -> FileSignature?

  /// One of them, whose withheld outputs and whose publication are kept.
  ///
  /// - isPlain: whether it is the state of plain runs, and not that of a shard.
  /// - present: gives the signature of the file that is at an output's path; `nil` if there is none.
  package init(
    _ snapshot: StateSnapshot, isPlain: Bool, present: @escaping (RelativePath) -> FileSignature?
  ) {
    whole = snapshot
    self.present = present
    plain = isPlain ? snapshot.records : []
    records.reserveCapacity(snapshot.records.count)
    for record in snapshot.records { records[record.output] = record }
    intended = Set(snapshot.pending.map(\.output))
    urls = Set(snapshot.sidecars.map { ByteString($0.url) })
  }

  /// Takes over what only `other` knows, or knows better, and returns it as changes.
  ///
  /// Of two records of an output, that of the file that is there is right, whatever the clocks of two hosts say. Otherwise
  /// it is that of the later check or change: another run has replaced the older version, or found it unchanged since. If a
  /// shard has recorded another definition of the same bytes without asking anybody, both times are equal, and that of the
  /// plain state is the older one.
  ///
  /// - isPlain: whether `other` is the state of plain runs.
  package mutating func learn(from other: StateSnapshot, isPlain: Bool = false) -> [StateChange] {
    var changes: [StateChange] = []
    if isPlain { plain = other.records }
    for record in other.records {
      if let known = records[record.output], !isRight(record, not: known, isPlain) { continue }
      records[record.output] = record
      changes.append(.commit(record))
    }
    // After the records, which would conclude them.
    for record in other.pending where intended.insert(record.output).inserted {
      whole.pending.append(record)
      changes.append(.intend(record))
    }
    for sidecar in other.sidecars where urls.insert(ByteString(sidecar.url)).inserted {
      whole.sidecars.append(sidecar)
      changes.append(.sidecar(sidecar))
    }
    return changes
  }

  private mutating func isRight(_ record: TargetRecord, not known: TargetRecord, _ isPlain: Bool) -> Bool {
    if record.signature != known.signature, let here = present(record.output) {
      if here == known.signature { return false }
      if here == record.signature { return true }
    }
    guard record.lastSeen == known.lastSeen, !isPlain, record != known else {
      return record.lastSeen > known.lastSeen
    }
    return known == plainRecords[record.output]
  }

  /// Everything that is known, outputs ascending.
  package var snapshot: StateSnapshot {
    var snapshot = whole
    snapshot.records = records.values.sorted { $0.output < $1.output }
    return snapshot
  }
}

extension TargetRecord {
  /// When something was last known of it.
  package var lastSeen: Timestamp { max(self.checkedAt ?? self.updatedAt, self.updatedAt) }
}
