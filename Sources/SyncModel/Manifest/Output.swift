/// What a target makes below the root.
package enum Output: Sendable, Hashable {
  /// One file.
  case file(RelativePath, mode: UInt16?)
  /// A folder of files, which the target owns.
  case folder(RelativePath)
  /// None: the target stands for others that are not known, and the path is only its name (see ``BodySource/unlisted(_:)``).
  case unlisted(RelativePath)

  /// The path from the root, without a slash at its end.
  package var path: RelativePath {
    get {
      switch self {
      case .file(let path, _), .folder(let path), .unlisted(let path): path
      }
    }
    set {
      switch self {
      case .file(_, let mode): self = .file(newValue, mode: mode)
      case .folder: self = .folder(newValue)
      case .unlisted: self = .unlisted(newValue)
      }
    }
  }

  /// The path as a manifest writes it: that of a folder ends in a slash.
  package var text: String { isFolder ? path.text + "/" : path.text }

  /// The permission bits of a file; `nil` leaves those that it has, or that the system gives.
  package var mode: UInt16? {
    switch self {
    case .file(_, let mode): mode
    case .folder, .unlisted: nil
    }
  }

  /// ``text``; `nil` where there is no output.
  package var shown: String? { if case .unlisted = self { nil } else { text } }

  /// Whether it is a folder.
  package var isFolder: Bool { if case .folder = self { true } else { false } }
}
