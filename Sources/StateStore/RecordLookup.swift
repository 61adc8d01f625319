import CSqliteShim
package import SyncModel

/// Finds the records of a few outputs without reading the rest.
package enum RecordLookup {
  /// The records of `outputs`, in their order, from the state file in `folder` from which `image` was made. `nil`
  /// if one of them has no valid record, or an intention; if any list of intentions is damaged; or if the file
  /// cannot be read or has changed.
  ///
  /// Leaves no trace, like ``LockFreeReader``; a concurrent change shows in the file's identity.
  package static func records(
    of outputs: [RelativePath], in folder: String, _ image: SnapshotImage
  ) -> [TargetRecord]? {
    // A file of an earlier version has to be migrated first.
    guard Schema.number(in: image.state.header, at: 60) == Schema.version,
      let records = try? read(outputs, StateFile(folder: folder).path),
      StateIdentity(folder: folder) == image.state
    else { return nil }
    return records
  }

  /// What is recorded for `outputs`, in their order, in the state file in `folder`; the caller holds the run lock and has
  /// nothing to record. `nil` where that is not all in order.
  package static func records(of outputs: [RelativePath], in folder: String) -> [TargetRecord]? {
    try? read(outputs, StateFile(folder: folder).path)
  }

  private static func read(_ outputs: [RelativePath], _ path: String) throws -> [TargetRecord]? {
    let connection = try Connection.untouched(path: path)
    guard try Schema.check(connection) == Schema.version, try connection.publication() == nil else {
      return nil
    }
    var pending: Set<RelativePath> = []
    for list in try connection.intentions() {
      guard let records = list.records else { return nil }
      pending.formUnion(records.map(\.output))
    }
    guard pending.isDisjoint(with: outputs) else { return nil }
    let records = try connection.records(of: outputs)
    return records.count == outputs.count ? records : nil
  }
}

extension Connection {
  /// What is recorded for `outputs`, in their order; those of which there is nothing, or nothing whole, are left out.
  func records(of outputs: [RelativePath]) throws(StateFault) -> [TargetRecord] {
    let recorded = try prepare(RecordRow.lookup)
    var records: [TargetRecord] = []
    for output in outputs {
      guard let isFound = try? recorded.finds(output), isFound else { continue }
      var row = unsafe RowReader(recorded.handle, table: .records)
      if let record = try? RecordRow.read(&row) { records.append(record) }
    }
    return records
  }
}

extension Statement {
  /// Whether there is a row of `output`, which can then be read until the next call.
  fileprivate func finds(_ output: RelativePath) throws -> Bool {
    unsafe sqliteshim_reset(handle)
    var values = unsafe RowWriter(handle)
    values.text(output.text)
    guard values.code == SQLITE_OK else { throw DamagedData() }
    return try step()
  }
}
