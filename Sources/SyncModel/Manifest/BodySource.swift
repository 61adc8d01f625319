/// Where a target's bytes come from.
package enum BodySource: Sendable, Equatable {
  /// One URL, or several mirrors.
  case urls(Mirrors)
  /// Another target's output (`from`).
  case target(TargetID)
  /// An entry of a list (`list`).
  case entry(Shared<ListedSource>)
  /// Nothing, since the list that names it cannot be used: the target fails with this.
  indirect case unlisted(FailureCause)
  /// Nothing, since the entry that it was made from has left its list.
  indirect case gone(GoneEntry)

  /// The URLs that the bytes can be had from, tried in order; `nil` if they are another target's output.
  package var mirrors: Mirrors? {
    switch self {
    case .urls(let urls): urls
    case .entry(let entry): entry.urls
    case .target, .unlisted, .gone: nil
    }
  }

  /// The size that a list gives for the bytes as they come; `nil` for every other source.
  package var listedSize: Int64? { if case .entry(let entry) = self { entry.revision.size } else { nil } }

  /// The digests that a list gives for the bytes as they come; empty for every other source.
  package var listedDigests: [ListedDigest] {
    if case .entry(let entry) = self { entry.revision.digests } else { [] }
  }
}

/// What a list says of one entry (contract, section 11).
package struct ListedSource: Sendable, Equatable {
  /// One URL, or several mirrors.
  package var urls: Mirrors
  /// The ``ListDeclaration/template`` that the entry's target was made from.
  package var template: String
  /// The entry's identity.
  package var key: String
  /// What the list says of the version of its bytes.
  package var revision: ListRevision
  /// That of the list, the only one that gets the target's headers and credentials; `nil` for a list in a file.
  package var origin: WebOrigin?

  /// An entry with what its list says of it.
  package init(urls: Mirrors, template: String, key: String, revision: ListRevision, origin: WebOrigin?) {
    self.urls = urls
    self.template = template
    self.key = key
    self.revision = revision
    self.origin = origin
  }
}

/// One address that bytes can be had from.
package enum SourceURL: Sendable, Hashable {
  /// An absolute `http` or `https` URL without credentials, fragment removed.
  case web(String)
  /// A file: `path` is absolute, or relative to the root; `written` is the manifest's own text.
  ///
  /// Files are rare, so that two texts for each address would only take room.
  indirect case file(path: String, written: String)

  /// The manifest's full text, including a signature: only for requests, never shown or recorded.
  package var text: String {
    switch self {
    case .web(let url): url
    case .file(_, let written): written
    }
  }

  /// The text to show, to record and to compare, without the signature; may contain secrets, so mask it.
  package var shown: String {
    switch self {
    case .web(let url): ResourceURL.text(of: url)
    case .file(_, let written): written
    }
  }

  /// The local file; `nil` for the web, whose URL is ``text``.
  private var path: String? { if case .file(let path, _) = self { path } else { nil } }

  /// Compares bytes: for `String`, an accented letter and its parts are equal.
  package static func == (a: SourceURL, b: SourceURL) -> Bool {
    a.text.hasSameBytes(as: b.text) && a.path.hasSameBytes(as: b.path)
  }

  /// Agrees with `==`: equal are the same bytes only.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(ByteString(text))
    hasher.combine(path.map { ByteString($0) })
  }
}
