import SyncModel

/// The dates that lists have.
enum ListDate {
  /// The moment of `text` in one of the forms of RFC 3339 and of mail; `nil` for a day alone, which is rounded, and for
  /// anything else.
  static func moment(_ text: String) -> Timestamp? { Timestamp(rfc3339: text) ?? MailDate.parse(text) }
}
