import SyncModel

extension FailureCause {
  /// Whether it names this output, and so no other one is to blame.
  func isAbout(_ output: RelativePath) -> Bool {
    switch self {
    case .outputUnwritable(let path, _), .diskFull(let path): path == output.text
    default: false
    }
  }
}
