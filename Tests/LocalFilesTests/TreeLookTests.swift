import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct `A look at a folder output` {
  typealias Items = [(String, TreeFixture.Item)]

  @Test func `tells what is there`() throws {
    let tree = try TreeFixture()
    #expect(tree.box.root.observe(tree: tree.output, by: [], keepingEdits: false).0 == .missing)
    try tree.box.put("file", at: "vendor/docs")
    #expect(tree.observed() == .unusable(.isFile))
    unlink(tree.box.at("vendor/docs"))
    mkfifo(tree.box.at("vendor/docs"), 0o600)
    #expect(tree.observed() == .unusable(.isDevice))
    unlink(tree.box.at("vendor/docs"))
    try tree.box.folder("vendor/docs")
    guard case .file(let own) = tree.observed() else {
      Issue.record("no folder")
      return
    }
    try tree.put("mine", "x")
    #expect(tree.observed() != .file(own))
    try FileManager.default.removeItem(atPath: tree.box.at("vendor"))
    try tree.box.put("file", at: "vendor")
    #expect(tree.observed() == .unusable(.parentIsNotFolder("vendor")))
  }

  @Test func `distinguishes each edit`() throws {
    let tree = try TreeFixture()
    let listing = try tree.publish([
      ("a", .file("one")), ("d/b", .file("two")), ("l", .link("a")), ("e", .folder),
    ])
    var seen: [OutputObservation] = [.file(listing.signature)]
    func isNew() -> Bool {
      let now = tree.observed()
      guard now.isFile, now == tree.observed(), !seen.contains(now) else { return false }
      seen.append(now)
      return true
    }
    try tree.put("1", "a")
    #expect(isNew())
    try tree.put("2", "a")
    #expect(isNew())
    unlink(tree.at("l"))
    #expect(isNew())
    try tree.put("2", "l")
    #expect(isNew())
    try FileManager.default.removeItem(atPath: tree.at("d"))
    try tree.put("file", "d")
    #expect(isNew())
    rmdir(tree.at("e"))
    try tree.put("file", "e")
    #expect(isNew())
    let (edited, missing) = tree.box.root.edits(tree: tree.output, of: listing)
    #expect(edited == ["a", "d/b", "e", "l"].map { Array($0.utf8) } && missing == [])
    tree.edits = .keep
    #expect(tree.isInOrder)
    unlink(tree.at("a"))
    #expect(tree.observed() == .incomplete(.files(1, of: 3, first: "a")))
    #expect(tree.box.root.edits(tree: tree.output, of: listing).missing == [Array("a".utf8)])
  }

  @Test func `tells what is missing`() throws {
    let tree = try TreeFixture()
    try tree.publish([("a", .file("one")), ("d/b", .file("two")), ("d/l", .link("b")), ("e", .folder)])
    rmdir(tree.at("e"))
    #expect(tree.observed() == .incomplete(.files(0, of: 3, first: "e")))
    unlink(tree.at("d/l"))
    #expect(tree.observed() == .incomplete(.files(1, of: 3, first: "d/l")))
    unlink(tree.at("d/b"))
    #expect(tree.observed() == .incomplete(.files(2, of: 3, first: "d/b")))
    // With an edit elsewhere, the folder is an edited one.
    try tree.put("edited", "a")
    #expect(tree.observed().isFile)
    try FileManager.default.removeItem(atPath: tree.box.at("vendor/docs"))
    #expect(tree.observed() == .missing)
  }

  @Test func `finds the listing that describes the folder`() throws {
    let tree = try TreeFixture()
    let first = try tree.publish([("a", .file("one")), ("b", .file("two")), ("c", .file("three"))])
    let observed = { tree.box.root.observe(tree: tree.output, by: $0, keepingEdits: false) }
    var second: TreeListing?
    // Interrupted before the step.
    let staged = try tree.staged([("a", .file("one")), ("b", .file("two")), ("c", .file("3"))])
    #expect(throws: FailureCause.offline) {
      _ = try staged.publish(over: tree.observed()) { next throws(FailureCause) in
        second = next
        throw .offline
      }
    }
    let next = try #require(second)
    #expect(observed([next, first]).1 == first)
    staged.discard()
    // Linked files have another ctime, and still the old listing is nearer.
    #expect(observed([next, first]).1 == first)
    #expect(!tree.isInOrder)
    let settled = try tree.settled(first)
    #expect(observed([next, settled]).0 == .file(first.signature))
    // Interrupted after it.
    tree.listing = settled
    var stored: TreeListing?
    let last = try tree.staged([("a", .file("one")), ("b", .file("two")), ("c", .file("3"))])
      .publish(over: tree.observed()) { stored = $0 }
    let next2 = try #require(stored)
    #expect(observed([next2, settled]).1 == next2)
    #expect(observed([last, settled]).0 == .file(last.signature))
    #expect(try observed([tree.settled(next2), settled]).0 == .file(last.signature))
  }

  @Test func `knows the listing even if only files are removed`() throws {
    let tree = try TreeFixture()
    let first = try tree.publish([("a", .file("one")), ("b", .file("two"))])
    let observed = { tree.box.root.observe(tree: tree.output, by: $0, keepingEdits: false).1 }
    var next = first
    let staged = try tree.staged([("a", .file("one"))])
    #expect(throws: FailureCause.offline) {
      _ = try staged.publish(over: tree.observed()) { listing throws(FailureCause) in
        next = listing
        throw .offline
      }
    }
    #expect(observed([next, first]) == first)
    staged.discard()
    tree.listing = try tree.settled(first)
    let second = try tree.publish([("a", .file("one"))])
    #expect(observed([second, first]) == second)
    // A copy has other inode numbers.
    let (copy, folder) = (tree.box.at("copy"), tree.box.at("vendor/docs"))
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: copy, toPath: folder)
    #expect(observed([second, first]) == second)
  }

  @Test func `settles only what has the recorded bytes`() throws {
    let tree = try TreeFixture()
    let listing = try tree.publish([
      ("a", .file("one")), ("b", .file("two")), ("l", .link("a")), ("m", .link("b")), ("x", .file("same")),
    ])
    for name in ["a", "b"] { utimes(tree.at(name), nil) }
    try tree.put("TWO", "b")
    chmod(tree.at("x"), 0o755)
    for name in ["l", "m"] { unlink(tree.at(name)) }
    try tree.box.link("vendor/docs/l", to: "a")
    try tree.box.link("vendor/docs/m", to: "x")
    let settled = try tree.settled(listing)
    let left = tree.box.root.edits(tree: tree.output, of: settled)
    #expect(left.edited == ["b", "m", "x"].map { Array($0.utf8) } && left.missing == [])
    #expect(settled.signature == listing.signature)
  }

  @Test func `removes what is recorded`() throws {
    let tree = try TreeFixture()
    let items: Items = [("a", .file("one")), ("d/b", .file("two")), ("e/f", .folder), ("l", .link("a"))]
    var listing = try tree.publish(items)
    #expect(try tree.box.root.removeTree(tree.output, listing, keepingEdited: true) == [])
    #expect(tree.box.names("vendor") == [])
    #expect(try tree.box.root.removeTree(tree.output, listing, keepingEdited: true) == [])

    listing = try tree.publish(items)
    try tree.put("mine", "own/x")
    try tree.put("edited", "a")
    #expect(
      try tree.box.root.removeTree(tree.output, listing, keepingEdited: true)
        == ["a", "own/x"].map { Array($0.utf8) })
    #expect(tree.content() == ["a": "edited", "own/x": "mine"])
    #expect(
      try tree.box.root.removeTree(tree.output, listing, keepingEdited: false) == [Array("own/x".utf8)])
    #expect(tree.content() == ["own/x": "mine"])
    // Not through a link.
    try FileManager.default.removeItem(atPath: tree.box.at("vendor/docs"))
    try tree.box.put("precious", at: "other/a")
    try tree.box.link("vendor/docs", to: "../other")
    #expect(throws: FailureCause.self) {
      try tree.box.root.removeTree(tree.output, listing, keepingEdited: false)
    }
    #expect(tree.box.text("other/a") == "precious")
  }
}

extension TreeFixture {
  func settled(_ listing: TreeListing) throws -> TreeListing {
    try box.root.settled(tree: output, of: listing) { file throws(FailureCause) in
      guard let text = try? file.text() else { throw .offline }
      return Self.digest(text.utf8)
    }
  }
}
