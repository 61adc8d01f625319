import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// The lock file is replaced in one step, and only while it is the one that was read.
@Suite struct LockWriterTests {
  private let folder: TemporaryFolder
  private let root: RootFolder
  private let state: StateFolder

  init() throws {
    folder = try TemporaryFolder()
    root = try RootFolder(path: folder.path)
    state = try StateFolder(path: folder.path + "/.syncmake")
  }

  private var seen: OutputObservation { root.observe(LockWriter.path) }

  private func write(_ text: String, over: OutputObservation, digest: HexDigest? = nil) throws {
    try LockWriter.write(text, over: over, digest: digest, state, root)
  }

  private func expectNothingStaged() throws {
    #expect(try FileManager.default.contentsOfDirectory(atPath: state.path + "/staging").isEmpty)
  }

  @Test func `the lock file is created, then replaced, and keeps its mode`() throws {
    try write("one", over: .missing)
    #expect(folder.text("syncmake.lock") == "one")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: folder.path("syncmake.lock"))
    try write("two", over: seen)
    #expect(folder.text("syncmake.lock") == "two")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("syncmake.lock"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    try expectNothingStaged()
  }

  @Test func `an unchanged text is recognised, another text of the same length is not`() throws {
    #expect(!LockWriter.isThere("one", seen, root))
    try write("one", over: .missing)
    #expect(LockWriter.isThere("one", seen, root))
    #expect(!LockWriter.isThere("two", seen, root))
    #expect(!LockWriter.isThere("", seen, root))
  }

  @Test func `an edit made in the meantime is kept`() throws {
    try write("one", over: .missing)
    let read = seen
    try folder.write("theirs", to: "syncmake.lock")
    #expect(LockWriter.text(read, root) == nil)
    #expect(LockWriter.text(seen, root) == "theirs")
    #expect(throws: FailureCause.lockChanged) { try write("mine", over: read) }
    #expect(throws: FailureCause.lockChanged) { try write("mine", over: .missing) }
    #expect(folder.text("syncmake.lock") == "theirs")
    try expectNothingStaged()
  }

  @Test func `an edit that the times do not show is kept`() throws {
    try write("mine", over: .missing)
    let digest = try #require(LockWriter.digest(root))
    try folder.write("your", to: "syncmake.lock")
    // As if the file system had the same times for both.
    #expect(throws: FailureCause.lockChanged) { try write("next", over: seen, digest: digest) }
    #expect(folder.text("syncmake.lock") == "your")
    try expectNothingStaged()
    try write("next", over: seen, digest: LockWriter.digest(root))
    #expect(folder.text("syncmake.lock") == "next")
  }

  @Test func `a link or a folder in place of the lock file is refused`() throws {
    try folder.write("elsewhere", to: "real")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("syncmake.lock"), withDestinationPath: "real")
    #expect(throws: FailureCause.self) { try write("mine", over: seen) }
    #expect(folder.text("real") == "elsewhere")
    try FileManager.default.removeItem(atPath: folder.path("syncmake.lock"))
    try FileManager.default.createDirectory(
      atPath: folder.path("syncmake.lock"), withIntermediateDirectories: false)
    #expect(throws: FailureCause.self) { try write("mine", over: seen) }
    try expectNothingStaged()
  }
}
