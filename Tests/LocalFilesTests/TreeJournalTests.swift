import Foundation
import SyncModel
import Testing

@testable import LocalFiles
@testable import Platform

/// If two folders cannot be exchanged.
@Suite struct `The change of a folder by a journal` {
  typealias Items = [(String, TreeFixture.Item)]

  private static let before: Items = [
    ("a", .file("one")), ("same", .file("same")), ("gone/b", .file("two")), ("f", .file("three")),
    ("t/u", .file("four")), ("hollow", .folder),
  ]
  private static let after: Items = [
    ("a", .file("1")), ("same", .file("same")), ("f/g", .file("3")), ("t", .file("4")), ("new", .link("a")),
    ("void/void", .folder),
  ]
  private static let content = [
    "a": "1", "same": "same", "f/g": "3", "t": "4", "new": "-> a", "void/void": "/", "mine": "mine",
  ]

  @Test(arguments: 0...5) func `is completed by the next run`(done: Int) throws {
    let tree = try TreeFixture()
    try tree.publish(Self.before)
    try tree.put("mine", "mine")
    let staged = try tree.staged(Self.after)
    let journal = TreeJournal(
      output: tree.output, staged: staged.name,
      removals: try ["gone/b", "f", "t/u"].map(tree.removal),
      emptied: ["t", "hollow", "gone"].map { Array($0.utf8) },
      replaced: [try tree.replaced("a")]
        + ["f/g", "t", "new"].map { .init(path: Array($0.utf8), signature: nil) })
    try journal.write(TreeFixture.key, in: tree.box.state)
    let trees = tree.box.statePath + "/trees/"
    try tree.box.put("next", atPath: trees + TreeFixture.key + ".next")
    try tree.box.put("present", atPath: trees + TreeFixture.key)
    #expect(TreeJournal.read(TreeFixture.key, in: tree.box.state) == journal)
    #expect(StagedTree.journals(in: tree.box.state) == [TreeFixture.key])
    staged.isOpen = false
    // A killed run came so far.
    let from = tree.box.statePath + "/staging/\(staged.name.text)/"
    if done > 0 { unlink(tree.at("gone/b")) }
    if done > 1 { unlink(tree.at("f")) }
    if done > 2 { rmdir(tree.at("gone")) }
    if done > 3 { #expect(rename(from + "a", tree.at("a")) == 0) }
    if done > 4 {
      try journal.complete(in: tree.box.state, root: tree.box.root)
    }
    tree.box.state.clearStaging(root: tree.box.root)
    func isUnfinished(_ output: RelativePath) -> Bool {
      StagedTree.hasJournal(of: output, key: TreeFixture.key, statePath: tree.box.statePath)
    }
    #expect(isUnfinished(tree.output) && !isUnfinished(.path("vendor")))
    #expect(
      try StagedTree.finishJournal(
        of: tree.output, key: TreeFixture.key, in: tree.box.state, root: tree.box.root)
    )
    #expect(!isUnfinished(tree.output))
    #expect(tree.content() == Self.content)
    #expect(tree.box.stagingNames == [])
    #expect(StagedTree.journals(in: tree.box.state) == [])
    #expect(tree.box.names(atPath: trees) == [TreeFixture.key])
    for ending in [".next.new", ".journal.new"] {
      try tree.box.put("half", atPath: trees + TreeFixture.key + ending)
    }
    StagedTree.clearUnfinished(in: tree.box.state)
    #expect(tree.box.names(atPath: trees) == [TreeFixture.key])
    #expect(tree.box.text(atPath: trees + TreeFixture.key) == "next")
    #expect(
      try !StagedTree.finishJournal(
        of: tree.output, key: TreeFixture.key, in: tree.box.state, root: tree.box.root)
    )
  }

  @Test func `is not completed from a journal that is damaged or another folder's`() throws {
    let tree = try TreeFixture()
    try tree.publish(Self.before)
    let content = tree.content()
    let journal = TreeJournal(
      output: tree.output, staged: FileName("tree-x".utf8),
      removals: [try tree.removal("a")], emptied: [])
    try journal.write(TreeFixture.key, in: tree.box.state)
    let path = tree.box.statePath + "/trees/\(TreeFixture.key).journal"
    let whole = try #require(FileManager.default.contents(atPath: path))
    func isFinished(_ output: RelativePath) throws -> Bool {
      try StagedTree.finishJournal(of: output, key: TreeFixture.key, in: tree.box.state, root: tree.box.root)
    }
    #expect(try !isFinished(.path("vendor")))
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 1 << UInt8(index % 8)
      try damaged.write(to: URL(fileURLWithPath: path))
      #expect(try !isFinished(tree.output), "byte \(index)")
      try whole[..<index].write(to: URL(fileURLWithPath: path))
      #expect(try !isFinished(tree.output), "\(index) bytes")
    }
    #expect(tree.content() == content)
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(try isFinished(tree.output))
    #expect(tree.text("a") == nil)
  }

  @Test func `is completed twice without harm to what came between`() throws {
    let tree = try TreeFixture()
    try tree.publish(Self.before)
    let journal = TreeJournal(
      output: tree.output, staged: FileName("tree-x".utf8),
      removals: try ["gone/b", "t/u"].map(tree.removal),
      emptied: ["t", "gone"].map { Array($0.utf8) })
    try journal.write(TreeFixture.key, in: tree.box.state)
    try journal.complete(in: tree.box.state, root: tree.box.root)
    #expect(tree.text("gone/b") == nil)
    for path in ["gone/b", "t/u"] { try tree.put("mine", path) }
    #expect(
      try StagedTree.finishJournal(
        of: tree.output, key: TreeFixture.key, in: tree.box.state, root: tree.box.root))
    #expect(tree.text("gone/b") == "mine" && tree.text("t/u") == "mine")
  }

  @Test func `keeps the edits that came after a kill, and files in new places`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("1")), ("b", .file("2"))])
    let staged = try tree.staged([("a", .file("one")), ("b", .file("two")), ("c", .file("three"))])
    let journal = TreeJournal(
      output: tree.output, staged: staged.name, removals: [], emptied: [],
      replaced: try ["a", "b"].map(tree.replaced) + [.init(path: Array("c".utf8), signature: nil)])
    try journal.write(TreeFixture.key, in: tree.box.state)
    #expect(TreeJournal.read(TreeFixture.key, in: tree.box.state) == journal)
    staged.isOpen = false
    for path in ["b", "c"] { try tree.put("mine", path) }
    #expect(
      try StagedTree.finishJournal(
        of: tree.output, key: TreeFixture.key, in: tree.box.state, root: tree.box.root))
    #expect(tree.content() == ["a": "one", "b": "mine", "c": "mine"])
    #expect(tree.box.stagingNames == [])
  }

  @Test func `shows an edit that comes while it is completed as one`() throws {
    let tree = try TreeFixture(byJournal: true)
    try tree.publish([("a", .file("1")), ("b", .file("2"))])
    let staged = try tree.staged([("a", .file("one")), ("b", .file("two"))])
    let prepared = try staged.prepare()
    let journal = TreeJournal(
      output: tree.output, staged: staged.name, removals: [], emptied: [],
      replaced: try ["a", "b"].map(tree.replaced))
    try tree.put("mine", "b")
    #expect(try journal.complete(in: tree.box.state, root: tree.box.root) == [Array("b".utf8)])
    tree.listing = prepared
    #expect(tree.content() == ["a": "one", "b": "mine"])
    staged.isOpen = false
  }

  @Test(arguments: ["../outside", "a/../../outside", "..", "", "."])
  func `is none if a path leads out of the folder`(path: String) throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("1"))])
    for isRemoval in [false, true] {
      let signature = try tree.removal("a").signature
      let journal = TreeJournal(
        output: tree.output, staged: FileName("tree-x".utf8),
        removals: isRemoval ? [.init(path: Array(path.utf8), signature: signature)] : [],
        emptied: isRemoval ? [] : [Array(path.utf8)])
      try journal.write(TreeFixture.key, in: tree.box.state)
      #expect(TreeJournal.read(TreeFixture.key, in: tree.box.state) == nil)
    }
  }

  @Test func `removes a file of which only the ctime has changed`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("1")), ("b", .file("2")), ("c", .file("3"))])
    let journal = TreeJournal(
      output: tree.output, staged: FileName("tree-x".utf8), removals: try ["a", "b"].map(tree.removal),
      emptied: [])
    #expect(chmod(tree.at("a"), 0o600) == 0)
    try tree.put("4", "b")
    try journal.complete(in: tree.box.state, root: tree.box.root)
    #expect(tree.content() == ["b": "4", "c": "3"])
  }

  @Test func `removes whole folders, but not what comes into them later`() throws {
    let tree = try TreeFixture(byJournal: true)
    try tree.publish([("a", .file("1"))])
    for path in ["more/b", "more/c/d", "more/c/e/f"] { try tree.put("mine", path) }
    tree.rules.pruning = .all
    let staged = try tree.staged([("a", .file("2"))])
    tree.listing = try staged.publish(over: tree.observed(), byJournal: true) { _ in
      // The journal is written after this, so this one is removed, too.
      try? tree.put("mine", "more/c/early")
    }
    #expect(tree.content() == ["a": "2"])
    try tree.put("mine", "more/c/d")
    let journal = TreeJournal(
      output: tree.output, staged: FileName("tree-x".utf8), removals: [try tree.removal("more/c/d")],
      emptied: ["more/c", "more"].map { Array($0.utf8) })
    try tree.put("mine", "more/late")
    try journal.complete(in: tree.box.state, root: tree.box.root)
    #expect(tree.content() == ["a": "2", "more/late": "mine"])
  }

  @Test func `leaves no journal that is damaged or has another form`() throws {
    let tree = try TreeFixture()
    try tree.publish(Self.before)
    let journal = TreeJournal(
      output: tree.output, staged: FileName("tree-x".utf8), removals: [try tree.removal("a")], emptied: [])
    try journal.write(TreeFixture.key, in: tree.box.state)
    let path = tree.box.statePath + "/trees/\(TreeFixture.key).journal"
    var bytes = try #require(FileManager.default.contents(atPath: path))
    StagedTree.clearUnfinished(in: tree.box.state)
    #expect(StagedTree.journals(in: tree.box.state) == [TreeFixture.key])

    // Forms of other versions, with a right sum.
    func sealed(_ text: String, _ other: String) throws -> Data {
      let fields = String(decoding: bytes[...(bytes.lastIndex(of: 0)!)], as: UTF8.self)
      try #require(fields.contains(text))
      let changed = Array(fields.replacing(text, with: other, maxReplacements: 1).utf8)
      var hash = StableHash()
      hash.add(changed)
      return Data(changed + Array(String(hash.value, radix: 16).utf8))
    }
    try sealed("\0r", "\0r").write(to: URL(fileURLWithPath: path))
    StagedTree.clearUnfinished(in: tree.box.state)
    #expect(StagedTree.journals(in: tree.box.state) == [TreeFixture.key])
    // The version before had the same fields but for what is replaced.
    try sealed("journal 3", "journal 2").write(to: URL(fileURLWithPath: path))
    #expect(TreeJournal.read(TreeFixture.key, in: tree.box.state) == journal)
    for (text, other) in [
      ("journal 3", "journal 1"), ("journal 3", "journal 4"), ("\0r", "\0a"), ("\0r", "\0rx"),
    ] {
      try sealed(text, other).write(to: URL(fileURLWithPath: path))
      #expect(TreeJournal.read(TreeFixture.key, in: tree.box.state) == nil)
      StagedTree.clearUnfinished(in: tree.box.state)
      #expect(StagedTree.journals(in: tree.box.state) == [])
    }

    bytes[7] ^= 1
    for damaged in [bytes, bytes.prefix(20), Data()] {
      try damaged.write(to: URL(fileURLWithPath: path))
      StagedTree.clearUnfinished(in: tree.box.state)
      #expect(StagedTree.journals(in: tree.box.state) == [])
    }
  }

  @Test(arguments: [LocalChanges.refuse, .overwrite])
  func `is not begun over edits of the last moment, unless they are to be replaced`(
    edits: LocalChanges
  ) throws {
    let tree = try TreeFixture()
    try tree.publish(["a", "d/b", "gone", "written"].map { ($0, .file("old " + $0)) })
    tree.edits = edits
    let staged = try tree.staged(
      [("a", .file("old a"))] + ["d/b", "written"].map { ($0, .file("new " + $0)) })
    func publish() throws {
      tree.listing = try staged.publish(over: tree.observed(), byJournal: true) { _ in
        for path in ["d/b", "gone"] {
          try? tree.put("edit of " + path, "temporary")
          _ = rename(tree.at("temporary"), tree.at(path))
        }
        try? FileHandle(forWritingTo: URL(fileURLWithPath: tree.at("written")))
          .write(contentsOf: Data("edit".utf8))
      }
    }
    guard edits == .refuse else {
      try publish()
      #expect(tree.content() == ["a": "old a", "d/b": "new d/b", "written": "new written"])
      return
    }
    #expect(throws: FailureCause.filesModified(paths: ["d/b", "gone", "written"], count: 3)) { try publish() }
    staged.discard()
    #expect(
      tree.content()
        == ["a": "old a", "d/b": "edit of d/b", "gone": "edit of gone", "written": "editwritten"])
    #expect(StagedTree.journals(in: tree.box.state) == [])
    #expect(tree.box.stagingNames == [])
  }

  @Test func `is not begun if its first step fails`() throws {
    let tree = try TreeFixture(byJournal: true)
    let staged = try tree.staged([("a", .file("1"))])
    #expect(throws: FailureCause.self) {
      try staged.publish(over: tree.observed(), byJournal: true) { _ in
        // No folder can be made in a file.
        _ = rmdir(tree.box.at("vendor"))
        try? tree.box.put("mine", at: "vendor")
      }
    }
    #expect(!staged.isBegun)
    #expect(StagedTree.journals(in: tree.box.state) == [])
    staged.discard()
    #expect(tree.box.stagingNames == [])
    #expect(tree.box.text("vendor") == "mine")
  }

  #if os(Linux)
    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `is not begun on a read-only file system`() throws {
      let box = try Sandbox(statePath: otherDevice + "/localfiles-\(UUID().uuidString)")
      let tree = try TreeFixture(box: box)
      try tree.publish(Self.before)
      let staged = try tree.staged(Self.after)
      let folder = tree.box.at("vendor/docs")
      try #require(try run("/bin/mount", "--bind", folder, folder) == 0)
      defer { _ = try? run("/bin/umount", "-l", folder) }
      try #require(try run("/bin/mount", "-o", "remount,ro,bind", folder) == 0)
      #expect(throws: FailureCause.self) { try staged.publish(over: tree.observed()) { _ in } }
      #expect(!staged.isBegun)
      #expect(StagedTree.journals(in: tree.box.state) == [])
    }

    @Test func `is made file by file on another device`() throws {
      let box = try Sandbox(statePath: otherDevice + "/localfiles-\(UUID().uuidString)")
      let tree = try TreeFixture(box: box)
      try tree.publish(Self.before)
      #expect(tree.isInOrder)
      let kept = try tree.identity("same")
      try tree.put("mine", "mine")
      try tree.publish(Self.after)
      #expect(tree.content() == Self.content)
      #expect(try tree.identity("same") == kept)
      #expect(tree.isInOrder)
      #expect(box.stagingNames == [])
    }

    @Test func `on another device no name is reserved, neither for users nor for archives`() throws {
      let box = try Sandbox(statePath: otherDevice + "/localfiles-\(UUID().uuidString)")
      let tree = try TreeFixture(box: box)
      try tree.publish([("a", .file("1"))])
      try tree.put("mine", ".syncmake-tree")
      try tree.publish([("a", .file("2"))])
      #expect(tree.content() == ["a": "2", ".syncmake-tree": "mine"])
      let other = try TreeFixture(box: Sandbox(statePath: otherDevice + "/localfiles-\(UUID().uuidString)"))
      try other.publish([(".syncmake-tree", .file("its own")), ("a", .file("1"))])
      #expect(other.content() == ["a": "1", ".syncmake-tree": "its own"])
      #expect(other.isInOrder)
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `is made file by file in a mounted folder`() throws {
      let tree = try TreeFixture()
      try tree.publish(Self.before)
      let folder = tree.box.at("vendor/docs")
      try #require(try run("/bin/mount", "--bind", folder, folder) == 0)
      defer { _ = try? run("/bin/umount", "-l", tree.box.at("vendor/docs")) }
      let kept = try tree.identity("same")
      try tree.put("mine", "mine")
      try tree.publish(Self.after)
      #expect(tree.content() == Self.content)
      #expect(try tree.identity("same") == kept)
      #expect(tree.isInOrder)
      #expect(tree.box.stagingNames == [])
    }
  #endif
}
