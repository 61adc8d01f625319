import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

@Suite struct HostileArchiveTests {
  /// A line of the generator's list.
  private struct Hostile {
    var name: String
    var kind: String
    var code: String
  }

  private func archives(in folder: TemporaryFolder) throws -> [Hostile] {
    let script = TestTools.path("hostile-archives.py")
    let result = try runProcess("/usr/bin/env", ["python3", script, folder.path], timeoutSeconds: 60)
    try #require(result.status == 0, "\(result.stderr)")
    let list = String(decoding: try #require(folder.read("list.tsv")), as: UTF8.self)
    return list.split(separator: "\n").map { line in
      let words = line.split(separator: "\t").map(String.init)
      return Hostile(name: words[0], kind: words[1], code: words[2])
    }
  }

  @Test func `every hostile archive is refused with its code`() throws {
    let folder = try TemporaryFolder()
    let all = try archives(in: folder)
    #expect(all.count >= 80 && Set(all.map(\.kind)).count >= 25)
    let workshop = try Workshop()
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    let rules = UnpackRules(entry: try PathPattern("want"))
    for hostile in all {
      var spec = PipelineSpec(steps: [.unpack(rules, name: hostile.name)])
      spec.scratch = workshop.state
      let course = Course(spec, output: try workshop.staged(), pool: pool)
      try course.push(try #require(folder.read(hostile.name)), pieces: 1_000)
      let cause = try course.finish().cause
      #expect(
        cause?.code.rawValue == hostile.code, "\(hostile.name): \(cause.map { "\($0)" } ?? "it was unpacked")"
      )
    }
  }

  @Test func `no hostile archive becomes a folder, or writes outside of the state folder`() throws {
    let folder = try TemporaryFolder()
    let workshop = try Workshop()
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    for hostile in try archives(in: folder) where hostile.code != "entry-missing" {
      let tree = try StagedTree(
        StagedTree.Order(
          output: try RelativePath("out"), key: "key", rules: TreeRules(), old: nil, edits: .refuse),
        in: workshop.state, root: workshop.root)
      var spec = PipelineSpec(steps: [.unpack(UnpackRules(.folder(TreeRules())), name: hostile.name)])
      spec.scratch = workshop.state
      spec.tree = tree
      let course = Course(spec, pool: pool)
      try course.push(try #require(folder.read(hostile.name)), pieces: 1_000)
      let cause = try course.finish().cause
      #expect(
        cause?.code.rawValue == hostile.code, "\(hostile.name): \(cause.map { "\($0)" } ?? "it was unpacked")"
      )
      tree.discard()
    }
    let left = FileManager.default.subpaths(atPath: workshop.path) ?? []
    #expect(left.filter { $0.contains("staging/") } == [])
    #expect(left.allSatisfy { $0.hasPrefix(".syncmake") }, "\(left)")
  }
}
