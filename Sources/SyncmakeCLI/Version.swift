import enum Syncmake.LibraryVersion

/// The program's own version.
package enum Version {
  /// Major, minor and patch, as `--version` and reports show them: those of the library.
  package static let number = LibraryVersion.number
  /// The date of the manual page, as mdoc writes dates.
  static let date = "November 21, 2026"
  /// The value of `User-Agent`.
  package static let userAgent = LibraryVersion.userAgent
}
