import Foundation
import SyncModel
import Synchronization
import Testing

@testable import LocalFiles
@testable import Platform

@Suite struct `The step from an old folder to a new one` {
  typealias Items = [(String, TreeFixture.Item)]

  @Test func `is one for all who look`() throws {
    #if os(Linux)
      // Where nothing waits for a disk.
      let tree = try TreeFixture(box: Sandbox(base: otherDevice))
    #else
      let tree = try TreeFixture()
    #endif
    let names = (0..<20).map { "d\($0 % 4)/f\($0)" }
    func items(_ version: Int) -> Items {
      names.map { ($0, .file("\(version)")) } + [("same", .file("same"))]
    }
    try tree.publish(items(0))
    let paths = (names + names).map(tree.at)
    let same = tree.at("same")
    let isDone = Atomic(false)
    let faults = Monitor<[String]>([])
    let rounds = Atomic(0)
    let reader = Thread {
      var last = 0
      while !isDone.load(ordering: .relaxed) {
        // Each file is at least as new as the one read before it.
        for path in paths {
          let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
          guard let version = text.flatMap({ Int($0) }), version >= last else {
            faults.withLock { $0.append("\(path): \(text ?? "missing") after \(last)") }
            continue
          }
          last = version
        }
        if FileManager.default.contents(atPath: same) != Data("same".utf8) {
          faults.withLock { $0.append(same) }
        }
        rounds.add(1, ordering: .relaxed)
      }
    }
    reader.start()
    for version in 1...200 {
      try tree.publish(items(version))
      #expect(tree.isInOrder)
    }
    isDone.store(true, ordering: .relaxed)
    while reader.isExecuting { usleep(1000) }
    #expect(faults.withLock { $0 } == [])
    #expect(rounds.load(ordering: .relaxed) > 0)
  }

