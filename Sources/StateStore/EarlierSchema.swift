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
    EarlierSchema(version: 3, records: firstRecords, sidecars: firstSidecars, intentions: .lists),
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
