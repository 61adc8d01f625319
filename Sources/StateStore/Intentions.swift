import CSqliteShim
import SyncModel

/// The intentions in the state file: a list for each group.
///
/// Lists are numbered in order, and the last list that names an output is valid. Everything happens inside a
/// transaction of the ``Writer``; after a failed one begin with a new object.
final class Intentions {
  static let selection = "SELECT id, records, sum FROM intentions ORDER BY id"

  private let connection: Connection
  private let insertion: Statement
  private let replacement: Statement
  private let removal: Statement
  private let removalFrom: Statement
  /// The outputs that earlier writers left, and those of this one.
  private var inherited: Set<ByteString> = []
  private var own: Set<ByteString> = []
  /// The number of this writer's first list.
  private var firstOwn: Int64 = 1
  private var next: Int64 = 1
  /// The part to insert next.
  private var list: [UInt8] = []
  private var hasSettledInherited = false
  private var hasSettledOwn = false

  /// Throws as the store's own functions do.
  init(_ connection: Connection) throws(StateFault) {
    self.connection = connection
    insertion = try connection.prepare("INSERT INTO intentions (id, records, sum) VALUES (?,?,?)")
    replacement = try connection.prepare("UPDATE intentions SET id = ?, records = ?, sum = ? WHERE id = ?1")
    removal = try connection.prepare("DELETE FROM intentions WHERE id = ?")
    removalFrom = try connection.prepare("DELETE FROM intentions WHERE id >= ?")
    for row in try connection.intentions() {
      // A damaged list is ignored, including its number.
      guard let records = row.records else {
        try remove(row.id)
        continue
      }
      firstOwn = row.id + 1
      for record in records { inherited.insert(ByteString(record.output.text)) }
    }
    next = firstOwn
  }

  func add(_ record: TargetRecord) throws(StateFault) {
    // Settled intentions are known only by their outputs, and this may be one of them.
    try removeSettled()
    own.insert(ByteString(record.output.text))
    let size = list.count
    IntentionList.append(record, to: &list)
    guard size > 0, list.count > IntentionList.enough else { return }
    // Separately, so that no list becomes too long for its length prefix.
    let last = Array(list[size...])
    list.removeSubrange(size...)
    try insert()
    list = last
  }

  /// It has come to pass, or to nothing.
  func settle(_ output: RelativePath) throws(StateFault) {
    try insert()
    // Of a run that only records checks there are none, and nothing is to be hashed.
    if own.isEmpty, inherited.isEmpty { return }
    let output = ByteString(output.text)
    if own.remove(output) != nil { hasSettledOwn = true }
    if inherited.remove(output) != nil { hasSettledInherited = true }
  }

  /// Writes everything that is not written yet.
  func finish() throws(StateFault) {
    try insert()
    try removeSettled()
  }

  private func insert() throws(StateFault) {
    guard !list.isEmpty else { return }
    try insertion.perform { Self.write(next, list, to: &$0) }
    next += 1
    list.removeAll(keepingCapacity: true)
  }

  private static func write(_ id: Int64, _ list: [UInt8], to row: inout RowWriter) {
    row.begin(.intentions)
    row.integer(id)
    row.blob(list)
    row.finish()
  }

  /// A group is usually settled as a whole; then its list need not be read.
  private func removeSettled() throws(StateFault) {
    if hasSettledOwn {
      hasSettledOwn = false
      if own.isEmpty {
        try removalFrom.perform { $0.integer(firstOwn) }
        next = firstOwn
      } else {
        try rewrite(where: { $0 >= firstOwn }, keeping: own)
      }
    }
    if hasSettledInherited {
      hasSettledInherited = false
      try rewrite(where: { $0 < firstOwn }, keeping: inherited)
    }
  }

  private func rewrite(
    where isMeant: (Int64) -> Bool, keeping outputs: Set<ByteString>
  ) throws(StateFault) {
    for row in try connection.intentions() where isMeant(row.id) {
      let records = row.records ?? []
      let kept = records.filter { outputs.contains(ByteString($0.output.text)) }
      if kept.isEmpty {
        try remove(row.id)
      } else if kept.count < records.count {
        var list: [UInt8] = []
        for record in kept { IntentionList.append(record, to: &list) }
        try replacement.perform { Self.write(row.id, list, to: &$0) }
      }
    }
  }

  private func remove(_ id: Int64) throws(StateFault) { try removal.perform { $0.integer(id) } }
}

extension Connection {
  /// Every list in order; its records are `nil` if it, or its number, is damaged.
  func intentions() throws(StateFault) -> [(id: Int64, records: [TargetRecord]?)] {
    try unsafe intentionLists { (list) throws(DamagedData) in try unsafe IntentionList.records(in: list) }
      .map { ($0.id, $0.content) }
  }

  /// The same for a file of an earlier version: the values in each list one after another.
  func intentionLists() throws(StateFault) -> [(id: Int64, values: [StoredValue]?)] {
    try unsafe intentionLists { (list) throws(DamagedData) in try unsafe IntentionList.values(in: list) }
      .map { ($0.id, $0.content) }
  }

  private func intentionLists<Content>(
    _ read: (UnsafeRawBufferPointer) throws(DamagedData) -> Content
  ) throws(StateFault) -> [(id: Int64, content: Content?)] {
    let statement = try prepare(Intentions.selection)
    var lists: [(id: Int64, content: Content?)] = []
    while try statement.step() {
      let id = unsafe sqliteshim_column_int64(statement.handle, 0)
      if let last = lists.last, last.id >= id {
        throw StateFault(code: SQLITE_CORRUPT, path: path, text: "the rows of intentions are out of order")
      }
      var row = unsafe RowReader(statement.handle, table: .intentions)
      unsafe lists.append((id, try? IntentionList.content(of: &row, read)))
    }
    return lists
  }
}

extension IntentionList {
  fileprivate static func content<Content>(
    of row: inout RowReader, _ read: (UnsafeRawBufferPointer) throws(DamagedData) -> Content
  ) throws(DamagedData) -> Content {
    let id = try row.integer()
    let bytes = try row.blob()
    try row.finish()
    // Counted from 1, and limited so that there is always a next number.
    guard id > 0, id < .max else { throw DamagedData() }
    return try unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(DamagedData) in try unsafe read(bytes) }
    }.get()
  }
}
