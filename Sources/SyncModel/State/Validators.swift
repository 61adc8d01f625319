/// The values by which a server or a source file identifies a version.
///
/// Copies share its fields, like those of a ``TargetRecord``: a download passes them on some twenty times.
package struct Validators: Sendable, Equatable {
  /// The ``url`` of conditions that are valid for any URL to which the source redirects, such as the lock's; never
  /// recorded.
  package static let anyURL = ""
  /// The ``url`` of a question that comes from a file's own time and not from a reply; it is valid for any URL,
  /// too.
  package static let ownTimeURL = "time:"

  private struct Fields: Sendable {
    var etag: EntityTag?
    var lastModified: String?
    var fileStamp: String?
    var url: String
  }

  private var shared: CopyOnWrite<Fields>

  /// `url` is the URL after redirects; what signs it is removed here.
  package init(
    etag: EntityTag? = nil, lastModified: String? = nil, fileStamp: String? = nil, url: String
  ) {
    shared = CopyOnWrite(
      Fields(etag: etag, lastModified: lastModified, fileStamp: fileStamp, url: ResourceURL.text(of: url)))
  }

  /// `nil` if there is none that may be stored, and for `file` sources.
  package var etag: EntityTag? {
    get { shared.value.etag }
    set { shared.value.etag = newValue }
  }

  /// The header's text byte for byte; parsed only to set or compare file times.
  package var lastModified: String? {
    get { shared.value.lastModified }
    set { shared.value.lastModified = newValue }
  }

  /// Size and mtime of a `file` source, as `SIZE-NANOSECONDS`; `nil` for web sources.
  package var fileStamp: String? {
    get { shared.value.fileStamp }
    set { shared.value.fileStamp = newValue }
  }

  /// The resource that they came from, secrets masked; they count for no other.
  package var url: String {
    get { shared.value.url }
    set { shared.value.url = ResourceURL.text(of: newValue) }
  }

  /// Whether all fields are equal, texts by their bytes.
  package static func == (a: Validators, b: Validators) -> Bool {
    if a.shared.isSame(as: b.shared) { return true }
    return a.etag == b.etag && a.lastModified.hasSameBytes(as: b.lastModified) && a.fileStamp == b.fileStamp
      && a.url.hasSameBytes(as: b.url)
  }

  /// Whether they may be sent to whatever URL the source leads to.
  package var holdForAnyURL: Bool { url == Self.anyURL || url == Self.ownTimeURL }

  /// Whether there is nothing to ask with.
  package var isEmpty: Bool { etag == nil && lastModified == nil && fileStamp == nil }
}
