import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file of a staged tree whose bytes are all in memory.
struct SmallFile: Sendable {
  /// From the tree's top.
  let path: [UInt8]
  let bytes: [UInt8]
  /// The mode with which it is created.
  let creationMode: UInt16
  /// The mode and the time that it gets, whatever the process's mask is; `nil` leaves them as they are.
  let mode: UInt16?
  let modified: Timestamp?
  /// The tree's output, for failures.
  let output: RelativePath

  /// Creates the file; fails if something has its name. `walker` leads to places in the staged tree.
  func write(by walker: inout TreeWalker) throws(FailureCause) {
    do throws(SystemError) {
      let (folder, name) = try walker.place(of: path, creating: true)
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
    /// It has begun.
    var isHelping = false
    /// Threads that write a file.
    var writing = 0
    var failure: FailureCause?
  }

  /// So much waits for the helper, in bytes; a file may be as large.
  private static let mostBytes = 1 << 20
  /// So many files wait.
  private static let mostFiles = 256
  /// Fewer files are not worth a thread.
  private static let worthHelp = 16

  private let state = Monitor(State())
  private let top: OpenFolder
  private let model: OpenFolder?
  private let helper: Helper?

  /// `top` is that of the staged tree, and `model` that of the live one.
  init(in top: OpenFolder, like model: OpenFolder? = nil, helper: Helper?) {
    self.top = top
    self.model = model
    self.helper = helper
  }

  /// Takes the file over, or writes it by `walker`; throws what failed before, too.
  func add(_ file: SmallFile, by walker: inout TreeWalker) throws(FailureCause) {
    guard let helper else { return try file.write(by: &walker) }
    let (waits, callsHelper, failure): (Bool, Bool, FailureCause?) = state.withLock { state in
      if let failure = state.failure { return (false, false, failure) }
      guard state.waiting.count < Self.mostFiles, state.bytes + file.bytes.count <= Self.mostBytes else {
        return (false, false, nil)
      }
      state.waiting.append(file)
      state.bytes += file.bytes.count
      let callsHelper = !state.isHelped && state.waiting.count >= Self.worthHelp
      if callsHelper { state.isHelped = true }
      return (true, callsHelper, nil)
    }
    if let failure { throw failure }
    if callsHelper { helper { self.help() } }
    if !waits { try file.write(by: &walker) }
  }

  /// Writes by `walker`, or waits for, all that was added; throws what went wrong in it.
  func settle(by walker: inout TreeWalker) throws(FailureCause) {
    while let file = next() { write(file, by: &walker) }
    let failure: FailureCause? = state.wait { state in state.writing == 0 ? .some(state.failure) : nil }
    if let failure { throw failure }
  }

  /// Drops what waits, waits for a helper that has begun, and forgets a failure.
  ///
  /// Afterwards the staged tree may be emptied: nothing is written to a folder that was opened before.
  func stop() {
    state.withLock { $0.drop() }
    state.wait { state in state.writing == 0 && !state.isHelping ? () : nil }
    state.withLock { $0.failure = nil }
  }

  private func help() {
    state.withLock { $0.isHelping = true }
    var walker = TreeWalker(top, like: model)
    while let file = next(orEndsHelp: true) { write(file, by: &walker) }
    state.wakeAll()
  }

  private func next(orEndsHelp endsHelp: Bool = false) -> SmallFile? {
    state.withLock { state in
      guard let file = state.waiting.popFirst() else {
        if endsHelp { (state.isHelped, state.isHelping) = (false, false) }
        return nil
      }
      state.bytes -= file.bytes.count
      state.writing += 1
      return file
    }
  }

  private func write(_ file: SmallFile, by walker: inout TreeWalker) {
    var failure: FailureCause?
    do throws(FailureCause) { try file.write(by: &walker) } catch { failure = error }
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
