/// What a list says of the version of one entry's bytes; recorded with the target that was made from them.
package struct ListRevision: Sendable, Equatable {
  /// See ``ListEntry/digests``.
  package var digests: [ListedDigest] = []
  /// See ``ListEntry/entityTag``.
  package var entityTag: String?
  /// The version of the entry, as written or as `match` captured it.
  package var version: String?
  /// The ``ListDeclaration/versionOrigin`` of ``version``; `nil` if `match` captured it, or if it is not known.
  package var versionOrigin: String?
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

extension ListRevision {
  /// The same, with what only `earlier` says of the same bytes: a list that ceases to state something may state it again.
  package func completed(by earlier: ListRevision) -> ListRevision {
    var whole = self
    whole.digests += earlier.digests.filter { old in
      !digests.contains { $0.algorithm == old.algorithm }
    }
    if entityTag == nil { whole.entityTag = earlier.entityTag }
    if version == nil {
      (whole.version, whole.versionOrigin) = (earlier.version, earlier.versionOrigin)
    }
    if updated == nil { whole.updated = earlier.updated }
    if size == nil { whole.size = earlier.size }
    return whole
  }
}
