import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct ShardNoteTests {
  let box: Sandbox
  private let outputs: [RelativePath]

  init() throws {
    box = try Sandbox()
    outputs = [try RelativePath("a"), try RelativePath("b")]
  }

  private let first = Shard(.number(1), of: 2)
  private let second = Shard(.number(2), of: 2)

  private func note(
    _ partition: String?, after old: ShardNote? = nil, isNew: Bool = false, _ outputs: [RelativePath]? = nil
  )
    -> ShardNote
  {
    ShardNote(continuing: old, partition: partition, outputs: outputs ?? self.outputs, isNew: isNew)
  }

  @Test func `of shards that know one partition only, none reads the state of another one`() {
    let (mine, other) = (note("p", isNew: true), note("p", isNew: true))
    #expect(mine.series == 0 && mine.needsNothing(of: other, in: second.folderName))
    #expect(note("p", after: other) == other)
  }

  @Test func `a state that has served another partition is read once`() throws {
    let other = note("p", after: note("q", isNew: true))
    #expect(other.series != 0)
    var mine = note("p", isNew: true)
    #expect(!mine.needsNothing(of: other, in: second.folderName))
    mine.take(other, of: second.folderName)
    #expect(mine.needsNothing(of: other, in: second.folderName))
    #expect(!mine.needsNothing(of: other, in: "other"))
    // It goes on in this way, until it serves another partition in between.
    #expect(mine.needsNothing(of: note("p", after: other), in: second.folderName))
    let later = note("p", after: note("q", after: other))
    #expect(!mine.needsNothing(of: later, in: second.folderName))
    // For other outputs, all is read again.
    #expect(!note("p", after: mine, [outputs[0]]).needsNothing(of: other, in: second.folderName))
  }

  @Test func `what is taken while another partition is served counts for nothing`() {
    let other = note("q", after: note("r", isNew: true))
    var mine = note("p", isNew: true)
    mine.take(other, of: second.folderName)
    #expect(!mine.needsNothing(of: other, in: second.folderName))
    #expect(!mine.needsNothing(of: note("p", after: other), in: second.folderName))
    mine.take(nil, of: second.folderName)
    #expect(mine.taken.isEmpty)
  }

  @Test func `a shard that makes what belongs to others is always read, and reads all`() {
    let mixed = note(nil, isNew: true)
    #expect(mixed.series != 0)
    #expect(!note("p", isNew: true).needsNothing(of: mixed, in: second.folderName))
    #expect(!mixed.needsNothing(of: note("p", isNew: true), in: second.folderName))
    #expect(!mixed.needsNothing(of: mixed, in: second.folderName))
    #expect(note(nil, after: mixed).series != mixed.series)
  }

  @Test func `a state that was removed begins anew`() {
    var mine = note("p", after: note("q", isNew: true))
    let other = note("p", after: note("q", isNew: true))
    mine.take(other, of: second.folderName)
    let again = note("p", after: mine, isNew: true)
    #expect(again.series != mine.series && again.series != 0 && again.taken.isEmpty)
    #expect(note("p", after: note("p", isNew: true), isNew: true).series == 0)
  }

  @Test func `is written and read, and one that is cut off is none`() throws {
    let folder = try StateFolder(path: ShardFolders.path(of: first, in: box.statePath))
    #expect(ShardNote.read(first, in: box.statePath) == nil)
    let other = note("p", after: note("q", isNew: true))
    var mine = note("p", isNew: true)
    mine.take(other, of: second.folderName)
    try mine.write(in: folder, over: nil)
    #expect(ShardNote.read(first, in: box.statePath) == mine)
    let mixed = note(nil, after: mine)
    try mixed.write(in: folder, over: mine)
    #expect(ShardNote.read(first, in: box.statePath) == mixed)
    // The next one says as much.
    try note(nil, after: mixed).write(in: folder, over: mixed)
    #expect(ShardNote.read(first, in: box.statePath) == mixed)
    let path = folder.path + "/partition"
    let text = try #require(box.text(atPath: path))
    for count in 0..<text.utf8.count {
      try box.put(String(text.prefix(count)), atPath: path)
      #expect(ShardNote.read(first, in: box.statePath) == nil, "\(count)")
    }
    try box.put(text + "more\n", atPath: path)
    #expect(ShardNote.read(first, in: box.statePath) == nil)
  }

  @Test func `the old note is gone although the new one cannot be written`() throws {
    let folder = try StateFolder(path: ShardFolders.path(of: first, in: box.statePath))
    let old = note("p", isNew: true)
    try old.write(in: folder, over: nil)
    // Something that cannot be replaced stands where the new one is prepared.
    try FileManager.default.createDirectory(
      atPath: folder.path + "/partition.new/x", withIntermediateDirectories: true)
    try note("q", after: old).write(in: folder, over: old)
    #expect(ShardNote.read(first, in: box.statePath) == nil)
  }
}
