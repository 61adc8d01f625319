import SyncModel
import Testing

@Suite struct `The entries of a folder` {
  private static let digest = CompactDigest(HexDigest(bytes: (0..<32).map { $0 &* 7 }))
  private static let signature = FileSignature(
    size: 3, modified: Timestamp(nanoseconds: 4), changed: Timestamp(nanoseconds: 5), inode: 6)

  private static let sample: [TreeListing.Entry] = [
    .init(
      path: Array("b/x".utf8), kind: .file(sha256: digest, isExecutable: true), size: 3, signature: signature),
    .init(path: Array("b".utf8), kind: .link(target: [0xFF, 0x2F])),
    .init(path: [], kind: .folder),
    .init(
      path: Array("a longer path than a word".utf8), kind: .file(sha256: .zero, isExecutable: false), size: 1),
    .init(path: Array("a longer path than a wore".utf8), kind: .folder),
  ]

  @Test func `are what was added`() {
    let entries = TreeEntries(Self.sample)
    #expect(Array(entries) == Self.sample)
    #expect(Array(entries.paths) == Self.sample.map(\.path))
    #expect((entries.fileCount, entries.size) == (3, 4))
    #expect(Self.digest.hex == HexDigest(bytes: (0..<32).map { $0 &* 7 }))
  }

  @Test func `are sorted by the bytes of their paths`() {
    let entries = TreeEntries(Self.sample).sorted(without: [2])
    #expect(entries.map(\.path) == [3, 4, 1, 0].map { Self.sample[$0].path })
    #expect(entries.map(\.kind) == [3, 4, 1, 0].map { Self.sample[$0].kind })
    let all = TreeEntries(Self.sample).sorted()
    for entry in Self.sample {
      let place = all.place(of: entry.path)
      #expect(place.map { all[$0] } == entry)
    }
    #expect(all.place(of: Array("a longer path than a wor".utf8)) == nil)
    #expect(all.place(of: Array("c".utf8)) == nil)
  }

  @Test func `sort random paths as lists of bytes do`() {
    for _ in 0..<200 {
      let paths = (0..<20).map { _ in (0..<Int.random(in: 0...20)).map { _ in UInt8.random(in: 0x61...0x62) }
      }
      let entries = TreeEntries(paths.map { TreeListing.Entry(path: $0, kind: .folder) }).sorted()
      #expect(Array(entries.paths) == paths.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }

  @Test func `are replaced at their paths`() {
    var entries = TreeEntries(Self.sample)
    entries.replace(1, .file(sha256: Self.digest, isExecutable: false), size: 9, Self.signature)
    entries.replace(0, .link(target: [1]), size: 0, nil)
    #expect(
      entries[1]
        == .init(
          path: Array("b".utf8), kind: .file(sha256: Self.digest, isExecutable: false), size: 9,
          signature: Self.signature))
    #expect(entries[0] == .init(path: Array("b/x".utf8), kind: .link(target: [1])))
    #expect(Array(entries.dropFirst(2)) == Array(Self.sample.dropFirst(2)))
  }

  @Test func `are equal whether signatures were taken away or never there`() {
    let bare = Self.sample.map { TreeListing.Entry(path: $0.path, kind: $0.kind, size: $0.size) }
    var entries = TreeEntries(Self.sample)
    #expect(entries != TreeEntries(bare))
    #expect(entries.withoutSignatures == TreeEntries(bare))
    entries.set(nil, at: 0)
    #expect(entries == TreeEntries(bare))
  }

  @Test func `tell how a new tree differs`() {
    func entries(_ text: String) -> TreeEntries {
      TreeEntries(
        text.split(separator: " ").map { name in
          TreeListing.Entry(
            path: Array(name.utf8), kind: name.hasPrefix("dir") ? .folder : .link(target: [1]))
        })
    }
    let (old, new) = (entries("a b c d dir1 dir2"), entries("a b dir1 dir2 e f"))
    func changes(_ pruning: TreePruning) -> TreeChanges {
      TreeChanges(
        of: new, since: old, pruning,
        staying: [Array("d".utf8), Array("a".utf8), Array("dir1".utf8), Array("z".utf8)]
      ) { $0 != 0 }
    }
    // `a` is as it was, `b` was written, `c` goes, `d` stays, `e` and `f` are new.
    var expected = TreeChanges()
    (expected.added, expected.changed, expected.removed, expected.kept) = (2, 1, 1, 2)
    #expect(changes(.recorded) == expected)
    (expected.removed, expected.kept) = (0, 3)
    #expect(changes(.none) == expected)
  }
}

extension TreeEntries {
  fileprivate func place(of path: [UInt8]) -> Int? {
    unsafe path.withUnsafeBytes { unsafe place(of: $0) }
  }
}
