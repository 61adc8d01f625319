import SyncModel

/// The state file open for changes, with its statements prepared.
final class Writer {
  let connection: Connection
  private let replaceRecord: Statement
  private let removeRecord: Statement
  private let replacePending: Statement
  private let removePending: Statement
  private let replaceSidecar: Statement

  /// Makes the tables where the file is new. Fails as damage where the file is not as we made it.
  init(path: String) throws(StateFault) {
    let connection = try Connection.open(path: path, creating: true)
    try Schema.prepare(connection)
    replaceRecord = try connection.prepare(RecordRow.replacement(in: .records))
    removeRecord = try connection.prepare(RecordRow.removal(from: .records))
    replacePending = try connection.prepare(RecordRow.replacement(in: .pending))
    removePending = try connection.prepare(RecordRow.removal(from: .pending))
    replaceSidecar = try connection.prepare(SidecarRow.replacement)
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
      try replacePending.perform { RecordRow.write(record, to: &$0, table: .pending) }
    case .commit(let record):
      try removePending.perform { $0.text(record.output.text) }
      try replaceRecord.perform { RecordRow.write(record, to: &$0, table: .records) }
    case .withdraw(let output):
      try removePending.perform { $0.text(output.text) }
    case .forget(let output):
      try removePending.perform { $0.text(output.text) }
      try removeRecord.perform { $0.text(output.text) }
    case .sidecar(let sidecar):
      try replaceSidecar.perform { SidecarRow.write(sidecar, to: &$0) }
    }
  }
}
