import CSqliteShim
import SyncModel

/// The form of a ``WithheldOutput`` in the table `withheld`.
enum WithheldRow {
  /// `record` is a list as in `intentions`, of one record.
  static let definition = """
    output TEXT NOT NULL PRIMARY KEY, record BLOB NOT NULL, keeps_time INTEGER NOT NULL, over INTEGER,
    over_size INTEGER, over_modified INTEGER, over_changed INTEGER, over_inode INTEGER, sum INTEGER NOT NULL
    """

  private static let columns =
    "output, record, keeps_time, over, over_size, over_modified, over_changed, over_inode, sum"

  static let replacement = "INSERT OR REPLACE INTO withheld (\(columns)) VALUES (?,?,?,?,?,?,?,?,?)"
  static let selection = "SELECT \(columns) FROM withheld ORDER BY output"
  static let removal = "DELETE FROM withheld WHERE output = ?"

  static func write(_ withheld: WithheldOutput, to row: inout RowWriter) {
    var list: [UInt8] = []
    IntentionList.append(withheld.record, to: &list)
    row.begin(.withheld)
    row.text(withheld.record.output.text)
    row.blob(list)
    row.integer(withheld.keepsTime ? 1 : 0)
    var signature: FileSignature?
    if case .file(let there)? = withheld.over { signature = there }
    // 0: nothing is there; 1: a file.
    row.integer(withheld.over.map { _ in signature == nil ? 0 : 1 })
    row.integer(signature?.size)
    row.integer(signature?.modified.nanoseconds)
    row.integer(signature?.changed.nanoseconds)
    row.integer(signature.map { Int64(bitPattern: $0.inode) })
    row.finish()
  }

  /// `records` reads the list.
  static func read(
    _ row: inout RowReader,
    records: (UnsafeRawBufferPointer) throws(DamagedData) -> [TargetRecord]
  ) throws(DamagedData) -> WithheldOutput {
    let output = try row.text()
    let list = try row.blob()
    let keepsTime = try row.integer() == 1
    let over = try row.optionalInteger()
    let (size, modified) = (try row.optionalInteger(), try row.optionalInteger())
    let (changed, inode) = (try row.optionalInteger(), try row.optionalInteger())
    try row.finish()
    let found = try unsafe list.withUnsafeBytes { bytes in
      Result { () throws(DamagedData) in try unsafe records(bytes) }
    }.get()
    guard found.count == 1, found[0].output.text == output else { throw DamagedData() }
    var withheld = WithheldOutput(record: found[0], keepsTime: keepsTime)
    if over == 0 { withheld.over = .missing }
    if let size, let modified, let changed, let inode {
      withheld.over = .file(
        FileSignature(
          size: size, modified: Timestamp(nanoseconds: modified), changed: Timestamp(nanoseconds: changed),
          inode: UInt64(bitPattern: inode)))
    }
    return withheld
  }
}

/// The form of a ``Publication`` in the table `publication`: a row with the new lock's text, or none. `lock` is NULL if the
/// lock stays.
///
/// If it is known what the new lock replaces, a second row has the sha256 of that, or NULL for nothing.
enum PublicationRow {
  static let replacement = "INSERT OR REPLACE INTO publication (id, lock, sum) VALUES (?,?,?)"
  static let selection = "SELECT id, lock, sum FROM publication ORDER BY id"

  static func write(_ id: Int64, _ text: String?, to row: inout RowWriter) {
    row.begin(.publication)
    row.integer(id)
    row.text(text)
    row.finish()
  }

  /// The text; `nil` if the row is damaged or has another number.
  static func read(_ row: inout RowReader, id: Int64) -> String?? {
    do throws(DamagedData) {
      let found = try row.integer()
      let text = try row.optionalText()
      try row.finish()
      return found == id ? .some(text) : nil
    } catch {
      return nil
    }
  }
}

extension Connection {
  /// Adds what was withheld; `records` reads a list of records.
  func addWithheld(
    to snapshot: inout StateSnapshot,
    records: (UnsafeRawBufferPointer) throws(DamagedData) -> [TargetRecord]
  ) throws(StateFault) {
    guard hasWithheldTables else { return }
    snapshot.withheld = try rows(WithheldRow.selection, .withheld) { (row) throws(DamagedData) in
      try unsafe WithheldRow.read(&row, records: records)
    }
    snapshot.publication = try publication()
    guard snapshot.publication != nil else { return }
    // Until that is complete any of these may be in place.
    let decided = snapshot.withheld.filter { $0.over != nil }.map(\.record)
    snapshot.pending = TargetRecord.lastOfEach(snapshot.pending + decided)
  }

  /// The publication that is under way, if its row is whole.
  func publication() throws(StateFault) -> Publication? {
    guard hasWithheldTables else { return nil }
    let statement = try prepare(PublicationRow.selection)
    guard try statement.step() else { return nil }
    var row = unsafe RowReader(statement.handle, table: .publication)
    guard let lock = PublicationRow.read(&row, id: 1) else { return nil }
    var publication = Publication(lock: lock)
    guard try statement.step() else { return publication }
    row = unsafe RowReader(statement.handle, table: .publication)
    if let text = PublicationRow.read(&row, id: 2) {
      publication.replaced =
        if let text { HexDigest(text, .sha256).map { ReplacedLock.file(sha256: $0) } } else {
          ReplacedLock.nothing
        }
    }
    return publication
  }

  /// Whether anything was ever withheld; a statement that cannot be prepared costs less than a look at the schema.
  private var hasWithheldTables: Bool { (try? prepare("SELECT lock FROM publication")) != nil }
}

/// The changes to the state by a publication of withheld outputs, besides records; all inside a transaction of the ``Writer``.
final class Withholding {
  private let replacement: Statement
  private let removal: Statement
  private let decision: Statement
  private let conclusion: Statement

  /// Creates the tables if there are none yet.
  init(_ connection: Connection) throws(StateFault) {
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS withheld (\(WithheldRow.definition));
      CREATE TABLE IF NOT EXISTS publication (
        id INTEGER NOT NULL PRIMARY KEY, lock TEXT, sum INTEGER NOT NULL);
      """)
    replacement = try connection.prepare(WithheldRow.replacement)
    removal = try connection.prepare(WithheldRow.removal)
    decision = try connection.prepare(PublicationRow.replacement)
    conclusion = try connection.prepare("DELETE FROM publication")
  }

  func apply(_ change: StateChange) throws(StateFault) {
    switch change {
    case .withhold(let withheld): try replacement.perform { WithheldRow.write(withheld, to: &$0) }
    case .unwithhold(let output): try removal.perform { $0.text(output.text) }
    case .decide(let publication):
      try conclusion.perform { _ in }
      try decision.perform { PublicationRow.write(1, publication.lock, to: &$0) }
      guard let replaced = publication.replaced else { return }
      try decision.perform { PublicationRow.write(2, replaced.sha256?.text, to: &$0) }
    case .concludePublication: try conclusion.perform { _ in }
    case .intend, .commit, .withdraw, .forget, .sidecar: break
    }
  }
}
