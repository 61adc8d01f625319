import Foundation
import SyncTestSupport

/// A small file system in memory; needs the right to mount, which a container's root often lacks.
final class OwnFileSystem {
  let path: String

  static let isPossible: Bool = {
    guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
    return (try? OwnFileSystem(at: folder.path)) != nil
  }()

  init(at path: String) throws {
    self.path = path
    try mount("size=64m")
  }

  deinit { _ = try? runProcess("/usr/bin/env", ["umount", "-l", path]) }

  private func mount(_ options: String) throws {
    let end = try runProcess("/usr/bin/env", ["mount", "-t", "tmpfs", "-o", options, "none", path])
    guard end.status == 0 else { throw ProcessFailure(call: "mount: \(end.stderr)", code: EPERM) }
  }

  func remount(_ options: String) throws {
    let end = try runProcess("/usr/bin/env", ["mount", "-o", "remount,\(options)", path])
    guard end.status == 0 else { throw ProcessFailure(call: "remount: \(end.stderr)", code: EPERM) }
  }

  /// In KiB.
  var used: Int {
    var status = statvfs()
    statvfs(path, &status)
    return Int(status.f_blocks - status.f_bfree) * Int(status.f_frsize) / 1024
  }
}
