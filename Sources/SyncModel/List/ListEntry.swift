/// One entry of a list (contract, section 11): a file that upstream names, and what the list says about it.
package struct ListEntry: Sendable, Equatable {
  /// Its identity, whatever its URL is: Atom's `id`, RSS's `guid`, a docset's identifier, a file's name, an S3 key.
  package var key: String
  /// The last part of its path without escapes, or the name that the list gives; not checked as a file name.
  package var name: String
  /// Absolute, resolved against the page that names it; `http` or `https`.
  package var url: String
  /// Further URLs of the same bytes, in the list's order.
  package var mirrors: [String] = []
  /// As written; compared by ``VersionOrder``. `nil` if the list has none.
  package var version: String?
  /// Whether `match` has captured ``version`` from the name, or may have: then the list may call it something else.
  package var isVersionCaptured = false
  /// The ``ListDeclaration/versionOrigin`` with which a lock has the entry, or will have it; `nil` for that of today.
  package var lockedOrigin: String?
  /// The last change that the list states; `nil` if it states none, or only a rounded one.
  package var updated: Timestamp?
  /// In bytes, 0 or more; `nil` if the list states none, or only a rounded one.
  package var size: Int64?
  /// The digests of the whole file, at most one for each algorithm; empty if the list has none.
  package var digests: [ListedDigest] = []
  /// S3's ETag, as written without its quotes; `nil` for every other format.
  package var entityTag: String?
  /// A human's words for it; `nil` if there are none.
  package var title: String?
  /// Whether upstream calls it a pre-release (GitHub's field of that name). The version is not considered.
  package var isPrerelease = false
  /// Further fields for `${entry.FIELD}`: of XML each child `prefix:local` with text; of rows each named column.
  package var others: [Field] = []

  /// A further field.
  package struct Field: Sendable, Equatable {
    /// As in the manifest, behind `entry.`.
    package var name: String
    /// Plain text.
    package var value: String

    /// Nothing is checked.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// An entry of which only these three are known.
  package init(key: String, name: String, url: String) {
    self.key = key
    self.name = name
    self.url = url
  }
}

/// A digest that a list states for the whole file.
package struct ListedDigest: Sendable, Hashable {
  /// One of the four that manifests may name; others in a list are ignored.
  package var algorithm: DigestAlgorithm
  /// The value.
  package var value: HexDigest

  /// `value` has the algorithm's length.
  package init(_ algorithm: DigestAlgorithm, _ value: HexDigest) {
    self.algorithm = algorithm
    self.value = value
  }
}

extension ListEntry {
  /// The value of `${entry.FIELD}`; `nil` if the entry has no such field.
  package func field(_ name: String) -> String? {
    switch name {
    case "key": key
    case "name": self.name
    case "url": url
    case "version": version
    case "updated": updated?.rfc3339
    case "size": size.map { String($0) }
    case "title": title
    case "digest": digests.max { $0.algorithm < $1.algorithm }?.value.text
    default: others.first { $0.name == name }?.value
    }
  }
}
