/// What makes an entry of a list the same one in another reading of it (decision 0031): its key and, since a list may have
/// several versions of one thing, its version.
package struct EntryIdentity: Sendable, Hashable {
  /// See ``ListEntry/key``.
  package var key: ByteString
  /// See ``ListEntry/version``; `nil` if nothing is known of it.
  package var version: ByteString?

  /// Nothing is checked.
  package init(key: ByteString, version: ByteString?) {
    self.key = key
    self.version = version
  }
}

extension ListEntry {
  /// Its identity in its list. With `match`, the version of a selected entry is the captured one.
  package var identity: EntryIdentity {
    EntryIdentity(key: ByteString(key), version: version.map { ByteString($0) })
  }
}
