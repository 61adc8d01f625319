import SyncModel

/// The form of a ``TargetRecord`` in the table `records`, and value by value in an ``IntentionList``.
enum RecordRow {
  /// Every column is checked when it is read, so the table needs few constraints.
  static let definition = """
    output TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL,
    size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
    content_size INTEGER NOT NULL, content_digests TEXT NOT NULL,
    download_size INTEGER, download_digests TEXT,
    validators_url TEXT, etag TEXT, last_modified TEXT, file_stamp TEXT,
    inputs TEXT NOT NULL, checked_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, sum INTEGER NOT NULL
    """

  /// In the order of ``write(_:to:)`` and ``read(_:)``; the sum, the table's last column, is not included.
  static let columns = """
    output, name, definition, size, modified, changed, inode, content_size, content_digests, download_size, \
    download_digests, validators_url, etag, last_modified, file_stamp, inputs, checked_at, updated_at
    """

  /// Replaces the row of the same output, and no other, whatever its name.
  static let replacement =
    "INSERT OR REPLACE INTO records (\(columns), sum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

  static let selection = "SELECT \(columns), sum FROM records ORDER BY output"

  /// Of one output.
  static let lookup = "SELECT \(columns), sum FROM records WHERE output = ?"

  static let removal = "DELETE FROM records WHERE output = ?"

  /// As a row of the table, with its sum.
  static func writeRow(_ record: TargetRecord, to row: inout RowWriter) {
    row.begin(.records)
    write(record, to: &row)
    row.finish()
  }

  /// Its values alone.
  static func write(_ record: TargetRecord, to row: inout some ColumnWriter) {
    row.text(record.output.text)
    row.text(record.name.text)
    let definition = record.definition
    row.list { list in
      // By their places: a copy of each would count four references.
      for i in definition.indices {
        FieldList.append(definition[i].name, to: &list)
        FieldList.append(definition[i].value, to: &list)
      }
    }
    row.integer(record.signature.size)
    row.integer(record.signature.modified.nanoseconds)
    row.integer(record.signature.changed.nanoseconds)
    row.integer(Int64(bitPattern: record.signature.inode))
    row.integer(record.content.size)
    row.list { DigestList.append(record.content, to: &$0) }
    let download = record.download
    row.integer(download?.size)
    if let download {
      row.list { DigestList.append(download, isMarked: record.hasServerDigest, to: &$0) }
    } else {
      row.text(nil)
    }
    let validators = record.validators
    row.text(validators?.url)
    row.text(validators?.etag?.text)
    row.text(validators?.lastModified)
    row.text(validators?.fileStamp)
    row.list { list in
      for input in record.inputs { for field in fields(input) { FieldList.append(field, to: &list) } }
    }
    // Never is 0, as in every state so far.
    row.integer(record.checkedAt?.nanoseconds ?? 0)
    row.integer(record.updatedAt.nanoseconds)
  }

  static func read<Row: ColumnReader>(_ row: inout Row) throws(DamagedData) -> TargetRecord {
    let output = try row.text()
    let name = try row.text()
    let definition = try row.list()
    let signature = FileSignature(
      size: try row.integer(), modified: Timestamp(nanoseconds: try row.integer()),
      changed: Timestamp(nanoseconds: try row.integer()), inode: UInt64(bitPattern: try row.integer()))
    let contentSize = try row.integer()
    let content = try unsafe row.list { unsafe DigestList($0) }
    let downloadSize = try row.optionalInteger()
    let download = try unsafe row.optionalList { unsafe DigestList($0, sharing: content.sha256) }
    guard (downloadSize == nil) == (download == nil), !content.isMarked else { throw DamagedData() }
    let validators = try validators(&row)
    let inputs = try row.list()
    let checked = try row.integer()
    let checkedAt = checked == 0 ? nil : Timestamp(nanoseconds: checked)
    let updatedAt = Timestamp(nanoseconds: try row.integer())
    try row.finish()
    guard TargetName.isValid(name), let path = try? RelativePath(output), path.text == output
    else {
      throw DamagedData()
    }
    return TargetRecord(
      name: TargetName(name), output: path, definition: try fields(definition), signature: signature,
      content: content.identity(size: contentSize),
      download: downloadSize.flatMap { download?.identity(size: $0) },
      hasServerDigest: download?.isMarked ?? false, validators: validators,
      inputs: try records(inputs), checkedAt: checkedAt, updatedAt: updatedAt)
  }

  /// The four columns of validators; shared with ``SidecarRow``.
  static func validators<Row: ColumnReader>(_ row: inout Row) throws(DamagedData) -> Validators? {
    let url = try row.optionalText()
    let etag = try row.optionalText()
    let lastModified = try row.optionalText()
    let fileStamp = try row.optionalText()
    guard let url else { return nil }
    return Validators(
      etag: etag.map { EntityTag($0) }, lastModified: lastModified, fileStamp: fileStamp, url: url)
  }

  // MARK: Lists

  private static func fields(_ parts: [String]) throws(DamagedData) -> [DefinitionField] {
    guard parts.count.isMultiple(of: 2) else { throw DamagedData() }
    return stride(from: 0, to: parts.count, by: 2).map {
      DefinitionField(name: parts[$0], value: parts[$0 + 1])
    }
  }

  /// An input takes five fields; the third tells whether there is an entry, which is the fourth.
  private static func fields(_ input: InputRecord) -> [String] {
    [
      input.kind.rawValue, input.name.text, input.entry == nil ? "0" : "1", input.entry ?? "",
      input.digest.text,
    ]
  }

  private static func records(_ parts: [String]) throws(DamagedData) -> [InputRecord] {
    guard parts.count.isMultiple(of: 5) else { throw DamagedData() }
    var inputs: [InputRecord] = []
    for i in stride(from: 0, to: parts.count, by: 5) {
      guard let kind = DependencyKind(rawValue: parts[i]), TargetName.isValid(parts[i + 1]),
        let digest = HexDigest(hex: parts[i + 4])
      else { throw DamagedData() }
      let entry = parts[i + 2] == "1" ? parts[i + 3] : nil
      inputs.append(InputRecord(kind: kind, name: TargetName(parts[i + 1]), entry: entry, digest: digest))
    }
    return inputs
  }
}
