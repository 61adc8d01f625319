/// A path of the user's, which may begin with `~/`.
package enum HomePath {
  /// `path` with `home` in the place of `~` if it begins with `~/`; `nil` if it does and there is no `home`.
  package static func resolve(_ path: String, home: String?) -> String? {
    guard path.hasPrefix("~/") else { return path }
    return home.map { $0 + path.dropFirst() }
  }
}
