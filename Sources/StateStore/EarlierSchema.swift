import SyncModel

/// The layout of the state file in an earlier version, and the conversion of its values to the next version.
///
/// The columns are literal text and not those of ``RecordRow``: an existing version never changes.
struct EarlierSchema: Sendable {
  /// How outputs that were about to be put in place were kept.
  enum Intentions: Sendable {
    /// In the table `pending`, a row like those of `records` for each.
    case rows
    /// In the table `intentions`, a list for each group (``IntentionList``).
    case lists
  }

  var version: Int64
  /// Of `records`, in the order of the sum, which is not among them.
  var records: [String]
  /// Of `sidecars`, likewise.
  var sidecars: [String]
  var intentions: Intentions
  /// Whether it may have the tables `withheld` and `publication`.
  var withholds = true
  /// Makes a row of `records`, or a record in an intention, one of the next version.
  var upgradeRecord: @Sendable (inout StoredRow) -> Void = { _ in }
  /// Makes a row of `sidecars` one of the next version.
  var upgradeSidecar: @Sendable (inout StoredRow) -> Void = { _ in }

  /// Every version before ``Schema/version``, in ascending order.
  static let all = [
    EarlierSchema(
      version: 1, records: firstRecords, sidecars: firstSidecars, intentions: .rows, withholds: false),
    EarlierSchema(
      version: 2, records: firstRecords, sidecars: firstSidecars, intentions: .lists, withholds: false),
    EarlierSchema(
      version: 3, records: firstRecords, sidecars: firstSidecars, intentions: .lists,
      upgradeRecord: SignedDefinition.strip),
  ]

  /// Of versions 1 to 4.
  private static let firstRecords = columns(
    """
    output, name, definition, size, modified, changed, inode, content_size, content_digests, download_size, \
    download_digests, validators_url, etag, last_modified, file_stamp, inputs, checked_at, updated_at
    """)

  /// Of versions 1 to 4.
  private static let firstSidecars = columns("url, validators_url, etag, last_modified, file_stamp, body")

  /// The names in a list of columns.
  static func columns(_ list: String) -> [String] {
    list.split { $0 == "," || $0 == " " }.map(String.init)
  }
}

/// The definitions of versions 1 to 3, which have what signs the URLs in them.
private enum SignedDefinition {
  /// Removes it.
  static let strip: @Sendable (inout StoredRow) -> Void = { row in
    guard var list = row.text("definition"), list.utf8.contains(UInt8(ascii: "?")),
      var parts = list.withUTF8({ unsafe FieldList.decode(UnsafeRawBufferPointer($0)) }),
      parts.count.isMultiple(of: 2)
    else { return }
    for place in stride(from: 0, to: parts.count, by: 2) where ["url", "steps"].contains(parts[place]) {
      parts[place + 1] = parts[place + 1].split(separator: "\n", omittingEmptySubsequences: false)
        .map { line(String($0), isStep: parts[place] == "steps") }.joined(separator: "\n")
    }
    row["definition"] = .text(FieldList.encode(parts))
  }

  /// A mirror, or a step, whose parts stand between commas with a blank.
  private static func line(_ line: String, isStep: Bool) -> String {
    guard isStep else { return ResourceURL.text(of: line) }
    var parts: [String] = []
    var rest = line
    while let comma = rest.firstPlace(of: ", ") {
      parts.append(part(String(rest[..<comma.lowerBound])))
      rest = String(rest[comma.upperBound...])
    }
    return (parts + [part(rest)]).joined(separator: ", ")
  }

  /// A URL is a whole part, or stands behind `url: `, and ends before a brace.
  private static func part(_ part: String) -> String {
    let begin = part.firstPlace(of: "url: ")?.upperBound ?? part.startIndex
    let url = part.utf8[begin...].prefix { $0 != UInt8(ascii: "}") }
    return String(part[..<begin]) + ResourceURL.text(of: String(Substring(url)))
      + String(part[url.endIndex...])
  }
}
