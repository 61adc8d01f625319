import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct StateFolderTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  @Test func `a state folder is created with its parents and excludes itself from version control`() throws {
    let path = box.path + "/x/y/.syncmake"
    #expect(!StateFolder.exists(path: path))
    for _ in 0..<2 {
      let state = try StateFolder(path: path)
      #expect(state.path == path)
      #expect(box.names(atPath: path) == [".gitignore", "partial", "staging"])
      #expect(box.text(atPath: path + "/.gitignore") == "*\n")
    }
    #expect(StateFolder.exists(path: path))
    _ = try StateFolder(path: box.path + "/slash/")
    #expect(StateFolder.exists(path: box.path + "/slash/"))
  }

  @Test func `a person's edits of its ignore file stay`() throws {
    try box.put("mine\n", atPath: box.path + "/s/.gitignore")
    _ = try StateFolder(path: box.path + "/s")
    #expect(box.text(atPath: box.path + "/s/.gitignore") == "mine\n")
  }

  @Test func `a link in place of the state folder is refused unless it is allowed`() throws {
    try FileManager.default.createDirectory(
      atPath: box.path + "/elsewhere", withIntermediateDirectories: true)
    try box.link("state", to: box.path + "/elsewhere")
    for path in [box.at("state"), box.at("state") + "/"] {
      #expect(throws: FailureCause.outputUnwritable(path: path, .isLink)) { try StateFolder(path: path) }
    }
    #expect(box.names(atPath: box.path + "/elsewhere") == [])
    _ = try StateFolder(path: box.at("state"), mayBeLink: true)
    #expect(box.names(atPath: box.path + "/elsewhere") == [".gitignore", "partial", "staging"])
  }

  @Test func `links inside the state folder are not followed`() throws {
    let path = box.path + "/s"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path + "/staging", withDestinationPath: box.rootPath)
    #expect(throws: FailureCause.self) { try StateFolder(path: path) }
  }

  @Test(arguments: ["file", "file/below", "", "a\0b"]) func `anything but a folder is refused`(path: String)
    throws
  {
    try box.put("x", at: "file")
    let full = path.isEmpty ? "" : box.at(path)
    #expect(throws: FailureCause.self) { try StateFolder(path: full) }
    #expect(!StateFolder.exists(path: full))
  }

  @Test func `a withheld file that cannot be examined does not count as missing`() throws {
    #expect(try box.state.withheldSignature("key") == nil)
    try box.put("new", atPath: box.statePath + "/withheld/key")
    #expect(try box.state.withheldSignature("key")?.size == 3)
    let long = String(repeating: "k", count: 300)
    #expect(throws: FailureCause.self) { try box.state.withheldSignature(long) }
  }

  @Test func `the staged files of an interrupted run are removed`() throws {
    let file = try box.staged("half", for: .path("a"))
    try box.put("ours", at: "b")
    #expect(box.stagingNames.count == 1)
    box.state.clearStaging(root: box.root)
    #expect(box.stagingNames == [])
    #expect(box.names() == ["b"])
    #expect(throws: FailureCause.self) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
  }
}

#if os(Linux)
  @Suite struct OtherDeviceTests {
    let box: Sandbox
    init() throws { box = try Sandbox(statePath: otherDevice + "/localfiles-" + UUID().uuidString) }

    @Test func `the file is created beside its output, noted, and renamed there`() throws {
      let file = try box.staged("new", for: .path("d/a"))
      let beside = try #require(box.names("d").first)
      #expect(box.names("d").count == 1)
      #expect(OrphanMarker.isTemporary(beside))
      #expect(beside.hasPrefix(".a.syncmake-"))
      #expect(box.mode("d/" + beside) == 0o600)
      #expect(box.stagingNames.count == 1)
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
      #expect(box.text("d/a") == "new")
      #expect(box.names("d") == ["a"])
      #expect(box.stagingNames == [])
    }

    @Test func `discarding removes file and note`() throws {
      let file = try box.staged("new", for: .path("a"))
      file.discard()
      #expect(box.names() == [])
      #expect(box.stagingNames == [])
    }

    @Test func `after a crash a run on the same root removes the file`() throws {
      let file = try box.staged("half", for: .path("d/a"))
      try box.put("mine", at: "d/.a.syncmake-mine")
      box.state.clearStaging()
      #expect(box.names("d").count == 2)
      box.state.clearStaging(root: box.root)
      #expect(box.names("d") == [".a.syncmake-mine"])
      #expect(box.stagingNames == [])
      file.discard()
    }

    @Test func `a swapped parent folder does not lead the rename outside the root`() throws {
      let outside = box.path + "/outside"
      try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
      let file = try box.staged("new", for: .path("d/a"))
      try FileManager.default.moveItem(atPath: box.at("d"), toPath: box.at("old"))
      try box.link("d", to: outside)
      #expect(throws: FailureCause.outputUnwritable(path: "d/a", .parentIsLink("d"))) {
        try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
      }
      file.discard()
      #expect(box.names(atPath: outside) == [])
      #expect(box.names("old") == [])
    }

    @Test func `a name of the maximal length still gets a random part`() throws {
      let name = String(repeating: "é", count: 127)
      try box.publish("new", to: try RelativePath(name))
      #expect(box.text(name) == "new")
    }

    @Test(arguments: [
      "precious", "d/precious", "../outside/.a.syncmake-abcdef", "/etc/.a.syncmake-abcdef",
      "d/.a.syncmake-ABCDEF",
      "link/.a.syncmake-abcdef", ".syncmake-abcdef", "d/../.a.syncmake-abcdef", "",
      "folder/.a.syncmake-abcdef",
    ])
    func `a forged note removes nothing`(file: String) throws {
      try box.put("keep", at: "precious")
      for path in ["d/precious", "d/.a.syncmake-ABCDEF", ".syncmake-abcdef", ".a.syncmake-abcdef"] {
        try box.put("keep", at: path)
      }
      try box.put("keep", atPath: box.path + "/outside/.a.syncmake-abcdef")
      try box.link("link", to: box.path + "/outside")
      try box.folder("folder/.a.syncmake-abcdef")
      let before = try FileManager.default.subpathsOfDirectory(atPath: box.path).sorted()
      try box.put("syncmake beside 1\n" + file, atPath: box.statePath + "/staging/note-x.beside")
      try box.put("junk", atPath: box.statePath + "/staging/note-y.beside")
      box.state.clearStaging(root: box.root)
      #expect(try FileManager.default.subpathsOfDirectory(atPath: box.path).sorted() == before)
      #expect(box.stagingNames == [])
    }

    @Test func `a partial download is copied to the other device`() throws {
      let partial = try PartialDownload.create(
        key: "ab", facts: .init(url: "u", etag: EntityTag("\"e\""), total: 5), in: box.state)
      try partial.append("whole")
      let file = try partial.intoStaged(for: .path("d/a"), root: box.root, in: box.state)
      #expect(file.size == 5)
      #expect(box.partialNames == ["ab.journal", "ab.part"])
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
      partial.discard()
      #expect(box.partialNames == [])
      #expect(box.text("d/a") == "whole")
      #expect(box.stagingNames == [])
    }
  }
#endif
