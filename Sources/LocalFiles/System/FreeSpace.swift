import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension OpenFolder {
  /// The bytes that this user may still write on the folder's file system; `nil` if it does not tell.
  var freeBytes: Int64? {
    var status = statvfs()
    guard unsafe fstatvfs(raw, &status) == 0, status.f_blocks > 0 else { return nil }
    // Some blocks are kept for the system's own user.
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    let (bytes, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }
}
