import CSystemShim
import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The right to change a root, held by one run at a time, or by the shards of a run together.
///
/// It is an `flock` on `lock` in the state folder, or a lock of that file's whole range, so it ends with the process however that ends. The file is
/// never removed, since one run could then lock the old file and another the new. Its text is for people.
package final class RunLock: Sendable {
  /// The file in which waiting programs see the holder.
  private static let name = "lock"
  private let file: Descriptor
  private let isShared: Bool

  /// Its place in the state folder at `path`.
  package static func path(in path: String) -> String { path + "/" + name }

  private init(_ file: consuming Descriptor, isShared: Bool) {
    self.file = file
    self.isShared = isShared
  }

  /// What is shared keeps its text, which others still need.
  deinit { if !isShared { try? file.truncate(to: 0) } }

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - purpose: others with the same one may hold the lock, too; `nil` to hold it alone.
  ///   - wait: whether to wait while another run holds it.
  ///   - now: the run's start, for the lock file.
  ///   - onWait: called before waiting, and for each further holder, with a description such as
  ///     `process 123 on HOST since 2026-11-21T10:00:00Z`; without control characters.
  ///   - isCancelled: called about every 50 ms while waiting.
  /// - Returns: `nil` if another run holds it and `wait` is false, or if waiting was cancelled.
  ///   Throws `.outputUnwritable` or `.diskFull` if the file system refuses or has no locks.
  package static func acquire(
    in state: StateFolder, sharedFor purpose: String? = nil, wait: Bool, now: Timestamp,
    onWait: (String) -> Void,
    isCancelled: () -> Bool
  ) throws(FailureCause) -> RunLock? {
    let subject = FailureSubject.state(state.path(of: name), in: state)
    var (told, isSecondLook): (String?, Bool) = (nil, false)
    // Whoever is the first to share it holds it alone for a moment.
    var patience = purpose == nil ? 0 : 5
    while true {
      let lock = try subject.attempt { () throws(SystemError) in try attempt(in: state, purpose, now) }
      if let lock { return lock }
      if !wait, patience > 0 {
        patience -= 1
        sleep()
        continue
      }
      guard wait else { return nil }
      // A holder of this moment has not written its text yet.
      let text = holder(in: state)
      if let holder = text ?? (isSecondLook ? told ?? "another process" : nil), holder != told {
        onWait(holder)
        told = holder
      }
      isSecondLook = true
      guard !isCancelled() else { return nil }
      sleep()
    }
  }

  /// The lock file's text about the holder; `nil` if it is empty.
  ///
  /// After a crash it describes a run that has ended, so read it only after the lock was refused.
  package static func holder(in state: StateFolder) -> String? {
    guard let file = try? state.top.open(name, O_RDONLY), let bytes = try? file.readAll(limit: 300) else {
      return nil
    }
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0.properties.isPrintable }
    return text.isEmpty ? nil : String(String.UnicodeScalarView(text))
  }

  /// `nil` if another run has it.
  private static func attempt(
    in state: StateFolder, _ purpose: String?, _ now: Timestamp
  ) throws(SystemError) -> RunLock? {
    let file = try state.top.open(name, O_RDWR | O_CREAT, mode: 0o666)
    let isFirst = try lock(file, isShared: false)
    if !isFirst {
      // Those who share it may be of another purpose; the first of them has written it down.
      guard let purpose, try lock(file, isShared: true), isHeld(for: purpose, in: state) else { return nil }
    }
    // Somebody may have removed the file since it was opened; then this locks nothing, and is busy once.
    guard let there = try? state.top.status(of: name),
      there.signature.inode == (try FileStatus(file)).signature.inode
    else { return nil }
    guard isFirst else { return RunLock(file, isShared: true) }
    // For people, so a full disk does not keep a run from starting that may have nothing to write.
    try? file.truncate(to: 0)
    // The purpose comes before the host's name, which may be too long for who reads it.
    let text = "process \(getpid())\(purpose.map(mark) ?? "") on \(hostName()) since \(now.rfc3339)\n"
    let isWritten = (try? file.write(Array(text.utf8))) != nil
    guard let purpose else { return RunLock(file, isShared: false) }
    // Between the two another run may have been faster: it holds the lock, or shares it for its own purpose.
    guard try lock(file, isShared: true),
      isHeld(for: purpose, in: state) || !isWritten && holder(in: state) == nil
    else { return nil }
    return RunLock(file, isShared: true)
  }

  /// Whether the first of those who share the lock has written down this purpose. Nobody can write another one while
  /// the lock is shared.
  private static func isHeld(for purpose: String, in state: StateFolder) -> Bool {
    guard let text = holder(in: state) else { return false }
    return text.dropFirst("process ".count).drop(while: \.isNumber).hasPrefix(mark(purpose) + " on ")
  }

  /// How a purpose is written after the process.
  private static func mark(_ purpose: String) -> String { " (\(purpose))" }

  /// Locks the file; `false` if another run holds it.
  ///
  /// Some sandboxes and network mounts support only range locks: then it is one of the kind that ends with the open
  /// file, as `flock`'s does. Without either, two runs could damage each other's files.
  private static func lock(_ file: borrowing Descriptor, isShared: Bool) throws(SystemError) -> Bool {
    let raw = file.raw
    do throws(SystemError) {
      try call { flock(raw, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      guard error.isUnsupported || error.code == ENOLCK else { throw error }
    }
    do throws(SystemError) {
      try call { syncmake_lock_range(raw, isShared ? 1 : 0) }
      return true
    } catch {
      if [EWOULDBLOCK, EACCES].contains(error.code) { return false }
      guard error.isUnsupported || error.code == ENOLCK else { throw error }
      throw SystemError(error.code, missing: .locks)
    }
  }

  private static func hostName() -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      unsafe buffer.initialize(repeating: 0)
      guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else {
        return "an unknown host"
      }
      return unsafe String(cString: start)
    }
  }

  private static func sleep() {
    var time = timespec(tv_sec: 0, tv_nsec: 50_000_000)
    unsafe nanosleep(&time, nil)
  }
}

extension Unicode.Scalar.Properties {
  /// Nothing that could move a cursor or reorder a line.
  fileprivate var isPrintable: Bool {
    switch generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    default: true
    }
  }
}
