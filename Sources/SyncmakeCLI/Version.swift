/// The program's own version.
package enum Version {
  package static let number = "0.1.0"
  /// Of the manual page, as mdoc writes dates.
  static let date = "November 21, 2026"
  package static let userAgent = "syncmake/\(number)"
}
