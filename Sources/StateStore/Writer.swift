import SyncModel

/// The state file open for changes, with its statements prepared.
final class Writer {
  let connection: Connection
  private let replaceRecord: Statement
  private let removeRecord: Statement
  private let replacePending: Statement
  private let removePending: Statement
  private let replaceSidecar: Statement
  /// Whether there may be intentions: mostly there are none, and then none has to be removed.
  private var hasIntentions: Bool

  /// Makes the tables where the file is new. Fails as damage where the file is not as we made it.
  init(path: String) throws(StateFault) {
    let connection = try Connection.open(path: path, creating: true)
    try Schema.prepare(connection)
    replaceRecord = try connection.prepare(RecordRow.replacement(in: .records))
    removeRecord = try connection.prepare(RecordRow.removal(from: .records))
    replacePending = try connection.prepare(RecordRow.replacement(in: .pending))
    removePending = try connection.prepare(RecordRow.removal(from: .pending))
    replaceSidecar = try connection.prepare(SidecarRow.replacement)
    hasIntentions = try connection.number("SELECT EXISTS (SELECT 1 FROM pending)") != 0
    self.connection = connection
  }

  func apply(_ changes: [StateChange]) throws(StateFault) {
    try connection.transaction { () throws(StateFault) in
      for change in changes { try apply(change) }
    }
  }

  private func apply(_ change: StateChange) throws(StateFault) {
    switch change {
    case .intend(let record):
      hasIntentions = true
      try replacePending.perform { RecordRow.write(record, to: &$0, table: .pending) }
    case .commit(let record):
      try removeIntention(for: record.output)
      try replaceRecord.perform { RecordRow.write(record, to: &$0, table: .records) }
    case .withdraw(let output):
      try removeIntention(for: output)
    case .forget(let output):
      try removeIntention(for: output)
      try removeRecord.perform { $0.text(output.text) }
    case .sidecar(let sidecar):
      try replaceSidecar.perform { SidecarRow.write(sidecar, to: &$0) }
    }
  }

  private func removeIntention(for output: RelativePath) throws(StateFault) {
    guard hasIntentions else { return }
    try removePending.perform { $0.text(output.text) }
  }
}
