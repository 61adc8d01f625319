import SyncModel

/// What stands where in a snapshot's file, and its short texts.
///
/// The file's sum says that some program wrote it, which may have written it to harm.
struct SnapshotParts: Sendable {
  /// By the number of their ``SnapshotLayout/Field``.
  let fields: [Int64]
  let header: Range<Int>
  let circumstances: [String]
  let environment: [SnapshotPremises.Variable]
  let files: [ManifestFile]
  let patterns: [IncludePattern]
  let lists: [ListSum]
  let name: String
  let folders: [String]
  let hosts: [PlainQuestions.Host]
  /// Each a ``SnapshotRow``, with a folder, a name and a look that exist.
  let rows: Range<Int>
  /// Every name ends, wherever it begins.
  let names: Range<Int>
  let questions: Range<Int>
  /// Empty in most snapshots.
  let confirmed: Range<Int>

  /// Throws if something is not in the file.
  init(_ bytes: UnsafeRawBufferPointer) throws(DamagedData) {
    var reader = unsafe BinaryReader(bytes, at: SealedForm.contentOffset)
    var fields: [Int64] = []
    for _ in SnapshotLayout.Field.allCases { fields.append(try reader.number()) }
    self.fields = fields
    func field(_ field: SnapshotLayout.Field) -> Int64 { fields[field.rawValue] }
    header = try reader.skip(field(.headerLength))
    circumstances = try reader.list(field(.circumstancesLength))
    environment = try Self.pairs(reader.list(field(.environmentLength))).map {
      SnapshotPremises.Variable(name: $0, mark: $1.isEmpty ? nil : String($1.dropFirst()))
    }
    files = try Self.sums(reader.list(field(.filesLength))) { text, sum in
      (try? RelativePath(text)).map { ManifestFile(path: $0, sum: sum) }
    }
    patterns = try Self.sums(reader.list(field(.patternsLength))) { IncludePattern($0, $1) }
    lists = try Self.sums(reader.list(field(.listsLength))) { ListSum(name: $0, sum: $1) }
    name = unsafe String(decoding: try reader.take(field(.nameLength)), as: UTF8.self)
    folders = try reader.list(field(.foldersLength))
    hosts = try Self.pairs(reader.list(field(.hostsLength))).map {
      PlainQuestions.Host(name: $0, connections: Int($1) ?? 0)
    }
    rows = try reader.skip(field(.entryCount), times: SnapshotRow.size)
    names = try reader.skip(field(.namesLength))
    questions = try reader.skip(field(.questionsLength))
    confirmed = try reader.skip(field(.confirmedLength))
    guard reader.isAtEnd, unsafe names.isEmpty || bytes[names.upperBound - 1] == 0 else {
      throw DamagedData()
    }
    for offset in stride(from: rows.lowerBound, to: rows.upperBound, by: SnapshotRow.size) {
      let row = try reader.value(at: offset, as: SnapshotRow.self)
      guard row.folder < folders.count, row.name < names.count, row.look != nil else { throw DamagedData() }
    }
  }

  /// Texts with their sums.
  private static func sums<Value>(
    _ texts: [String], _ make: (String, ByteSum.Value) -> Value?
  ) throws(DamagedData) -> [Value] {
    guard texts.count.isMultiple(of: 3) else { throw DamagedData() }
    var values: [Value] = []
    for place in stride(from: 0, to: texts.count, by: 3) {
      guard let count = Int64(texts[place + 1]), let hash = UInt64(texts[place + 2]),
        let value = make(texts[place], ByteSum.Value(count: count, hash: hash))
      else { throw DamagedData() }
      values.append(value)
    }
    return values
  }

  private static func pairs(_ texts: [String]) throws(DamagedData) -> [(String, String)] {
    guard texts.count.isMultiple(of: 2) else { throw DamagedData() }
    return stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) }
  }
}

extension BinaryReader {
  /// A ``FieldList`` of so many bytes.
  fileprivate mutating func list(_ length: Int64) throws(DamagedData) -> [String] {
    guard let list = unsafe FieldList.decode(try take(length)) else { throw DamagedData() }
    return list
  }
}
