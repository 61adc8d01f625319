import SyncModel
import Testing

@testable import ManifestParsing

@Suite struct `Outputs that conflict` {
  private func conflicts(_ paths: [String]) -> [[Int]] {
    OutputConflict.find(paths.map { try? RelativePath($0) }).map { [$0.first, $0.second] }.sorted {
      $0[1] < $1[1]
    }
  }

  @Test(
    arguments: [
      (["a", "b", "a/"], []), (["a", "a"], [[0, 1]]), (["a", "a", "a"], [[0, 1], [0, 2]]),
      (["a", "a-b", "a/b"], [[0, 2]]), (["a/b/c", "a-b", "a"], [[0, 2]]), (["ab", "a/b"], []),
      (["a/b", "a/c", "a.d", "a"], [[0, 3], [1, 3]]), (["é", "e\u{301}"], []),
    ] as [([String], [[Int]])])
  func `are found wherever they are`(paths: [String], expected: [[Int]]) {
    #expect(conflicts(paths) == expected)
  }

  @Test func `are the same as a simple search finds`() {
    var random = SplitMix(state: 7)
    for _ in 0..<500 {
      let paths = (0..<12).map { _ in
        (0...Int(random.next() % 3)).map { _ in ["a", "b", "a-", "a."][Int(random.next() % 4)] }.joined(
          separator: "/")
      }
      var touched: Set<Int> = []
      for second in paths.indices {
        for first in paths.indices where first != second {
          let (a, b) = (paths[first], paths[second])
          if a == b || b.hasPrefix(a + "/") { touched.formUnion([first, second]) }
        }
      }
      #expect(Set(conflicts(paths).flatMap(\.self)) == touched, "\(paths)")
    }
  }

  /// More than one table of hashes takes.
  @Test(
    arguments: [(nil, []), ("3/f9", [[9, 20_000]]), ("5/f11/x/y", [[11, 20_000]]), ("x", [])]
      as [(String?, [[Int]])])
  func `are found among many`(last: String?, expected: [[Int]]) {
    let paths = (0..<20_000).map { "\($0 % 6)/f\($0)" } + (last.map { [$0] } ?? [])
    #expect(conflicts(paths) == expected)
  }
}
