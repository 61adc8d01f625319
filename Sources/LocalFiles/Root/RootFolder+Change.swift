import CSystemShim
import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RootFolder {
  /// Removes an output, but only if it still has `signature`; empty folders stay.
  ///
  /// - Returns: whether it was removed; false if it is missing, edited, or not a file.
  ///   Throws if the system refuses.
  package func remove(
    _ path: RelativePath, ifStill signature: FileSignature
  ) throws(FailureCause) -> Bool {
    let place = Place(path)
    let folder: OpenFolder
    do throws(WalkError) {
      folder = try walk(to: place)
      guard try status(of: place.name, in: folder).observation == .file(signature) else { return false }
    } catch {
      // A parent that is a link or not a folder contains nothing of ours.
      guard case .fault(.system) = error else { return false }
      throw error.cause(path)
    }
    try FailureSubject.output(path.text).attempt { () throws(SystemError) in try folder.remove(place.name) }
    return true
  }

  /// Sets the mtime of an output that still has `signature`.
  ///
  /// - Returns: the new signature. Throws `.outputModified` (without digests, since none is known here) if the
  ///   output is no longer that file, and `.outputUnwritable` if the system refuses or something else is there.
  package func setModified(
    _ path: RelativePath, _ time: Timestamp, ifStill signature: FileSignature
  ) throws(FailureCause) -> FileSignature {
    let file = try open(path, as: .output(path.text))
    guard file.signature == signature else { throw .outputModified(expected: nil, actual: nil) }
    let after = try FailureSubject.output(path.text).attempt { () throws(SystemError) in
      try file.descriptor.setTimes(time.timespec)
      return try FileStatus(file.descriptor)
    }
    // Bytes that came in between must not pass for ours.
    guard after.signature.size == signature.size else { throw .outputModified(expected: nil, actual: nil) }
    return after.signature
  }
}

extension Descriptor {
  /// Sets permission bits and mtime; `nil` leaves each as it is. The access time stays.
  ///
  /// Some file systems (vfat, network mounts) keep no permissions: unless `mustHaveMode` the file then has those that
  /// its file system gives to all.
  borrowing func setProperties(
    mode: UInt16?, modified: Timestamp?, mustHaveMode: Bool = true
  ) throws(SystemError) {
    if let mode {
      do throws(SystemError) { try setMode(mode_t(mode) & 0o7777) } catch {
        guard error.isUnsupported || error.code == EPERM else { throw error }
        if mustHaveMode { throw SystemError(error.code, missing: .permissions) }
      }
    }
    if let modified { try setTimes(modified.timespec) }
  }

  /// Sets the mtime to the present.
  borrowing func touch() throws(SystemError) {
    do throws(SystemError) {
      try setTimes(timespec(tv_sec: 0, tv_nsec: .init(syncmake_utime_now)))
    } catch {
      guard error.code == EPERM else { throw error }
      // Who may write a file that is another user's may set only both times, to the present (futimens(3)).
      let raw = raw
      try call { futimens(raw, nil) }
    }
  }

  fileprivate borrowing func setTimes(_ modified: timespec) throws(SystemError) {
    let raw = raw
    let times = [timespec(tv_sec: 0, tv_nsec: .init(syncmake_utime_omit)), modified]
    try call { unsafe futimens(raw, times) }
  }
}
