import Foundation
import SyncTestSupport
import Testing

/// Objects of an S3 store, each behind a redirect with a new signature.
@Suite(.waits, .serialized, .enabled(if: S3Store.isHere, "needs rclone (scripts/setup --tests) and python3"))
struct `A store that speaks S3` {
  private func root(_ store: S3Store) throws -> ProgramFolder {
    try ProgramFolder(
      manifest: "version: 1\ntargets:\n  object: {url: \"\(store.url("/bucket/object.bin"))\"}\n")
  }

  private func run(_ root: ProgramFolder) throws -> RunDocument.Target {
    let result = try root.syncmake("-v", "--json", seconds: 60)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(!result.stdout.contains("X-Amz-") && !result.stderr.contains("X-Amz-"), "\(result.stderr)")
    return try #require(try result.document().targets.first)
  }

  @Test func `confirms with a 304 under any signature until the object changes`() throws {
    let store = try S3Store()
    let old = TestData.random(300_000, seed: 41)
    let new = TestData.random(310_000, seed: 42)
    try store.folder.write(old, to: "bucket/object.bin")
    let root = try root(store)

    let first = try run(root)
    #expect(first.outcome == "updated" && first.bytesTransferred == old.count && first.requests == 2)
    #expect(root.folder.read("object.bin") == old)
    for _ in 0..<2 {
      let again = try run(root)
      #expect(again.outcome == "fresh" && again.reason == "not-modified" && again.requests == 2)
      #expect((again.bytesTransferred ?? 0) == 0)
    }
    try store.folder.write(new, to: "bucket/object.bin")
    let changed = try run(root)
    #expect(changed.outcome == "updated" && changed.reason == "validator-changed")
    #expect(root.folder.read("object.bin") == new)
    #expect(try run(root).reason == "not-modified")
  }

  /// rclone answers a range with status 200 and the part only. Such a reply must never become the file.
  @Test func `delivers the whole object after a kill`() throws {
    let store = try S3Store(bandwidth: "1M")
    let content = TestData.random(6_000_000, seed: 43)
    try store.folder.write(content, to: "bucket/object.bin")
    let root = try root(store)
    let broken = try root.start()
    #expect(root.waitForSaved(bytes: 1_000_000))
    broken.send(SIGKILL)
    #expect(broken.wait().signal == SIGKILL)
    let last = try run(root)
    #expect(last.outcome == "updated")
    #expect(last.bytesResumed == 0 && last.httpStatus == 200)
    let isWhole = root.folder.read("object.bin") == content
    #expect(isWhole)
  }
}
