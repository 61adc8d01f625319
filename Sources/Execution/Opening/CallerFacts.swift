package import SyncModel

/// What opening a manifest takes from the program around it; nothing here is read from the process.
package struct CallerFacts: Sendable {
  /// The value of an environment variable; `nil` if it is not set.
  package var variable: @Sendable (String) -> String?
  /// The version of the calling program: a compiled snapshot of another version is not used.
  package var version: String
  /// The passwords in the URLs of proxies, which are masked like secrets.
  package var proxyPasswords: [String]
  /// Whether compiled snapshots may be read and written.
  package var allowsSnapshots: Bool
  /// What the manifest may do; `nil` for one that is trusted.
  package var policy: RunPolicy?
  /// How its user named the manifest.
  package var manifestPlace = CommandPlace()
  /// Whether digests of the lock count for the policy: an update replaces them.
  package var obeysLock = true
  /// Whether the command writes outputs, and so needs a manifest in a folder.
  package var writesOutputs = false
  /// Whether the process is all ours, so that its heap may be tuned; not that of an app that uses the library.
  package var ownsProcess = true

  /// Takes every fact as it is.
  package init(
    version: String, proxyPasswords: [String] = [], allowsSnapshots: Bool = true,
    variable: @escaping @Sendable (String) -> String?
  ) {
    self.version = version
    self.proxyPasswords = proxyPasswords
    self.allowsSnapshots = allowsSnapshots
    self.variable = variable
  }
}