  @Test func `loses nothing that comes in the last moment`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("d/b", .file("two")), ("e", .file("three"))])
    try tree.put("mine", "mine")
    let staged = try tree.staged([("a", .file("one")), ("d/b", .file("2"))])
    tree.listing = try staged.publish(over: tree.observed()) { _ in
      try? tree.put("late", "late")
      try? tree.put("late", "x/y/late")
      try? tree.put("late", "d/late")
      try? FileHandle(forWritingTo: URL(fileURLWithPath: tree.at("a"))).write(contentsOf: Data("1".utf8))
    }
    #expect(
      tree.content() == [
        "a": "1ne", "d/b": "2", "mine": "mine", "late": "late", "x/y/late": "late", "d/late": "late",
      ])
    // An edit of a file that is in both shows as one.
    let listing = try #require(tree.listing)
    #expect(tree.box.root.edits(tree: tree.output, of: listing).edited == [Array("a".utf8)])
    #expect(tree.box.stagingNames == [])
  }

  @Test(arguments: [LocalChanges.refuse, .keep, .overwrite])
  func `loses no edit of the last moment, unless edits are to be replaced`(edits: LocalChanges) throws {
    let tree = try TreeFixture()
    let items: Items = ["a", "d/b", "gone", "still", "written"].map { ($0, .file("old " + $0)) }
    try tree.publish(items)
    for name in ["mine", "own"] { try tree.put("my " + name, name) }
    tree.edits = edits
    let staged = try tree.staged(
      [("a", .file("old a")), ("still", .file("old still"))]
        + ["d/b", "written"].map { ($0, .file("new " + $0)) })
    tree.listing = try staged.publish(over: tree.observed()) { _ in
      // By a rename, as editors do, and in place.
      for path in ["a", "d/b", "gone", "mine"] {
        try? tree.put("edit of " + path, "temporary")
        _ = rename(tree.at("temporary"), tree.at(path))
      }
      try? FileHandle(forWritingTo: URL(fileURLWithPath: tree.at("written")))
        .write(contentsOf: Data("edit".utf8))
    }
    let listing = try #require(tree.listing)
    let shown = tree.box.root.edits(tree: tree.output, of: listing)
    #expect(shown.missing == [])
    var expected = [
      "a": "edit of a", "d/b": "edit of d/b", "gone": "edit of gone", "written": "editwritten",
      "still": "old still",
      "mine": "edit of mine", "own": "my own",
    ]
    if edits == .overwrite {
      for (path, text) in ["a": "old a", "d/b": "new d/b", "written": "new written"] { expected[path] = text }
      expected["gone"] = nil
      #expect(shown.edited == [] && tree.isInOrder)
    } else {
      #expect(shown.edited == ["a", "d/b", "written"].map { Array($0.utf8) })
    }
    #expect(tree.content() == expected)
    #expect(tree.box.names("vendor") == ["docs"])
    #expect(tree.box.stagingNames == [])
  }

  @Test func `is not made if another folder is there`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one"))])
    let staged = try tree.staged([("a", .file("1"))])
    #expect(throws: FailureCause.self) {
      try staged.publish(over: tree.observed()) { _ in
        _ = rename(tree.box.at("vendor/docs"), tree.box.at("moved"))
        try? tree.put("other", "other")
      }
    }
    staged.discard()
    #expect(tree.content() == ["other": "other"])
    #expect(tree.box.text("moved/a") == "one")
    #expect(tree.box.stagingNames == [])
    let new = try TreeFixture()
    #expect(throws: FailureCause.self) {
      try new.staged([("a", .file("1"))]).publish(over: .missing) { _ in try? new.put("mine", "a") }
    }
    #expect(new.content() == ["a": "mine"])
  }

  @Test func `is not made if a file to keep has changed`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two"))])
    tree.edits = .overwrite
    let staged = try tree.staged([("a", .file("one")), ("b", .file("2"))])
    try tree.put("edited", "a")
    #expect(throws: FailureCause.filesModified(paths: ["a"], count: 1)) {
      try staged.publish(over: tree.observed()) { _ in }
    }
    #expect(tree.content() == ["a": "edited", "b": "two"])
  }

  @Test func `is not made if a file to keep has changed and has its old time`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two"))])
    tree.edits = .overwrite
    let staged = try tree.staged([("a", .file("one")), ("b", .file("2"))])
    var times = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 1000, tv_nsec: 5)]
    let before = try FileStatus(tree.at("a"), in: AT_FDCWD).signature
    times[1] = before.modified.timespec
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: tree.at("a")))
    try file.write(contentsOf: Data("ONE".utf8))
    #expect(futimens(file.fileDescriptor, times) == 0)
    let after = try FileStatus(tree.at("a"), in: AT_FDCWD).signature
    #expect(before.modified == after.modified && before.inode == after.inode && before != after)
    #expect(throws: FailureCause.filesModified(paths: ["a"], count: 1)) {
      try staged.publish(over: tree.observed()) { _ in }
    }
    #expect(tree.content() == ["a": "ONE", "b": "two"])
  }

  @Test func `is not made if the listing cannot be stored`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two"))])
    for byJournal in [false, true] {
      let staged = try tree.staged([("a", .file("one")), ("b", .file("2"))])
      #expect(throws: FailureCause.offline) {
        _ = try staged.publish(over: tree.observed(), byJournal: byJournal) { _ throws(FailureCause) in
          throw .offline
        }
      }
      staged.discard()
      #expect(tree.content() == ["a": "one", "b": "two"])
      #expect(StagedTree.journals(in: tree.box.state) == [])
      #expect(tree.box.stagingNames == [])
      tree.listing = try tree.settled(#require(tree.listing))
      #expect(tree.isInOrder)
    }
  }

  @Test(arguments: [false, true]) func `may come later`(byJournal: Bool) throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two")), ("c", .file("three"))])
    let kept = try tree.identity("a")
    let items: Items = [("a", .file("one")), ("b", .file("2")), ("d/e", .file("five")), ("f", .folder)]
    let staged = try tree.staged(items)
    let listing = try staged.prepare()
    try staged.sync()
    try staged.withhold(as: "key")
    staged.discard()
    tree.box.state.clearStaging(root: tree.box.root)
    #expect(tree.isInOrder)
    #expect(tree.box.state.withheldKeys() == ["key.tree"])

    func withheld() throws -> StagedTree {
      try StagedTree(withheld: "key", listing, tree.order, in: tree.box.state, root: tree.box.root)
    }
    try withheld().discard()
    let again = try withheld()
    #expect(again.changes == .of(added: 1, changed: 1, removed: 1, kept: 1))
    let published = try again.publish(over: tree.observed(), byJournal: byJournal) { _ in }
    #expect(published.signature == listing.signature)
    #expect(tree.content() == ["a": "one", "b": "2", "d/e": "five", "f": "/"])
    #expect(try tree.identity("a") == kept)
    tree.listing = published
    #expect(tree.isInOrder)
    #expect(tree.box.state.withheldKeys() == [])
    #expect(tree.box.stagingNames == [])
    #expect(throws: FailureCause.self) { try withheld() }

    let other = try tree.staged([("b", .file("x"))])
    _ = try other.prepare()
    try other.withhold(as: "key")
    tree.box.state.removeWithheld("key.tree")
    #expect(tree.box.state.withheldKeys() == [])
  }

  @Test(arguments: [false, true]) func `may come after an interrupted attempt`(byJournal: Bool) throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("d/b", .file("two")), ("c", .file("three"))])
    for path in ["mine", "x/mine", "gone/mine"] { try tree.put("mine", path) }
    let kept = try ["a", "mine", "x/mine"].map(tree.identity)
    let staged = try tree.staged([("a", .file("one")), ("d/b", .file("2")), ("f/g", .folder)])
    let listing = try staged.prepare()
    try staged.sync()
    try staged.withhold(as: "key")
    func withheld() throws -> StagedTree {
      try StagedTree(withheld: "key", listing, tree.order, in: tree.box.state, root: tree.box.root)
    }
    #expect(throws: FailureCause.offline) {
      try withheld().publish(over: tree.observed()) { _ throws(FailureCause) in throw .offline }
    }
    try StagedTree.dropLinks(withheld: "key", listing, in: tree.box.state)
    tree.listing = try tree.settled(#require(tree.listing))
    // What leaves the folder meanwhile does not come again.
    try FileManager.default.removeItem(atPath: tree.at("gone"))
    let again = try withheld()
    #expect(again.changes == .of(changed: 1, removed: 1, kept: 1))
    tree.listing = try again.publish(over: tree.observed(), byJournal: byJournal) { _ in }
    #expect(
      tree.content() == ["a": "one", "d/b": "2", "f/g": "/", "mine": "mine", "x/mine": "mine"])
    #expect(try ["a", "mine", "x/mine"].map(tree.identity) == kept)
    #expect(tree.isInOrder)
    #expect(tree.box.state.withheldKeys() == [])
  }

  @Test func `needs what it shares with the folder in place`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("b", .file("two")), ("l", .link("a"))])
    let staged = try tree.staged([("a", .file("one")), ("b", .file("2")), ("l", .link("a"))])
    try staged.requireFree(over: tree.observed())
    for path in ["l", "a", ""] {
      try FileManager.default.removeItem(atPath: tree.at(path))
      let lost = path == "l" ? "l" : "a"
      #expect(throws: FailureCause.outputUnwritable(path: "vendor/docs/\(lost)", .changedMeanwhile)) {
        try staged.requireFree(over: tree.observed())
      }
    }
  }

  @Test func `is left out if nothing differs`() throws {
    let tree = try TreeFixture()
    let items: Items = [("a", .file("one")), ("d/b", .file("two")), ("e", .folder)]
    let first = try tree.publish(items)
    try tree.put("mine", "mine")
    let second = try tree.publish(items)
    #expect(second.entries == first.entries && second.folder == first.folder)
    #expect(tree.isInOrder)
    #expect(tree.box.stagingNames == [])
    // An empty folder alone is a difference.
    rmdir(tree.at("e"))
    let third = try tree.publish(items)
    #expect(third.folder != first.folder && tree.content()["e"] == "/")
  }

  @Test(arguments: ["", "d"]) func `keeps the old folder if it cannot be listed`(unlisted: String) throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("d/b", .file("two"))])
    let staged = try tree.staged([("a", .file("1")), ("d/b", .file("2"))])
    let number = try FileStatus(tree.at(unlisted), in: AT_FDCWD).signature.inode
    staged.children = { (folder) throws(SystemError) in
      if try folder.status().signature.inode == number { throw SystemError(EIO) }
      return try folder.children()
    }
    tree.listing = try staged.publish(over: tree.observed()) { _ in
      try? tree.put("late", "late")
      try? tree.put("late", "d/late")
    }
    let isHere = unlisted == ""
    #expect(
      tree.content()
        == ["a": "1", "d/b": "2"].merging(isHere ? [:] : ["late": "late"]) { $1 })
    #expect(tree.isInOrder)
    let kept = tree.box.names("vendor").filter { $0.hasPrefix("docs.syncmake-old-") }
    try #require(kept.count == 1, "\(tree.box.names("vendor"))")
    #expect(tree.box.text("vendor/\(kept[0])/d/late") == "late")
    #expect(tree.box.text("vendor/\(kept[0])/late") == (isHere ? "late" : nil))
    tree.box.state.clearStaging(root: tree.box.root)
    #expect(tree.box.text("vendor/\(kept[0])/d/late") == "late")
  }

  #if os(Linux)
    @Test func `copies what may not be linked`() throws {
      let tree = try TreeFixture()
      try tree.publish([("d/a", .file("one")), ("b", .file("two"))])
      try tree.put("mine", "mine")
      let before = try FileStatus(tree.at("d/a"), in: AT_FDCWD)
      for path in [tree.at("d"), tree.at(""), tree.box.at("vendor"), tree.box.statePath + "/staging"] {
        chmod(path, 0o777)
      }
      // The files are another user's then, and many systems do not let anybody else link them.
      try asOrdinaryUser { tree.listing = try tree.publish([("d/a", .file("one")), ("b", .file("2"))]) }
      #expect(tree.content() == ["d/a": "one", "b": "2", "mine": "mine"])
      let after = try FileStatus(tree.at("d/a"), in: AT_FDCWD)
      #expect(after.signature.modified == before.signature.modified && after.mode == before.mode)
      #expect(tree.isInOrder)
      #expect(tree.box.stagingNames == [])
    }
  #endif
}
