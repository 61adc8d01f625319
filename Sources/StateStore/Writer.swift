import SyncModel

/// The state file open for changes, with its statements prepared.
final class Writer {
  let connection: Connection
  private let replaceRecord: Statement
  private let removeRecord: Statement
  private let replaceSidecar: Statement
  /// Prepared for the first output that is withheld; `nil` also while it is unknown whether its tables exist.
  private var withholding: Withholding?
  /// `nil` while the file's content is unknown.
  private var intentions: Intentions?

  /// Creates the tables in a new file. Throws damage if the file does not have our form.
  init(path: String) throws(StateFault) {
    let connection = try Connection.open(path: path, creating: true)
    try Schema.prepare(connection)
    replaceRecord = try connection.prepare(RecordRow.replacement)
    removeRecord = try connection.prepare(RecordRow.removal)
    replaceSidecar = try connection.prepare(SidecarRow.replacement)
    // Read with the first change; that it is there is known from now on.
    _ = try connection.prepare(Intentions.selection)
    self.connection = connection
  }

  func apply(_ changes: [StateChange]) throws(StateFault) {
    do {
      try connection.transaction { () throws(StateFault) in
        let intentions = try knownIntentions()
        for change in changes { try apply(change, intentions) }
        try intentions.finish()
      }
    } catch {
      // It is unknown here which part was undone; perhaps also the tables that the first withheld output created.
      intentions = nil
      withholding = nil
      throw error
    }
  }

  private func knownIntentions() throws(StateFault) -> Intentions {
    if let intentions { return intentions }
    let read = try Intentions(connection)
    intentions = read
    return read
  }

  private func knownWithholding() throws(StateFault) -> Withholding {
    if let withholding { return withholding }
    let prepared = try Withholding(connection)
    withholding = prepared
    return prepared
  }

  private func apply(_ change: StateChange, _ intentions: Intentions) throws(StateFault) {
    switch change {
    case .intend(let record): try intentions.add(record)
    case .commit(let record):
      try intentions.settle(record.output)
      try replaceRecord.perform { RecordRow.writeRow(record, to: &$0) }
    case .withdraw(let output):
      try intentions.settle(output)
    case .forget(let output):
      try intentions.settle(output)
      try removeRecord.perform { $0.text(output.text) }
    case .sidecar(let sidecar):
      try replaceSidecar.perform { SidecarRow.write(sidecar, to: &$0) }
    case .withhold, .unwithhold, .decide, .concludePublication: try knownWithholding().apply(change)
    }
  }
}
