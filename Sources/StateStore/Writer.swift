import SyncModel

/// The state file open for changes, with its statements prepared.
final class Writer {
  let connection: Connection
  private let replaceRecord: Statement
  private let removeRecord: Statement
  private let replacePending: Statement
  private let removePending: Statement
  private let replaceSidecar: Statement
  private let removeAllPending: Statement
  /// The outputs of which there is an intention, once ``knowsIntentions``.
  private var intended: Set<Exact> = []
  private var knowsIntentions = false
  /// The outputs whose intentions are to be removed before the transaction ends.
  private var settled: [RelativePath] = []

  /// Makes the tables where the file is new. Fails as damage where the file is not as we made it.
  init(path: String) throws(StateFault) {
    let connection = try Connection.open(path: path, creating: true)
    try Schema.prepare(connection)
    replaceRecord = try connection.prepare(RecordRow.replacement(in: .records))
    removeRecord = try connection.prepare(RecordRow.removal(from: .records))
    replacePending = try connection.prepare(RecordRow.replacement(in: .pending))
    removePending = try connection.prepare(RecordRow.removal(from: .pending))
    removeAllPending = try connection.prepare("DELETE FROM pending")
    replaceSidecar = try connection.prepare(SidecarRow.replacement)
    self.connection = connection
  }

  func apply(_ changes: [StateChange]) throws(StateFault) {
    do {
      try connection.transaction { () throws(StateFault) in
        for change in changes { try apply(change) }
        try removeSettled()
      }
    } catch {
      // What of it was undone is not known here.
      knowsIntentions = false
      settled = []
      throw error
    }
  }

  private func apply(_ change: StateChange) throws(StateFault) {
    switch change {
    case .intend(let record):
      try removeSettled()
      try readIntentions()
      intended.insert(Exact(record.output.text))
      try replacePending.perform { RecordRow.write(record, to: &$0, table: .pending) }
    case .commit(let record):
      try settle(record.output)
      try replaceRecord.perform { RecordRow.write(record, to: &$0, table: .records) }
    case .withdraw(let output):
      try settle(output)
    case .forget(let output):
      try settle(output)
      try removeRecord.perform { $0.text(output.text) }
    case .sidecar(let sidecar):
      try replaceSidecar.perform { SidecarRow.write(sidecar, to: &$0) }
    }
  }

  // MARK: Intentions

  private func settle(_ output: RelativePath) throws(StateFault) {
    try readIntentions()
    if intended.remove(Exact(output.text)) != nil { settled.append(output) }
  }

  /// A group's intentions are mostly all that there are, and emptying a table costs no search for each row.
  private func removeSettled() throws(StateFault) {
    guard !settled.isEmpty else { return }
    if intended.isEmpty {
      try removeAllPending.perform { _ in }
    } else {
      for output in settled { try removePending.perform { $0.text(output.text) } }
    }
    settled.removeAll(keepingCapacity: true)
  }

  private func readIntentions() throws(StateFault) {
    guard !knowsIntentions else { return }
    intended = []
    let rows = try connection.prepare("SELECT output FROM pending")
    while try rows.step() {
      var row = RowReader(rows.handle, table: .pending)
      // Its sum is not asked. A damaged row counts for one that nothing settles, or goes with those that are settled.
      intended.insert(Exact((try? row.text()) ?? ""))
    }
    knowsIntentions = true
  }
}
