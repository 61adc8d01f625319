/// A path of the user's, which may begin with `~/`.
package enum HomePath {
  /// The user's home folder; `nil` without one. A relative path in `HOME` counts for nothing: in a checkout it would name a
  /// folder of the checkout.
  package static func home(_ variable: (String) -> String?) -> String? {
    variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// `path` with `home` instead of `~` if it begins with `~/`; `nil` if it does and there is no `home`.
  package static func resolve(_ path: String, home: String?) -> String? {
    guard path.hasPrefix("~/") else { return path }
    return home.map { $0 + path.dropFirst() }
  }

  /// Why a path cannot be used for which ``resolve(_:home:)`` gives nothing, and the next step.
  package static let problem = "HOME is not set to an absolute path, so ~/ cannot be used"
  package static let hint = "set HOME, or write an absolute path"
}
