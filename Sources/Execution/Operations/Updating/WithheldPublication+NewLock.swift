import SyncModel

extension WithheldPublication {
  /// A lock that is put in place with the outputs.
  struct NewLock {
    var text: String
    /// What it replaces.
    var over: OutputObservation
    /// The sha256 of that; `nil` if there is none, or it is unknown.
    var digest: HexDigest?

    /// The same for the state; `nil` if it is unknown.
    var replaced: ReplacedLock? { over == .missing ? .nothing : digest.map { .file(sha256: $0) } }

    /// `text` is to replace the lock that `workspace` has read.
    init(_ text: String, replacing workspace: Workspace) {
      self.text = text
      (over, digest) = (workspace.lockSeen, workspace.lockDigest)
    }
  }
}
