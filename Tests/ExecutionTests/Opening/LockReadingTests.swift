import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// The lock file is read into a workspace, and again whenever it changes before the work begins.
@Suite struct LockReadingTests {
  private let folder: TemporaryFolder
  private var workspace: Workspace

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("version: 1\ntargets: {a: {url: x, output: a}}\n", to: "syncmake.yaml")
    let location = try #require(
      ManifestLocation(
        file: folder.path("syncmake.yaml"), stateDir: nil, caller: CallerFacts(version: "1") { _ in nil }))
    let opened = try OpenedManifest(location)
    workspace = try #require(opened.workspace)
  }

  @Test mutating func `without a file there is no lock`() throws {
    #expect(try workspace.readLock().isMissing)
    #expect(workspace.lock == nil)
    #expect(workspace.lockSeen == .missing)
  }

  @Test mutating func `a lock is read with its observation`() throws {
    try folder.write(LockFileText.render(LockFile(pins: [:])), to: "syncmake.lock")
    let reading = try workspace.readLock()
    #expect(!reading.isMissing)
    #expect(reading.diagnostics.isEmpty)
    #expect(workspace.lock?.pins.isEmpty == true)
    #expect(workspace.lockSeen != .missing)
    let digest = LockWriter.digest(try workspace.openRoot())
    #expect(digest != nil && workspace.lockDigest == digest)
  }

  @Test mutating func `a broken lock gives its problems and their lines`() throws {
    try folder.write("version: 1\ntargets: []\n", to: "syncmake.lock")
    let reading = try workspace.readLock()
    #expect(workspace.lock == nil)
    #expect(reading.diagnostics.count == 1)
    #expect(reading.lines([2, 0]) == ["targets: []", nil])
  }

  @Test mutating func `work is repeated with the new lock until it stays the same`() throws {
    var readings = 0
    let seen = try workspace.perform {
      readings += 1
      $0.unpinned = [TargetID(0)]
    } _: { workspace throws(RunFault) in
      guard !workspace.unpinned.isEmpty else { throw .lockFileChanged }
      return workspace.unpinned
    }
    #expect(readings == 1)
    #expect(seen == [TargetID(0)])
  }

  @Test mutating func `a lock that keeps changing is given up`() {
    var works = 0
    #expect(throws: RunFault.lockFileChanged) {
      try workspace.perform { _ in
      } _: { _ throws(RunFault) in
        works += 1
        throw .lockFileChanged
      }
    }
    #expect(works == 5)
  }

  @Test mutating func `other faults are not repeated`() {
    var works = 0
    #expect(throws: RunFault.stateChanged) {
      try workspace.perform { _ in
      } _: { _ throws(RunFault) in
        works += 1
        throw .stateChanged
      }
    }
    #expect(works == 1)
  }
}
