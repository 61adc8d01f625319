#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// Why a file is not to decide which programs this user runs.
package enum FileDistrust: Sendable, Equatable {
  /// Every user may write to it.
  case writable
  /// It is in the usual place, and belongs to another user, as with `sudo` and that user's home folder.
  case foreign

  /// `nil` for a file that may name programs; `isNamed` if this user has named it, and so has chosen it.
  package init?(mode: mode_t, owner: uid_t, isNamed: Bool) {
    if mode & 0o002 != 0 {
      self = .writable
    } else if !isNamed, owner != geteuid(), owner != 0 {
      self = .foreign
    } else {
      return nil
    }
  }
}
