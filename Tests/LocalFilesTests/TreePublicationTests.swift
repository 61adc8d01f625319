import Foundation
import SyncModel
import Testing

@testable import LocalFiles
@testable import Platform

@Suite struct `A folder output` {
  typealias Items = [(String, TreeFixture.Item)]

  @Test(arguments: [false, true])
  func `gets the archive's files, links and empty folders`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    let listing = try tree.publish([
      ("bin/tool", .file("run", mode: 0o755)), ("a b/ü.txt", .file("text")), ("empty/sub", .folder),
      ("full", .folder), ("full/x", .file("")), ("link", .link("full/x")), ("copy", .hardLink("bin/tool")),
    ])
    #expect(
      tree.content() == [
        "bin/tool": "run", "a b/ü.txt": "text", "empty/sub": "/", "full/x": "", "link": "-> full/x",
        "copy": "run",
      ])
    #expect(
      listing.entries.map { String(decoding: $0.path, as: UTF8.self) } == [
        "a b/ü.txt", "bin/tool", "copy", "empty/sub", "full/x", "link",
      ])
    #expect(listing.entries[1].kind == listing.entries[2].kind)
    #expect(listing.signature.size == 10)
    #expect(tree.box.mode("vendor/docs/bin/tool") == 0o755 & ~UInt16(tree.box.root.umask))
    #expect(tree.box.mode("vendor/docs/full/x") == 0o644 & ~UInt16(tree.box.root.umask))
    #expect(try tree.identity("copy") != tree.identity("bin/tool"))
    #expect(tree.isInOrder)
    #expect(tree.box.stagingNames == [])
    #expect(tree.changes.added == 6 - 1 && tree.changes.total == 5)
  }

  @Test func `is not made of a live file that is edited while it is compared`() throws {
    let tree = try TreeFixture()
    let large = Array(String(repeating: "0123456789abcdef", count: 200_000).utf8)
    try tree.publish([("big", .file(String(decoding: large, as: UTF8.self)))])
    tree.edits = .overwrite
    let staged = try StagedTree(tree.order, in: tree.box.state, root: tree.box.root)
    try staged.beginFile(Array("big".utf8), size: Int64(large.count), mode: 0o644, modified: nil)
    try large[..<2_000_000].withUnsafeBytes { try staged.write($0) }
    let live = try FileHandle(forWritingTo: URL(fileURLWithPath: tree.at("big")))
    try live.seek(toOffset: 1000)
    try live.write(contentsOf: Data("EDITED".utf8))
    try live.close()
    #expect(throws: FailureCause.filesModified(paths: ["big"], count: 1)) {
      try [UInt8]("a difference".utf8).withUnsafeBytes { try staged.write($0) }
    }
    staged.discard()
    #expect(tree.text("big")?.contains("EDITED") == true)
  }

  @Test(.enabled(if: mayMount, "needs the right to mount"), arguments: [false, true])
  func `leaves what is mounted in it where it is`(prunesAll: Bool) throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("d/b", .file("two"))])
    try tree.box.folder("shared")
    try tree.box.put("theirs", at: "shared/x")
    try tree.box.folder("vendor/docs/d/local")
    try #require(try run("/bin/mount", "--bind", tree.box.at("shared"), tree.at("d/local")) == 0)
    defer { _ = try? run("/bin/umount", "-l", tree.at("d/local")) }
    if prunesAll { tree.rules.pruning = .all }
    let items: Items = [("a", .file("1")), ("d/b", .file("2"))]
    if prunesAll {
      #expect(throws: FailureCause.self) { try tree.publish(items) }
      #expect(tree.text("a") == "one")
    } else {
      try tree.publish(items)
      #expect(tree.text("a") == "1" && tree.text("d/b") == "2")
      // A folder that is removed from the archive stays, too, and so does what comes later.
      try tree.publish([("a", .file("1"))])
    }
    #expect(tree.text("d/local/x") == "theirs")
    #expect(tree.box.text("shared/x") == "theirs")
    #expect(tree.box.stagingNames == [])
    tree.box.state.top.removeAll(FileName("staging".utf8))
    #expect(tree.box.text("shared/x") == "theirs")
  }

  @Test(arguments: [false, true])
  func `keeps inode and time of what is unchanged`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    let large = String(repeating: "0123456789abcdef", count: 100_000)
    let items: Items = [
      ("a", .file("one")), ("d/b", .file("two")), ("d/gone", .file("three")), ("large", .file(large)),
      ("edited", .file(large + "1")), ("l", .link("a")), ("x", .file("tool", mode: 0o755)),
    ]
    try tree.publish(items)
    let kept = try ["a", "large", "l", "x"].map(tree.identity)
    let replaced = try ["d/b", "edited"].map(tree.identity)
    try tree.publish([
      ("a", .file("one")), ("d/b", .file("2")), ("large", .file(large)), ("edited", .file(large + "2")),
      ("l", .link("a")), ("x", .file("tool", mode: 0o700)), ("new", .file("")),
    ])
    #expect(try ["a", "large", "l", "x"].map(tree.identity) == kept)
    #expect(try zip(["d/b", "edited"].map(tree.identity), replaced).allSatisfy { $0 != $1 })
    #expect(tree.text("d/b") == "2" && tree.text("edited") == large + "2" && tree.text("d/gone") == nil)
    #expect(tree.changes == .of(added: 1, changed: 2, removed: 1, kept: 4))
    #expect(tree.isInOrder)
    #expect(tree.box.stagingNames == [])
    // A lost state changes nothing, either.
    tree.listing = nil
    try tree.publish(items)
    #expect(try ["a", "large", "l", "x"].map(tree.identity) == kept)
    #expect(tree.isInOrder)
  }

  @Test func `writes a file anew if only its mode differs`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two", mode: 0o640))])
    let before = try ["a", "b"].map(tree.identity)
    try tree.publish([("a", .file("one", mode: 0o755)), ("b", .file("two", mode: 0o600))])
    #expect(try tree.identity("a") != before[0])
    #expect(try tree.identity("b") == before[1])
    tree.rules.keepsModes = true
    try tree.publish([("a", .file("one", mode: 0o4777)), ("b", .file("two", mode: 0o600))])
    #expect(tree.box.mode("vendor/docs/a") == 0o777)
    #expect(tree.box.mode("vendor/docs/b") == 0o600)
    #expect(tree.isInOrder)
  }

  @Test func `takes the archive's times if they are wanted`() throws {
    let tree = try TreeFixture()
    tree.rules.keepsTimes = true
    let listing = try tree.publish([("a", .file("one", modified: 1000)), ("b", .file("two", modified: 2000))])
    #expect(listing.entries.map { $0.signature?.modified.seconds } == [1000, 2000])
    // Another time alone is no change.
    let next = try tree.publish([("a", .file("one", modified: 3000)), ("b", .file("2", modified: 4000))])
    #expect(next.entries.map { $0.signature?.modified.seconds } == [1000, 4000])
  }

  @Test func `has the last of several files of one name`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("x")), ("a", .file("two")), ("b", .link("a"))])
    #expect(tree.content() == ["a": "two", "b": "-> a"])
    try tree.publish([("a", .file("other")), ("a", .file("two")), ("b", .file("f")), ("b", .link("a"))])
    #expect(tree.content() == ["a": "two", "b": "-> a"])
    #expect(tree.changes == .of(kept: 2))
  }

  @Test func `is filled again after a restart`() throws {
    let tree = try TreeFixture()
    let staged = try tree.staged([("a", .file("one")), ("d/b", .file("two"))])
    try staged.restart()
    try tree.fill(staged, [("a", .file("other")), ("d", .file("file"))])
    _ = try staged.publish(over: .missing) { _ in }
    #expect(tree.content() == ["a": "other", "d": "file"])
  }

  @Test func `is not touched by a tree that is discarded`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two"))])
    try tree.staged([("a", .file("one")), ("b", .file("2"))]).discard()
    #expect(tree.isInOrder)
    #expect(tree.box.stagingNames == [])
    // Killed: the next run removes it.
    let killed = try tree.staged([("d/e/f", .file("one"))])
    tree.box.state.clearStaging()
    #expect(tree.box.stagingNames == [])
    killed.discard()
  }

  @Test(arguments: [false, true])
  func `keeps unrecorded files, links and folders`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    try tree.publish([("d/a", .file("one")), ("gone/b", .file("two")), ("hollow", .folder)])
    try tree.put("mine", "d/mine")
    try tree.put("mine", "gone/mine")
    try tree.put("mine", "own/x/y")
    try tree.box.folder("vendor/docs/own/empty")
    try tree.box.link("vendor/docs/l", to: "nowhere")
    let before = try ["d/mine", "gone/mine", "own/x/y", "l"].map(tree.identity)
    chmod(tree.at("own"), 0o750)
    chmod(tree.at("d"), 0o710)
    try tree.publish([("d/a", .file("1"))])
    #expect(
      tree.content() == [
        "d/a": "1", "d/mine": "mine", "gone/mine": "mine", "own/x/y": "mine", "own/empty": "/",
        "l": "-> nowhere",
      ])
    #expect(try ["d/mine", "gone/mine", "own/x/y", "l"].map(tree.identity) == before)
    #expect(tree.box.mode("vendor/docs/own") == 0o750 && tree.box.mode("vendor/docs/d") == 0o710)
    #expect(tree.isInOrder)
  }

  @Test(arguments: [false, true])
  func `keeps all or nothing else if the manifest says so`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    tree.rules.pruning = .none
    try tree.publish([("a", .file("one")), ("gone/b", .file("two")), ("hollow", .folder)])
    try tree.put("mine", "own/x")
    try tree.publish([("a", .file("1"))])
    #expect(tree.content() == ["a": "1", "gone/b": "two", "hollow": "/", "own/x": "mine"])
    #expect(tree.changes == .of(changed: 1, kept: 1))
    tree.rules.pruning = .all
    try tree.publish([("a", .file("1")), ("c", .file("three"))])
    #expect(tree.content() == ["a": "1", "c": "three"])
    #expect(tree.isInOrder)
  }

  // MARK: Edits

  @Test(arguments: [false, true]) func `is left alone if files were edited`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    let names = (0..<12).map { "f\($0 < 10 ? "0" : "")\($0)" }
    try tree.publish(names.map { ($0, .file($0)) } + [("gone", .file("gone"))])
    for name in names.dropFirst() { try tree.put("edited", name) }
    try tree.put("edited", "gone")
    #expect(!tree.isInOrder)
    let content = tree.content()
    let expected = FailureCause.filesModified(paths: Array(names[1...10]), count: 12)
    #expect(throws: expected) {
      try tree.publish([("f00", .file("new"))] + names.dropFirst().map { ($0, .file("new")) })
    }
    #expect(tree.content() == content)
    // An edit to what the archive has now is none.
    try tree.put("gone", "gone")
    #expect(throws: FailureCause.filesModified(paths: ["gone"], count: 1)) {
      try tree.publish(names.map { ($0, .file($0 == "f00" ? "f00" : "edited")) })
    }
    try tree.publish(names.map { ($0, .file($0 == "f00" ? "f00" : "edited")) } + [("gone", .file("gone"))])
    #expect(tree.isInOrder)
    #expect(tree.box.stagingNames == [])
  }

  @Test(arguments: [false, true]) func `gets edited files back if they are overwritten`(byJournal: Bool)
    throws
  {
    let tree = try TreeFixture(byJournal: byJournal)
    try tree.publish([("a", .file("one")), ("b", .file("two")), ("gone", .file("three"))])
    for name in ["a", "gone", "new"] { try tree.put("edited", name) }
    tree.edits = .overwrite
    try tree.publish([("a", .file("one")), ("b", .file("two")), ("new", .file("new"))])
    #expect(tree.content() == ["a": "one", "b": "two", "new": "new"])
    #expect(tree.isInOrder)
  }

  @Test(arguments: [false, true]) func `keeps edited files if it must`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    try tree.publish([("a", .file("one")), ("b", .file("two")), ("gone", .file("three"))])
    for name in ["a", "gone", "new"] { try tree.put("edited", name) }
    tree.edits = .keep
    let listing = try tree.publish([("a", .file("1")), ("b", .file("2")), ("new", .file("new"))])
    #expect(tree.content() == ["a": "edited", "b": "2", "gone": "edited", "new": "edited"])
    #expect(tree.isInOrder)
    // The listing is the archive's; an edited file has no signature.
    #expect(listing.entries.map { $0.signature == nil } == [true, false, true])
    #expect(
      listing.entries[0].kind
        == .file(sha256: CompactDigest(TreeFixture.digest("1".utf8)), isExecutable: false))
    // They remain edits.
    tree.edits = .refuse
    #expect(!tree.isInOrder)
    #expect(throws: FailureCause.filesModified(paths: ["a", "new"], count: 2)) {
      try tree.publish([("a", .file("1")), ("b", .file("2")), ("new", .file("new"))])
    }
    // One that is removed comes back.
    tree.edits = .keep
    unlink(tree.at("a"))
    #expect(tree.observed().isMissing)
    try tree.publish([("a", .file("1")), ("b", .file("2")), ("new", .file("new"))])
    #expect(tree.text("a") == "1" && tree.text("new") == "edited")
    #expect(tree.isInOrder)
  }

  @Test(arguments: [false, true]) func `restores what is missing`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    let items: Items = [("a", .file("one")), ("d/b", .file("two")), ("hollow", .folder), ("l", .link("a"))]
    try tree.publish(items)
    let kept = try tree.identity("a")
    unlink(tree.at("d/b"))
    rmdir(tree.at("hollow"))
    unlink(tree.at("l"))
    #expect(tree.observed().isMissing)
    try tree.publish(items)
    #expect(tree.content() == ["a": "one", "d/b": "two", "hollow": "/", "l": "-> a"])
    #expect(try tree.identity("a") == kept)
    try FileManager.default.removeItem(atPath: tree.box.at("vendor"))
    #expect(tree.observed() == .missing)
    try tree.publish(items)
    #expect(tree.isInOrder)
  }

  /// What is in the way, and the new entries.
  static let obstacles: [(String, [(String, TreeFixture.Item)])] = [
    ("an unrecorded file in a folder's place", [("d", .file("mine"))]),
    ("an unrecorded link in a folder's place", [("d", .link(".."))]),
    ("an unrecorded folder in a file's place", [("f/x", .file("mine")), ("f/y/z", .file("mine"))]),
    ("a link in a file's place", [("f", .link("/etc/passwd"))]),
  ]

  @Test(arguments: obstacles.indices, [false, true])
  func `treats what is in the way as an edit`(number: Int, byJournal: Bool) throws {
    let (text, obstacle) = Self.obstacles[number]
    let items: Items = [("d/a/b", .file("new")), ("f", .file("new")), ("o", .file("other"))]
    func prepared() throws -> TreeFixture {
      let tree = try TreeFixture(byJournal: byJournal)
      try tree.publish([("o", .file("o"))])
      for (path, item) in obstacle {
        switch item {
        case .file(let bytes, _, _): try tree.put(bytes, path)
        case .link(let target): try tree.box.link("vendor/docs/" + path, to: target)
        default: break
        }
      }
      return tree
    }
    let refusing = try prepared()
    let before = refusing.content()
    let failure = #expect(throws: FailureCause.self, "\(text)") { try refusing.publish(items) }
    guard case .filesModified(let paths, _)? = failure else {
      Issue.record("\(text)")
      return
    }
    #expect(paths.allSatisfy { $0.hasPrefix(String(obstacle[0].0.prefix(1))) })
    #expect(refusing.content() == before, "\(text)")

    let keeping = try prepared()
    keeping.edits = .keep
    try keeping.publish(items)
    var expected = before
    expected["o"] = "other"
    let free = obstacle[0].0 == "d" ? ("f", "new") : ("d/a/b", "new")
    expected[free.0] = free.1
    #expect(keeping.content() == expected, "\(text)")
    #expect(keeping.isInOrder, "\(text)")

    let overwriting = try prepared()
    overwriting.edits = .overwrite
    try overwriting.publish(items)
    #expect(overwriting.content() == ["d/a/b": "new", "f": "new", "o": "other"], "\(text)")
    #expect(overwriting.isInOrder)
    #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))

    // Without a listing it was nobody's, but for a folder.
    guard obstacle[0].0 != "f/x" else { return }
    let lost = try prepared()
    lost.listing = nil
    try lost.publish(items)
    #expect(lost.content() == ["d/a/b": "new", "f": "new", "o": "other"], "\(text)")
  }

  @Test(arguments: [false, true])
  func `replaces no folder of which nothing is recorded`(byJournal: Bool) throws {
    let cases: [(TreeFixture.Item, LocalChanges)] = [
      (.file("new"), .refuse), (.file("new"), .keep), (.link("o"), .refuse),
    ]
    for (item, edits) in cases {
      let tree = try TreeFixture(byJournal: byJournal)
      tree.rules.pruning = .none
      try tree.publish([("o", .file("o"))])
      try tree.put("mine", "f/x/y")
      (tree.listing, tree.edits) = (nil, edits)
      #expect(throws: FailureCause.outputUnwritable(path: "vendor/docs/f", .isFolder)) {
        try tree.publish([("f", item), ("o", .file("other"))])
      }
      #expect(tree.content() == ["f/x/y": "mine", "o": "o"])
      // A folder of the archive is put together with it.
      try tree.publish([("f/x/z", .file("new"))])
      #expect(tree.content() == ["f/x/y": "mine", "f/x/z": "new", "o": "o"])
    }
  }

  @Test(arguments: [false, true])
  func `changes files to folders and back`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    try tree.publish([("a/b/c", .file("one")), ("f", .file("two")), ("l", .link("a"))])
    try tree.publish([("a", .file("1")), ("f/g", .file("2")), ("l/m", .file("3"))])
    #expect(tree.content() == ["a": "1", "f/g": "2", "l/m": "3"])
    try tree.publish([("a/b/c", .file("one")), ("f", .link("a")), ("l", .folder)])
    #expect(tree.content() == ["a/b/c": "one", "f": "-> a", "l": "/"])
    #expect(tree.isInOrder)
  }

  @Test(arguments: [false, true]) func `gives what is new the group that its folder hands on`(byJournal: Bool)
    throws
  {
    let tree = try TreeFixture(byJournal: byJournal)
    try tree.publish([("d/a", .file("one"))])
    let top = tree.box.at("vendor/docs")
    // Only root may give any group.
    if geteuid() == 0 { chown(top, uid_t.max, 1) }
    chmod(top, 0o2755)
    let group = try FileStatus(top, in: AT_FDCWD).group
    try tree.publish([("d/a", .file("one")), ("n/b", .file("two"))])
    for (path, mode) in [(top, 0o2000), (tree.at("n"), 0o2000), (tree.at("n/b"), 0)] {
      let status = try FileStatus(path, in: AT_FDCWD)
      #expect(status.group == group && status.mode & 0o2000 == mode_t(mode), "\(path)")
    }
  }

  // MARK: Links and names

  @Test(arguments: [false, true], [false, true])
  func `has no old link that a new one leads outside`(byJournal: Bool, isLost: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    tree.rules.pruning = .none
    try tree.publish([("b/c/f", .file("one")), ("x", .file("two")), ("a", .link("b/c/../../x"))])
    // This one leads outside by itself, and stays as it is.
    try tree.box.link("vendor/docs/own", to: "../../shared")
    if isLost { tree.listing = nil }
    let before = tree.content()
    // A folder of which nothing is recorded is in the way, too.
    let refusal =
      isLost
      ? FailureCause.outputUnwritable(path: "vendor/docs/b/c", .isFolder)
      : .archive(.misleadsOldLink(link: "b/c", old: "a"))
    #expect(throws: refusal) {
      try tree.publish([("b/c", .link(".")), ("x", .file("2"))])
    }
    #expect(tree.content() == before)
    // A new link that leaves it inside is fine.
    try tree.publish([("b/c/f", .file("1")), ("b/d", .link("c")), ("x", .file("2"))])
    #expect(tree.content()["a"] == "-> b/c/../../x" && tree.content()["b/d"] == "-> c")
    // So is one that leads back to it.
    try tree.box.link("vendor/docs/b/e", to: "g")
    try tree.publish([("b/c/f", .file("1")), ("b/d", .link("c")), ("b/g", .link("e")), ("x", .file("2"))])
    #expect(tree.content()["b/e"] == "-> g" && tree.content()["b/g"] == "-> e")
  }

  @Test(arguments: [false, true]) func `is reached and left through no link`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    try tree.publish([("d/a", .file("one")), ("b", .file("two"))])
    try FileManager.default.createDirectory(
      atPath: tree.box.path + "/outside", withIntermediateDirectories: true)
    try tree.box.put("precious", atPath: tree.box.path + "/outside/a")
    // A link in a recorded folder's place, and beside it.
    try FileManager.default.removeItem(atPath: tree.at("d"))
    try tree.box.link("vendor/docs/d", to: tree.box.path + "/outside")
    try tree.box.link("vendor/docs/e", to: tree.box.path + "/outside")
    #expect(!tree.isInOrder)
    tree.edits = .overwrite
    try tree.publish([("d/a", .file("1")), ("b", .file("two"))])
    #expect(tree.content()["d/a"] == "1")
    #expect(tree.box.text(atPath: tree.box.path + "/outside/a") == "precious")
    tree.rules.pruning = .all
    try tree.publish([("d/a", .file("1"))])
    #expect(tree.content() == ["d/a": "1"])
    #expect(tree.box.text(atPath: tree.box.path + "/outside/a") == "precious")
    // A link planted in the staged tree.
    let staged = try tree.staged([])
    let planted = tree.box.statePath + "/staging/\(staged.name.text)/p"
    try FileManager.default.createSymbolicLink(
      atPath: planted, withDestinationPath: tree.box.path + "/outside")
    #expect(throws: FailureCause.self) { try staged.add(Array("p/a".utf8), [1]) }
    staged.discard()
    #expect(tree.box.text(atPath: tree.box.path + "/outside/a") == "precious")
    // The output itself, and a folder above it.
    try FileManager.default.removeItem(atPath: tree.box.at("vendor/docs"))
    try tree.box.link("vendor/docs", to: tree.box.path + "/outside")
    #expect(tree.observed() == .unusable(.isLink))
    #expect(throws: FailureCause.outputUnwritable(path: "vendor/docs", .isLink)) {
      try tree.staged([("a", .file("1"))]).publish(over: .missing) { _ in }
    }
    try FileManager.default.removeItem(atPath: tree.box.at("vendor"))
    try tree.box.link("vendor", to: tree.box.path + "/outside")
    #expect(tree.observed() == .unusable(.parentIsLink("vendor")))
    #expect(throws: FailureCause.outputUnwritable(path: "vendor/docs", .parentIsLink("vendor"))) {
      try tree.staged([("a", .file("1"))]).publish(over: .missing) { _ in }
    }
    #expect(tree.box.names(atPath: tree.box.path + "/outside") == ["a"])
  }

  @Test(arguments: [false, true]) func `may have names that are not UTF-8`(byJournal: Bool) throws {
    let tree = try TreeFixture(byJournal: byJournal)
    let path: [UInt8] = Array("d ".utf8) + [0xFF, 0x2F, 0x80, 0xC3]
    for text in ["one", "one", "two"] {
      let staged = try StagedTree(tree.order, in: tree.box.state, root: tree.box.root)
      try staged.add(path, Array(text.utf8))
      try staged.addLink([0xFE], target: [0xFD, 0x2E])
      _ = try staged.finish()
      tree.listing = try staged.publish(over: tree.observed(), byJournal: byJournal) { _ in }
      #expect(tree.isInOrder)
      #expect(tree.listing?.entries.map(\.path) == [path, [0xFE]])
    }
    var bytes = [CChar](repeating: 0, count: 8)
    let name = FileName([0xFE])
    #expect(name.bytes == [0xFE])
    let full = tree.at("").utf8CString.dropLast() + name.characters
    #expect(readlink(Array(full), &bytes, 8) == 2)
  }

  @Test func `refuses names that lead elsewhere`() throws {
    let tree = try TreeFixture()
    let staged = try tree.staged([])
    for path in ["", ".", "..", "a/../b", "a/./b", "/a", "a\0b", "../x"] {
      #expect(throws: FailureCause.self, "\(path)") { try staged.add(Array(path.utf8), [1]) }
      _ = try? staged.finish()
    }
  }
}

extension TreeChanges {
  static func of(added: Int = 0, changed: Int = 0, removed: Int = 0, kept: Int = 0) -> TreeChanges {
    var changes = TreeChanges()
    (changes.added, changes.changed, changes.removed, changes.kept) = (added, changed, removed, kept)
    return changes
  }
}
