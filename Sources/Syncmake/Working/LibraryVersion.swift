/// The library's version, which is the program's.
package enum LibraryVersion {
  /// Major, minor and patch.
  package static let number = "0.1.0"
  /// The value of `User-Agent`.
  package static let userAgent = "syncmake/\(number)"
}
