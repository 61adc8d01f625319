/// Where a target's bytes come from.
package enum BodySource: Sendable, Equatable {
  /// Mirrors, tried in order; never empty.
  case urls([SourceURL])
  /// Another target's output (`from`).
  case target(TargetID)
}

/// One address that bytes can be had from.
package enum SourceURL: Sendable, Hashable {
  /// An absolute `http` or `https` URL without credentials, fragment removed.
  case web(String)
  /// A file: `path` is absolute, or relative to the root; `written` is the manifest's own text.
  case file(path: String, written: String)

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
