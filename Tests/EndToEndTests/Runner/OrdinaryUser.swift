import Foundation
import SyncTestSupport

/// The user for scenarios about missing permissions: tests often run as root, who may do everything.
enum OrdinaryUser {
  private static let id: uid_t = 65534
  private static let setpriv = "/usr/bin/setpriv"

  /// `nil` if the tests' own user is not root.
  private static let prefix =
    geteuid() == 0
    ? [setpriv, "--reuid=\(id)", "--regid=\(id)", "--clear-groups", "--"] : []

  /// Whether such a user exists and may run `program`.
  static func canRun(_ program: String) -> Bool {
    guard !prefix.isEmpty else { return true }
    let asked = try? runProcess(setpriv, Array(prefix.dropFirst()) + ["/usr/bin/test", "-x", program])
    return asked?.status == 0
  }

  /// `command` as this user runs it.
  static func command(_ command: [String]) -> [String] { prefix + command }

  /// Gives the folder and everything in it to that user.
  static func own(_ folder: TemporaryFolder) {
    guard !prefix.isEmpty else { return }
    own(folder.path)
    for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
      own(folder.path(name))
    }
  }

  /// Files that already belong to that user are skipped: a change would alter their times.
  private static func own(_ path: String) {
    var status = stat()
    if lstat(path, &status) == 0, status.st_uid != id { lchown(path, id, id) }
  }
}
