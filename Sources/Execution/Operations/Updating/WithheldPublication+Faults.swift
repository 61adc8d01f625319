import Platform
import SyncModel

extension FailureCause {
  /// Whether it names this output or a file in it, and so no other one is to blame.
  func isAbout(_ output: RelativePath) -> Bool {
    switch self {
    case .outputUnwritable(let path, _), .diskFull(let path):
      RealPath.rest(of: path, in: output.text) != nil
    default: false
    }
  }

  /// With the paths of edited files from the root: the message of a publication that failed may name no target.
  func withPaths(in output: RelativePath) -> FailureCause {
    guard case .filesModified(let paths, let count) = self else { return self }
    return .filesModified(paths: paths.map { "\(output.text)/\($0)" }, count: count)
  }
}
