import Foundation
import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution
@testable import SyncmakeCLI

/// The compiled snapshot finds each change in a folder that the full path finds, and no other.
@Suite struct SnapshotFolderTests {
  enum Change: String, CaseIterable {
    case edited, sameTimes, touched, removed, modeChanged, linked, madeFolder, linkTurned, folderGone,
      folderLinked, emptyGone, allGone, allLinked, allFile
    case listingGone, listingDamaged

    /// Performs it in the output of `world`.
    func perform(in world: SnapshotWorld) throws {
      let (folder, files) = (world.folder, FileManager.default)
      func remove(_ name: String) throws { try files.removeItem(atPath: folder.path(name)) }
      func replaceByLink(_ name: String) throws {
        try files.moveItem(atPath: folder.path(name), toPath: folder.path("moved"))
        symlink(folder.path("moved"), folder.path(name))
      }
      switch self {
      case .edited: try folder.write("THE FIRST\n", to: "out/a")
      case .sameTimes:
        var status = stat()
        stat(folder.path("out/a"), &status)
        let file = open(folder.path("out/a"), O_WRONLY)
        pwrite(file, "T", 1, 0)
        #if canImport(Darwin)
          let times = [status.st_atimespec, status.st_mtimespec]
        #else
          let times = [status.st_atim, status.st_mtim]
        #endif
        futimens(file, times)
        close(file)
      case .touched: utimes(folder.path("out/in/b"), nil)
      case .removed: try remove("out/in/b")
      case .modeChanged: chmod(folder.path("out/in/b"), 0o644)
      case .linked: try replaceByLink("out/a")
      case .madeFolder:
        try remove("out/a")
        mkdir(folder.path("out/a"), 0o755)
      case .linkTurned:
        try remove("out/in/link")
        symlink("../a", folder.path("out/in/link"))
      case .folderGone: try remove("out/in")
      case .folderLinked: try replaceByLink("out/in")
      case .emptyGone: try remove("out/empty")
      case .allGone: try remove("out")
      case .allLinked: try replaceByLink("out")
      case .allFile:
        try remove("out")
        try folder.write("", to: "out")
      case .listingGone: try remove(".syncmake/trees")
      case .listingDamaged:
        for name in try files.contentsOfDirectory(atPath: folder.path(".syncmake/trees")) {
          try folder.write([1, 2, 3], to: ".syncmake/trees/" + name)
        }
      }
    }
  }

  private static let answer = QuickCheck.AllFresh(count: 1, onlyName: TargetName("tree"))

  /// A root whose only target is a folder.
  private func world(_ keys: String = "", unpack: String = "") throws -> SnapshotWorld {
    let world = try SnapshotWorld()
    try world.folder.write(
      """
      version: 1
      targets:
        tree: {url: source/tree.tar, output: out/, freshness: once, steps: [{unpack: {\(unpack)}}]\(keys)}

      """, to: "syncmake.yaml")
    #expect(try world.settle())
    #expect(world.quick() == Self.answer)
    return world
  }

  @Test(arguments: Change.allCases)
  func `a change in a folder is left to the full path`(_ change: Change) throws {
    let world = try world()
    try change.perform(in: world)
    #expect(world.quick() == nil)
    #expect(world.quick(isRun: true) == nil)
  }

  @Test(arguments: [Change.touched, .modeChanged])
  func `a run that finds the recorded bytes leaves a snapshot that answers`(_ change: Change) throws {
    let world = try world()
    try change.perform(in: world)
    if change == .modeChanged {
      // Another bit than that for execution.
      #expect(chmod(world.folder.path("out/in/b"), 0o755) == 0)
    }
    #expect(try world.run())
    #expect(world.quick() == Self.answer)
  }

  @Test(arguments: ["recorded", "all", "none"])
  func `files that nobody recorded are no change, whatever a later run removes`(pruning: String) throws {
    let world = try world(unpack: "prune: \(pruning)")
    try world.folder.write("mine\n", to: "out/mine")
    try world.folder.write("mine\n", to: "out/in/mine")
    #expect(world.quick() == Self.answer)
    #expect(world.quick(isRun: true) == Self.answer)
    #expect(try world.isFreshByPlan() == 1)
  }

  @Test func `a kept edit is no change, a removed file is one`() throws {
    let world = try world(", local_changes: keep")
    try world.folder.write("mine\n", to: "out/a")
    #expect(world.quick() == Self.answer)
    #expect(try world.isFreshByPlan() == 1)
    try FileManager.default.removeItem(atPath: world.folder.path("out/in/b"))
    #expect(world.quick() == nil)
    #expect(try world.isFreshByPlan() == nil)
  }

  @Test func `an interrupted publication is left to the full path`() throws {
    let world = try world()
    let output = try RelativePath("out")
    let shelf = TreeShelf(stateFolder: world.folder.path(".syncmake"))
    var next = try #require(shelf.read(TreeOutputs.key(of: output)).first)
    // The listing of a tree that never took its place, and then one of a tree that did but was not recorded.
    next.folder = 1
    next.entries = TreeEntries(next.entries.dropLast())
    try shelf.write(next, as: TreeOutputs.key(of: output), isNext: true)
    #expect(world.quick() == Self.answer)
    next.folder = shelf.read(TreeOutputs.key(of: output)).last?.folder
    next.signature.inode += 1
    try shelf.write(next, as: TreeOutputs.key(of: output), isNext: true)
    #expect(world.quick() == nil)
  }

  @Test func `a run removes what a killed run left of a listing`() throws {
    let world = try world()
    try world.folder.write("half", to: ".syncmake/trees/x.new")
    #expect(world.quick() == Self.answer)
    #expect(world.folder.exists(".syncmake/trees/x.new"))
    #expect(world.quick(isRun: true) == Self.answer)
    #expect(!world.folder.exists(".syncmake/trees/x.new"))
  }
}
