/// What a list says of the version of one entry's bytes; recorded with the target that was made from them.
package struct ListRevision: Sendable, Equatable {
  /// See ``ListEntry/digests``.
  package var digests: [ListedDigest] = []
  /// See ``ListEntry/entityTag``.
  package var entityTag: String?
  /// The version of the entry, as written or as `match` captured it.
  package var version: String?
  /// See ``ListEntry/updated``.
  package var updated: Timestamp?
  /// See ``ListEntry/size``.
  package var size: Int64?

  /// A list that gives only names.
  package init() {}

  /// What the list says of `entry`, as it was selected.
  package init(_ entry: ListEntry) {
    digests = entry.digests
    entityTag = entry.entityTag
    version = entry.version
    updated = entry.updated
    size = entry.size
  }
}
