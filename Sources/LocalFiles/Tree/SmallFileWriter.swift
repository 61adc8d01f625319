import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file of a staged tree whose bytes are all in memory.
struct SmallFile: Sendable {
  let folder: OpenFolder
  let name: FileName
  let bytes: [UInt8]
  /// The mode with which it is created.
  let creationMode: UInt16
  /// The mode and the time that it gets, whatever the process's mask is; `nil` leaves them as they are.
  let mode: UInt16?
  let modified: Timestamp?
  /// For failures: the tree's output, and the path from there.
  let output: RelativePath
  let path: [UInt8]

  /// Creates the file; fails if something has its name.
  func write() throws(FailureCause) {
    do throws(SystemError) {
      var file = try folder.open(name, O_RDWR | O_CREAT | O_EXCL, mode: mode_t(creationMode))
      try file.write(bytes)
      if mode != nil || modified != nil { try file.setProperties(mode: mode, modified: modified) }
      try file.finish()
    } catch {
      throw FailureSubject.output(output.text(of: path)).cause(error)
    }
  }
}

/// Runs work on another thread, at some time.
package typealias Helper = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

/// Writes the small files of a staged tree, in no order: on a helper's thread and on the one that adds them.
///
/// Creating many small files takes longer than decompressing them. The helper may come late or never: then the thread
/// that adds files writes all of them.
final class SmallFileWriter: Sendable {
  fileprivate struct State {
    var waiting = Queue<SmallFile>()
    /// Of the waiting files.
    var bytes = 0
    /// The helper was called and has not ended.
    var isHelped = false
    /// Threads that write a file.
    var writing = 0
    var failure: FailureCause?
  }

  /// In bytes: so much waits for the helper; a file may be as large.
  private static let mostWaiting = 1 << 20
  /// In files: fewer are not worth a thread.
  private static let worthHelp = 32

  private let state = Monitor(State())
  private let helper: Helper?

  init(helper: Helper?) { self.helper = helper }

  /// Takes the file over; throws what failed before, too.
  func add(_ file: SmallFile) throws(FailureCause) {
    guard let helper else { return try file.write() }
    let (waits, callsHelper, failure): (Bool, Bool, FailureCause?) = state.withLock { state in
      if let failure = state.failure { return (false, false, failure) }
      guard state.bytes + file.bytes.count <= Self.mostWaiting else { return (false, false, nil) }
      state.waiting.append(file)
      state.bytes += file.bytes.count
      let callsHelper = !state.isHelped && state.waiting.count >= Self.worthHelp
      if callsHelper { state.isHelped = true }
      return (true, callsHelper, nil)
    }
    if let failure { throw failure }
    if callsHelper { helper { self.help() } }
    if !waits { try file.write() }
  }

  /// Writes or waits for all that was added; throws what went wrong in it.
  func settle() throws(FailureCause) {
    while let file = next() { write(file) }
    let failure: FailureCause? = state.wait { state in state.writing == 0 ? .some(state.failure) : nil }
    if let failure { throw failure }
  }

  /// Drops what waits, waits until nothing is written, and forgets a failure.
  func stop() {
    state.withLock { $0.drop() }
    state.wait { state in state.writing == 0 ? () : nil }
    state.withLock { $0.failure = nil }
  }

  private func help() {
    while let file = next(orEndsHelp: true) { write(file) }
  }

  private func next(orEndsHelp endsHelp: Bool = false) -> SmallFile? {
    state.withLock { state in
      guard let file = state.waiting.popFirst() else {
        if endsHelp { state.isHelped = false }
        return nil
      }
      state.bytes -= file.bytes.count
      state.writing += 1
      return file
    }
  }

  private func write(_ file: SmallFile) {
    var failure: FailureCause?
    do throws(FailureCause) { try file.write() } catch { failure = error }
    state.withLock { state in
      state.writing -= 1
      guard let failure else { return }
      state.drop()
      if state.failure == nil { state.failure = failure }
    }
    state.wakeAll()
  }
}

extension SmallFileWriter.State {
  fileprivate mutating func drop() {
    _ = waiting.removeAll()
    bytes = 0
  }
}
