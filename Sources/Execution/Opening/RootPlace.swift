import LocalFiles
import SyncModel

/// Where the outputs of a manifest and its state are.
package struct RootPlace: Sendable {
  /// The manifest's folder.
  package var root: String
  /// The state folder, absolute or from the current folder; it need not be there yet.
  package var state: String
  /// Whether the state folder may be a link: only if the user named it, never if a repository contains it.
  package var stateMayBeLink: Bool

  /// Nothing is opened; both may be relative to the current folder.
  package init(root: String, state: String, stateMayBeLink: Bool = false) {
    self.root = root
    self.state = state
    self.stateMayBeLink = stateMayBeLink
  }

  /// Opens the root. If the manifest is a stranger's, its `file` sources must be inside.
  func openRoot(isUntrusted: Bool = false) throws(FailureCause) -> RootFolder {
    try RootFolder(path: root, confinesSources: isUntrusted)
  }
}
