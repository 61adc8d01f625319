import Foundation
import SyncModel

@testable import StateStore

/// A folder for one test's state file; removes itself.
final class StateFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "statestore-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/state.db" }
  var journal: String { path + "/state.db-journal" }

  func open(_ access: StateStore.Access = .readWrite, temporaryFolder: String = "/tmp") throws(StateFault)
    -> StateStore
  {
    try StateStore.open(folder: path, access: access, temporaryFolder: temporaryFolder)
  }

  /// Applies `changes` to a store, all of them in the state file, and closes it.
  func fill(_ changes: [StateChange]) throws {
    let store = try open()
    try store.apply(changes)
    // What is in the log is stored before anything is loaded.
    _ = try store.load()
  }

  /// The state as a reader sees it.
  func snapshot(_ access: StateStore.Access = .readWrite) throws -> StateSnapshot { try open(access).load() }

  /// The path of the state file, or of one beside it with this suffix.
  func bytes(of ending: String = "") throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: database + ending)))
  }

  func replaceDatabase(with bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: database))
  }

  /// Removes everything, for the next of many rounds in one folder.
  func clear() throws {
    for name in try names() { try FileManager.default.removeItem(atPath: path + "/" + name) }
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// Every file's name, size, inode and times, and the folder's own.
  func fingerprint() throws -> [String] {
    try (names() + ["."]).map { name in
      var info = stat()
      guard lstat(path + "/" + name, &info) == 0 else { throw POSIXError(.ENOENT) }
      #if canImport(Darwin)
        let times = (info.st_mtimespec, info.st_ctimespec)
      #else
        let times = (info.st_mtim, info.st_ctim)
      #endif
      return "\(name) \(info.st_size) \(info.st_ino) \(times)"
    }
  }
}
