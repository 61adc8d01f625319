import SyncModel
import Testing

@testable import LocalFiles

/// Folders that are made in the root, and when they are on the disk.
@Suite struct UnsyncedFoldersTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  @Test(arguments: [1, 4, 5, 40]) func `few or many files are synced and published`(count: Int) throws {
    let paths = try (0..<count).map { try RelativePath("new\($0 % 7)/sub/\($0)") }
    let files = try paths.map { try box.staged("text of \($0)", for: $0) }
    try StagedFile.syncAll(files, in: box.state)
    for file in files { try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil) }
    #expect(!box.root.unsynced.withLock(\.changes).isEmpty)
    try box.root.syncFolders(of: paths)
    #expect(box.root.unsynced.withLock(\.changes).isEmpty)
    for path in paths { #expect(box.text(path.text) == "text of \(path)") }
  }

  @Test(arguments: [1, 40]) func `folders are made and synced before anything is moved there`(count: Int)
    throws
  {
    try box.publish("a file", to: .path("taken"))
    let paths = try (0..<count).map { try RelativePath("new\($0 % 7)/sub/\($0)") }
    // A folder that cannot be made is no fault yet.
    try box.root.makeFolders(of: [.path("taken/deep/x")] + paths)
    for path in paths {
      try box.staged("text", for: path).publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    // None had to be made.
    #expect(box.root.unsynced.withLock(\.changes).isEmpty)
  }
}
