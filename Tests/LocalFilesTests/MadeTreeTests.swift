import SyncModel
import Testing

@testable import LocalFiles

@Suite struct `What is made of an archive` {
  private static func signature(_ number: Int) -> FileSignature {
    FileSignature(
      size: Int64(number), modified: Timestamp(nanoseconds: 0), changed: Timestamp(nanoseconds: 0),
      inode: UInt64(number))
  }

  private static func file(_ number: Int) -> StagedTree.Made {
    let digest = CompactDigest(HexDigest(bytes: (0..<32).map { _ in UInt8(truncatingIfNeeded: number) }))
    return StagedTree.Made(
      kind: .file(sha256: digest, isExecutable: number % 2 == 0), size: Int64(number),
      mode: UInt16(number % 512),
      modified: number % 3 == 0 ? nil : Timestamp(nanoseconds: Int64(number)),
      source: number % 5 == 0 ? .live(signature(number)) : .staged)
  }

  @Test func `agrees with a dictionary`() throws {
    var (made, model) = (MadeTree(), [[UInt8]: Int]())
    for number in 0..<3_000 {
      let path = Array("folder/\(Int.random(in: 0..<1_000))".utf8)
      let dropped = made.drop(path)
      #expect(dropped?.size == model[path].map(Int64.init))
      #expect(made[path] == nil)
      model[path] = nil
      #expect(made.count == model.count)
      made.add(path, Self.file(number))
      model[path] = number
    }
    #expect(made.count == model.count)
    for (path, number) in model {
      let (found, expected) = (try #require(made[path]), Self.file(number))
      #expect((found.kind, found.size, found.mode) == (expected.kind, expected.size, expected.mode))
      #expect(found.modified == expected.modified)
    }
    let lost = try #require(model.keys.first)
    _ = made.drop(lost)
    model[lost] = nil
    made.complete(with: [Array("empty".utf8), Array("folder/inner".utf8)])
    #expect(made.count == model.count)
    #expect(made.place(of: Array("empty".utf8)) == nil)
    #expect(made.entries.count == model.count + 2)
    #expect(Array(made.entries.paths) == made.entries.paths.sorted { $0.lexicographicallyPrecedes($1) })
    for place in made.files {
      let path = made.entries.path(at: place)
      let number = try #require(model[path])
      #expect(made.place(of: path) == place)
      #expect(made.live(place) == (number % 5 == 0 ? Self.signature(number) : nil))
      #expect(made.isStaged(path) == (number % 5 != 0))
    }
  }
}
