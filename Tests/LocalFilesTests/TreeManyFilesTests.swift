import Foundation
import SyncModel
import Testing

@testable import LocalFiles
@testable import Platform

@Suite struct `A folder output with many files` {
  typealias Items = [(String, TreeFixture.Item)]

  /// Who takes part beside the thread that adds files.
  enum Help: CaseIterable {
    case none
    /// The helper is busy with other work until the end.
    case never
    case atOnce
    case beside

    var helper: Helper? {
      switch self {
      case .none: nil
      case .never: { _ in }
      case .atOnce: { $0() }
      case .beside: { work in Thread.detachNewThread { work() } }
      }
    }
  }

  private static func fixture(_ help: Help, byJournal: Bool = false) throws -> TreeFixture {
    let tree = try TreeFixture(byJournal: byJournal)
    tree.helper = help.helper
    if help == .beside {
      tree.sharing = { job in DispatchQueue.concurrentPerform(iterations: 3) { _ in job() } }
    }
    return tree
  }

  /// `edition` is in the text of every hundredth file.
  private static func items(_ range: Range<Int>, edition: Int = 1) -> Items {
    range.map { number in
      let text = String(repeating: "\(number) ", count: number % 50 == 0 ? 20_000 : 5)
      return (
        "d\(number % 9)/f\(number)",
        .file(text + (number % 100 == 0 ? "\(edition)" : ""), mode: number % 7 == 0 ? 0o755 : 0o644)
      )
    }
  }

  private static func content(_ items: Items) -> [String: String] {
    var content: [String: String] = [:]
    for case (let path, .file(let text, _, _)) in items { content[path] = text }
    return content
  }

  @Test func `stops in the middle of a hard link's copy`() throws {
    let fixture = try TreeFixture()
    let tree = try fixture.staged([("a", .file(String(repeating: "x", count: 1 << 20)))])
    var asked = 0
    #expect(throws: FailureCause.internalError("cancelled")) {
      try tree.addHardLink(Array("b".utf8), to: Array("a".utf8)) {
        asked += 1
        return asked == 2
      }
    }
    #expect(asked == 2)
    withExtendedLifetime(fixture) {}
  }

  @Test(arguments: Help.allCases, [false, true])
  func `has each file of the archive, and keeps those that stay`(_ help: Help, byJournal: Bool) throws {
    let tree = try Self.fixture(help, byJournal: byJournal)
    try tree.publish(Self.items(0..<1500))
    #expect(tree.content() == Self.content(Self.items(0..<1500)))
    for number in [0, 7, 8, 777] {
      let mode: UInt16 = number % 7 == 0 ? 0o755 : 0o644
      let path = "vendor/docs/d\(number % 9)/f\(number)"
      #expect(tree.box.mode(path) == mode & ~UInt16(tree.box.root.umask), "\(path)")
    }
    #expect(tree.isInOrder)
    let unchanged = (0..<1400).filter { $0 % 100 != 0 }.map { "d\($0 % 9)/f\($0)" }
    let kept = try unchanged.map(tree.identity)
    try tree.put("mine", "d1/own")

    try tree.publish(Self.items(0..<1400, edition: 2))
    let expected = Self.content(Self.items(0..<1400, edition: 2)).merging(["d1/own": "mine"]) { $1 }
    #expect(tree.content() == expected)
    #expect(try unchanged.map(tree.identity) == kept)
    #expect(tree.changes == .of(added: 0, changed: 14, removed: 100, kept: 1386))
    #expect(tree.isInOrder)
    #expect(tree.box.stagingNames == [])
  }

  @Test(arguments: Help.allCases)
  func `has the last of two entries with one path, and copies for hard links`(_ help: Help) throws {
    let tree = try Self.fixture(help)
    let items = Self.items(0..<200)
    try tree.publish(
      items + [
        ("d3/f3", .file("again")), ("d4/f4", .link("f3")), ("copy", .hardLink("d3/f3")),
        ("other", .hardLink("d5/f5")),
      ])
    var expected = Self.content(items)
    (expected["d3/f3"], expected["d4/f4"], expected["copy"]) = ("again", "-> f3", "again")
    expected["other"] = expected["d5/f5"]
    #expect(tree.content() == expected)
  }

  @Test(arguments: Help.allCases)
  func `is refused with the path of the file that cannot be written`(_ help: Help) throws {
    let tree = try Self.fixture(help)
    let long = "d1/" + String(repeating: "n", count: 300)
    let items = Self.items(0..<150) + [(long, .file("text"))] + Self.items(150..<300)
    let error = #expect(throws: FailureCause.self) { try tree.staged(items) }
    #expect("\(try #require(error))".contains("vendor/docs/\(long)"))
    #expect(tree.box.stagingNames == [])
    #expect(tree.content() == [:])
  }

  @Test(arguments: Help.allCases) func `has nothing of an attempt that began anew`(_ help: Help) throws {
    let tree = try Self.fixture(help)
    let staged = try StagedTree(tree.order, in: tree.box.state, root: tree.box.root)
    if let helper = tree.helper { staged.use(helper) }
    for case (let path, .file(let text, _, _)) in Self.items(0..<300) {
      try staged.add(Array(path.utf8), Array(text.utf8))
    }
    try staged.restart()
    try tree.fill(staged, Self.items(290..<330))
    _ = try staged.publish(over: tree.observed()) { _ in }
    #expect(tree.content() == Self.content(Self.items(290..<330)))
  }

  @Test(arguments: Help.allCases, [false, true])
  func `gives what is new in each folder the group that this one hands on`(_ help: Help, byJournal: Bool)
    throws
  {
    // Only root may give any group.
    guard geteuid() == 0 else { return }
    let tree = try Self.fixture(help, byJournal: byJournal)
    let names = ["d", "s"].flatMap { folder in (0..<20).map { "\(folder)/\($0)" } }
    try tree.publish([("d/a", .file("one")), ("s/a", .file("one"))])
    chown(tree.box.at("vendor/docs"), uid_t.max, 1)
    chmod(tree.box.at("vendor/docs"), 0o2755)
    for (folder, mode) in [("d", 0o755), ("s", 0o2755)] {
      chown(tree.at(folder), uid_t.max, 2)
      chmod(tree.at(folder), mode_t(mode))
    }
    try tree.publish(names.map { ($0, .file("two")) })
    for name in names {
      let group = try FileStatus(tree.at(name), in: AT_FDCWD).group
      #expect(group == (name.hasPrefix("s") ? 2 : getegid()), "\(name)")
    }
    for (folder, mode) in [("d", 0o755), ("s", 0o2755)] {
      let status = try FileStatus(tree.at(folder), in: AT_FDCWD)
      #expect(status.group == 2 && status.mode == mode_t(mode), "\(folder)")
    }
  }
}
