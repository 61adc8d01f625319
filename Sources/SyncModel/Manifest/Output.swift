/// What a target makes below the root.
package enum Output: Sendable, Hashable {
  /// One file.
  case file(RelativePath, mode: UInt16?)

  /// The path from the root.
  package var path: RelativePath {
    get {
      switch self {
      case .file(let path, _): path
      }
    }
    set {
      switch self {
      case .file(_, let mode): self = .file(newValue, mode: mode)
      }
    }
  }

  /// The permission bits of a file; `nil` leaves those that it has, or that the system gives.
  package var mode: UInt16? {
    switch self {
    case .file(_, let mode): mode
    }
  }
}
