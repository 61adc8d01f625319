#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Whom a file belongs to.
package enum FileOwner {
  /// The name of another user who owns the file at `path` or, where nothing is, the folder at `place` above it; `nil` if
  /// this user does.
  package static func other(of path: String) -> (name: String, place: String)? {
    var path = path
    while true {
      if let status = try? unsafe FileStatus(path, in: AT_FDCWD) {
        return status.owner == geteuid() ? nil : (name: name(status.owner), place: path)
      }
      guard path != "/", let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { break }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    guard let here = try? unsafe FileStatus(".", in: AT_FDCWD), here.owner != geteuid() else { return nil }
    return (name: name(here.owner), place: ".")
  }

  private static func name(_ user: uid_t) -> String {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard unsafe getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &found) == 0,
        unsafe found != nil
      else {
        return "user \(user)"
      }
      return unsafe String(cString: entry.pw_name)
    }
  }
}
