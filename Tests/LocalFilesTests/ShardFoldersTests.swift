import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct ShardFoldersTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  private let first = Shard(.number(1), of: 2)
  private let sized = Shard(.seed, of: 3, by: .size)

  private func make(_ shards: Shard...) throws {
    for shard in shards { _ = try StateFolder(path: ShardFolders.path(of: shard, in: box.statePath)) }
  }

  @Test func `those that have a folder are found, and nothing else`() throws {
    #expect(ShardFolders.all(in: box.statePath) == [])
    try make(sized, first)
    try box.put("", atPath: box.statePath + "/shards/1-of-1")
    try box.put("", atPath: box.statePath + "/shards/other/x")
    #expect(ShardFolders.all(in: box.statePath) == [first, sized])
  }

  @Test func `clearing keeps downloads that can be resumed, and nothing else`() throws {
    try make(first, sized)
    let path = ShardFolders.path(of: first, in: box.statePath)
    try box.put("x", atPath: path + "/partial/x")
    try box.put("x", atPath: path + "/state.db")
    try box.put("x", atPath: path + "/trees/x")
    ShardFolders.clear(first, in: box.statePath)
    ShardFolders.clear(sized, in: box.statePath)
    #expect(box.names(atPath: path) == ["partial"])
    #expect(box.names(atPath: box.statePath + "/shards") == [first.folderName])
    try FileManager.default.removeItem(atPath: path + "/partial/x")
    ShardFolders.clear(first, in: box.statePath)
    #expect(!FileManager.default.fileExists(atPath: box.statePath + "/shards"))
  }

  @Test func `the folder of all shards is never followed if it is a link`() throws {
    let elsewhere = box.path + "/elsewhere"
    try box.put("mine", atPath: elsewhere + "/1-of-2/file")
    try FileManager.default.createDirectory(atPath: box.statePath, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: box.statePath + "/shards", withDestinationPath: elsewhere)
    #expect(ShardFolders.all(in: box.statePath) == [])
    ShardFolders.clear(first, in: box.statePath)
    #expect(box.text(atPath: elsewhere + "/1-of-2/file") == "mine")
    #expect(throws: FailureCause.outputUnwritable(path: box.statePath + "/shards", .isLink)) {
      try ShardFolders.requireNoLink(in: box.statePath)
    }
  }

  @Test func `a shard's own folder is never followed if it is a link`() throws {
    let elsewhere = box.path + "/elsewhere"
    try box.put("mine", atPath: elsewhere + "/file")
    try make(sized)
    try FileManager.default.createSymbolicLink(
      atPath: ShardFolders.path(of: first, in: box.statePath), withDestinationPath: elsewhere)
    #expect(ShardFolders.all(in: box.statePath) == [sized])
    ShardFolders.clear(first, in: box.statePath)
    #expect(box.text(atPath: elsewhere + "/file") == "mine")
  }
}
