import SyncModel

/// Makes entries of the rows of a table, whatever its format is.
///
/// The key is the column `key`, else the name; the name is the column `name`, else the last part of the URL's path, else
/// the key. An empty value counts as none. A `digest` has any form that a sidecar's line may have. `updated` is a date
/// in the form of RFC 3339 or of mail, or seconds since 1970; a day alone is rounded, and counts as none.
struct RowReading {
  /// One column that is read.
  struct Column {
    /// Its name in the manifest.
    var name: String
    /// `nil` for a further field.
    var role: ListFields.Role?
    /// As written in the manifest.
    var place: String
    /// Whether it is a title that the manifest does not name: something else than a text may be there.
    var isPerhaps = false
  }

  let columns: [Column]

  /// Without any columns in the manifest, each role and the title are read from the place that `place` gives their names.
  init(_ fields: ListFields, default place: (String) -> String) {
    let usual = ListFields.Role.allCases.map(\.rawValue) + [Self.title]
    guard !fields.columns.isEmpty else {
      columns = usual.map {
        Column(name: $0, role: ListFields.Role(rawValue: $0), place: place($0), isPerhaps: $0 == Self.title)
      }
      return
    }
    columns = fields.columns.map { name, place in
      Column(name: name, role: ListFields.Role(rawValue: name), place: place)
    }
  }

  private static let title = "title"

  /// The entry of a row; `values` are those of the columns.
  func entry(_ values: [String?], _ entries: EntryCollector) throws(ListFault) -> ListEntry {
    func value(_ role: ListFields.Role) -> String? {
      guard let place = columns.firstIndex(where: { $0.role == role }) else { return nil }
      return EntryCollector.filled(values[place])
    }
    guard let reference = value(.url) else { throw ListFault(.lacks("a URL")) }
    let url = try entries.url(reference)
    guard let name = value(.name) ?? EntryCollector.name(of: url) ?? value(.key) else {
      throw ListFault(.lacks("a name"))
    }
    var entry = ListEntry(key: value(.key) ?? name, name: name, url: url)
    entry.version = value(.version)
    entry.size = try EntryCollector.size(value(.size), field: "size")
    if let text = value(.digest) { entry.digests = try ListDigest.digests(in: text, of: "digest") }
    if let text = value(.updated) { entry.updated = try Self.moment(text) }
    for (column, text) in zip(columns, values) where column.role == nil {
      if column.name == Self.title {
        entry.title = EntryCollector.filled(text)
      } else if let text {
        entry.others.append(ListEntry.Field(name: column.name, value: text))
      }
    }
    return entry
  }

  private static func moment(_ text: String) throws(ListFault) -> Timestamp? {
    if let moment = ListDate.moment(text) { return moment }
    if Timestamp.isDate(text) { return nil }
    guard text.utf8.count <= 10, let seconds = EntryCollector.size(text) else {
      throw ListFault(.badField(name: "updated", value: text))
    }
    return Timestamp(seconds: seconds)
  }
}
