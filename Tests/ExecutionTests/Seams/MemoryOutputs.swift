import ContentPipeline
import LocalFiles
import Platform
import SyncModel

@testable import Execution

/// A root and a state folder in memory, which can be made to fail.
final class MemoryOutputs: OutputFolder {
  let maskOfNewFiles: UInt16 = 0o022

  func freeBytes(at _: RelativePath) -> Int64? { nil }

  /// A file.
  struct Entry: Sendable {
    var bytes: [UInt8]
    var signature: FileSignature
    var mode: UInt16 = 0o644
  }

  /// Something that must happen in a certain order.
  enum Step: Equatable, Sendable {
    /// The bytes of so many bodies are durable.
    case synced(Int)
    case published(String)
    case namesSynced([String])
    /// The records of so many outputs, or the intentions to publish them.
    case recorded(Int)
    case intended(Int)
  }

  struct State: Sendable {
    var files: [String: Entry] = [:]
    /// Links, folders and the like.
    var obstacles: [String: PathFault] = [:]
    var partials: [String: MemoryPartial] = [:]
    var steps: [Step] = []
    /// What the next publications throw; `nil` if they succeed.
    var fault: FailureCause?
    /// Whether they have begun to change the output then.
    var isBegun = false
    /// Whether a body has no room for every other piece.
    var isCramped = false
    /// How many files were begun that wait in memory, as the fast path does.
    var heldFiles = 0
    private var lastChange = Timestamp(nanoseconds: 0)
    private var lastInode: UInt64 = 0

    /// The time of a change; never the same twice, as it must not be for files.
    mutating func stamp(_ clock: any RunClock) -> Timestamp {
      lastChange = max(clock.now(), Timestamp(nanoseconds: lastChange.nanoseconds + 1))
      return lastChange
    }

    mutating func newInode() -> UInt64 {
      lastInode += 1
      return lastInode
    }

    func observe(_ path: String) -> OutputObservation {
      if let obstacle = obstacles[path] { return .unusable(obstacle) }
      return files[path].map { .file($0.signature) } ?? .missing
    }
  }

  let clock: any RunClock
  let state = Monitor(State())

  init(_ clock: any RunClock) { self.clock = clock }

  // MARK: What a test does

  /// Writes a file as an editor does, in place.
  func write(_ text: String, to path: String) {
    state.withLock { state in
      let now = state.stamp(clock)
      let inode = state.files[path]?.signature.inode ?? state.newInode()
      let bytes = Array(text.utf8)
      let signature = FileSignature(size: Int64(bytes.count), modified: now, changed: now, inode: inode)
      state.files[path] = Entry(bytes: bytes, signature: signature)
    }
  }

  func text(_ path: String) -> String? {
    state.withLock { $0.files[path]?.bytes }.map { String(decoding: $0, as: UTF8.self) }
  }

  func remove(_ path: String) { state.withLock { $0.files[path] = nil } }

  /// Puts something else in the place of a file.
  func block(_ path: String, by fault: PathFault) { state.withLock { $0.obstacles[path] = fault } }

  var steps: [Step] { state.withLock { $0.steps } }

  /// The bytes of all partial downloads.
  var keptBytes: Int { state.withLock { $0.partials.values.reduce(0) { $0 + $1.bytes.count } } }

  // MARK: OutputFolder

  func observe(_ path: RelativePath) -> OutputObservation { state.withLock { $0.observe(path.text) } }

  func observeUnpublished(_ path: RelativePath) -> OutputObservation { observe(path) }

  func hasOtherNames(_ path: RelativePath) -> Bool { false }

  func open(_ path: RelativePath) throws(FailureCause) -> MemoryFile {
    if case .unusable(let fault) = observe(path) {
      throw .outputUnwritable(path: path.text, fault)
    }
    return try file(path.text)
  }

  func openSource(_ path: String) throws(FailureCause) -> MemoryFile { try file(path) }

  private func file(_ path: String) throws(FailureCause) -> MemoryFile {
    guard let file = state.withLock({ $0.files[path] }) else {
      throw .sourceUnreadable(path: path, .missing)
    }
    return MemoryFile(file, at: path, in: self)
  }

  func setModified(
    _ path: RelativePath, _ time: Timestamp, ifStill signature: FileSignature
  ) throws(FailureCause) -> FileSignature {
    let old = try open(path)
    guard old.signature == signature else {
      throw .outputModified(expected: nil, actual: nil)
    }
    return state.withLock { state in
      var new = signature
      (new.modified, new.changed) = (time, state.stamp(clock))
      state.files[path.text]?.signature = new
      return new
    }
  }

  func names(of paths: [RelativePath]) -> PublishedNames { PublishedNames(paths: paths) }

  func sync(_ names: PublishedNames, unlessOn devices: Set<UInt64>) throws(FailureCause) {
    state.withLock { $0.steps.append(.namesSynced(names.paths.map(\.text))) }
  }
}

/// An open file of ``MemoryOutputs``.
final class MemoryFile: OpenedFile {
  let signature: FileSignature
  private let bytes: [UInt8]
  private let path: String
  private let outputs: MemoryOutputs
  private var offset = 0

  fileprivate init(_ file: MemoryOutputs.Entry, at path: String, in outputs: MemoryOutputs) {
    signature = file.signature
    bytes = file.bytes
    self.path = path
    self.outputs = outputs
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    let count = min(buffer.count, bytes.count - offset)
    buffer.copyBytes(from: bytes[offset..<(offset + count)])
    offset += count
    return count
  }

  /// A file that was replaced is another one; this one did not change.
  func requireUnchanged() throws(FailureCause) {
    let now = outputs.state.withLock { $0.files[path]?.signature }
    guard let now, now.inode == signature.inode,
      now.size != signature.size || now.modified != signature.modified
    else { return }
    throw .sourceUnreadable(path: path, .changedMeanwhile)
  }

  func identity(
    _ algorithms: Set<DigestAlgorithm>, isInVain: () -> Bool
  ) throws(FailureCause) -> ContentIdentity {
    if isInVain() { throw .internalError("stopped while reading") }
    var digester = Digester(algorithms.union([.sha256]))
    bytes[offset...].withUnsafeBytes { digester.update($0) }
    return ContentIdentity(size: Int64(bytes.count - offset), digests: digester.finish())
  }
}
