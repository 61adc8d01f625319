import Foundation
import Platform
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct RootFolderTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  @Test func `sources can be confined to the root, through every link`() throws {
    try box.put("in", at: "sub/in")
    try box.put("token", at: ".git/config")
    try box.link("good", to: "sub/in")
    try box.link("folder", to: "sub")
    try box.link("away", to: "/etc")
    try box.link("dangling", to: "nowhere")
    let root = try RootFolder(path: box.root.path, confinesSources: true)
    for path in ["sub/in", "good", "folder/in", "sub/../sub/in", box.at("good"), "./sub//in"] {
      #expect((try? root.openSource(path))?.signature.size == 2, "\(path)")
      #expect(!RootFolder.isOutside(path, of: box.root.path), "\(path)")
    }
    let outside = [
      "away/passwd", "/etc/passwd", "../x", "sub/../../x", ".git/config", ".GIT/config", "away/missing",
      "dangling",
      "", "sub/\0", "missing/../../x", ".",
    ]
    for path in outside {
      #expect(RootFolder.isOutside(path, of: box.root.path), "\(path)")
      do throws(FailureCause) {
        _ = try root.openSource(path)
        Issue.record("\(path) was opened")
      } catch {
        #expect([.hostRefused, .connectFailed].contains(error.code), "\(path): \(error)")
      }
    }
    // What is not there is told apart.
    for path in ["sub/missing", "new/missing"] {
      #expect(!RootFolder.isOutside(path, of: box.root.path), "\(path)")
      #expect(throws: FailureCause.self) { try root.openSource(path) }
    }
  }

  @Test func `a file is observed with its size, times and inode`() throws {
    try box.put("12345", at: "data/a")
    var status = stat()
    #expect(lstat(box.at("data/a"), &status) == 0)
    guard case .file(let signature) = box.root.observe(.path("data/a")) else {
      Issue.record("not a file")
      return
    }
    #expect(signature.size == 5)
    #expect(signature.inode == UInt64(status.st_ino))
    #expect(abs(signature.modified.seconds - SystemClock.now().seconds) < 60)
    #expect(abs(signature.changed.seconds - SystemClock.now().seconds) < 60)
  }

  @Test func `a file that does not exist, or whose folder does not, is missing`() throws {
    try box.folder("data")
    #expect(box.root.observe(.path("a")) == .missing)
    #expect(box.root.observe(.path("data/a")) == .missing)
    #expect(box.root.observe(.path("no/such/folder/a")) == .missing)
  }

  @Test func `only a file can have other names`() throws {
    try box.put("x", at: "d/one")
    #expect(!box.root.hasOtherNames(.path("d/one")))
    try FileManager.default.linkItem(atPath: box.at("d/one"), toPath: box.at("other"))
    #expect(box.root.hasOtherNames(.path("d/one")) && box.root.hasOtherNames(.path("other")))
    try FileManager.default.removeItem(atPath: box.at("other"))
    try box.folder("d/folder")
    try box.link("link", to: "d")
    for path in ["d/one", "d", "link/one", "other"] {
      #expect(!box.root.hasOtherNames(try RelativePath(path)))
    }
  }

  @Test func `links, folders, FIFOs and sockets cannot be outputs`() throws {
    try box.put("x", at: "file")
    try box.link("good", to: "file")
    try box.link("dangling", to: "nowhere")
    try box.folder("folder")
    #expect(mkfifo(box.at("fifo"), 0o600) == 0)
    #expect(box.root.observe(.path("good")) == .unusable(.isLink))
    #expect(box.root.observe(.path("dangling")) == .unusable(.isLink))
    #expect(box.root.observe(.path("folder")) == .unusable(.isFolder))
    #expect(box.root.observe(.path("fifo")) == .unusable(.isDevice))
    for (path, fault) in [("good", PathFault.isLink), ("folder", .isFolder), ("fifo", .isDevice)] {
      #expect(throws: FailureCause.outputUnwritable(path: path, fault)) {
        try box.root.open(try RelativePath(path))
      }
    }
  }

  @Test(arguments: [1, 2, 3]) func `a link among the parent folders is named, at any level`(level: Int) throws
  {
    let parts = ["a", "b", "c"]
    try FileManager.default.createDirectory(
      atPath: box.path + "/outside/b/c", withIntermediateDirectories: true)
    let link = parts[..<level].joined(separator: "/")
    if level > 1 { try box.folder(parts[..<(level - 1)].joined(separator: "/")) }
    try box.link(link, to: box.path + "/outside")
    let output: RelativePath = .path("a/b/c/file")
    let failure = FailureCause.outputUnwritable(path: output.text, .parentIsLink(link))
    #expect(box.root.observe(output) == .unusable(.parentIsLink(link)))
    #expect(throws: failure) { try box.root.open(output) }
    #expect(throws: failure) { try StagedFile.create(in: box.state, for: output, root: box.root) }
    let signature = FileSignature(size: 0, modified: .init(seconds: 0), changed: .init(seconds: 0), inode: 1)
    #expect(try !box.root.remove(output, ifStill: signature))
    #expect(throws: failure) {
      try box.root.setModified(output, Timestamp(seconds: 1), ifStill: signature)
    }
  }

  @Test func `a file among the parent folders is named`() throws {
    try box.put("x", at: "a/b")
    #expect(box.root.observe(.path("a/b/c/d")) == .unusable(.parentIsNotFolder("a/b")))
    #expect(throws: FailureCause.outputUnwritable(path: "a/b/c/d", .parentIsNotFolder("a/b"))) {
      try StagedFile.create(in: box.state, for: .path("a/b/c/d"), root: box.root)
    }
  }

  @Test func `a slash before a combining mark is a slash`() throws {
    try FileManager.default.createDirectory(atPath: box.path + "/outside", withIntermediateDirectories: true)
    try box.link("link", to: box.path + "/outside")
    let output: RelativePath = .path("link/\u{301}file")
    #expect(box.root.observe(output) == .unusable(.parentIsLink("link")))
    #expect(throws: RelativePath.Fault.leavesRoot) { try RelativePath("../\u{301}file") }
  }

  @Test func `two spellings of one name are two folders`() throws {
    try box.put("composed", at: "\u{e9}/f")
    #expect(box.root.observe(.path("\u{e9}/f")) != .missing)
    #if os(Linux)
      #expect(box.root.observe(.path("e\u{301}/f")) == .missing)
    #endif
  }

  @Test func `a folder that was removed and created again is noticed`() throws {
    try box.put("old", at: "data/a")
    #expect(box.root.observe(.path("data/a")) != .missing)
    try FileManager.default.removeItem(atPath: box.at("data"))
    #expect(box.root.observe(.path("data/a")) == .missing)
    try box.put("new one", at: "data/a")
    guard case .file(let signature) = box.root.observe(.path("data/a")) else {
      Issue.record("not a file")
      return
    }
    #expect(signature.size == 7)
  }

  @Test func `a folder that we created is not read again, and files that others put there are kept`() throws {
    try box.put("theirs", at: "old/b")
    try box.publish("ours", to: .path("old/a"))
    try box.publish("ours", to: .path("new/er/a"))
    try box.put("theirs", at: "new/er/b")
    try box.put("theirs", at: "new/b")
    for path in ["new/b", "new/er/b"] {
      #expect(box.root.observe(.path(path)) != .missing)
      #expect(box.root.observeUnpublished(.path(path)) == .missing)
      let file = try box.staged("ours", for: .path(path))
      #expect(throws: FailureCause.outputModified(expected: nil, actual: nil)) {
        try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
      }
      #expect(box.text(path) == "theirs")
    }
    // The content of the others is unknown.
    #expect(box.root.observeUnpublished(.path("old/b")) == box.root.observe(.path("old/b")))
    #expect(box.root.observeUnpublished(.path("old/b")) != .missing)
    #expect(box.root.observeUnpublished(.path("old/c")) == .missing)
  }

  @Test func `times of any year can be read and set without a crash`() throws {
    try box.put("x", at: "a")
    for seconds in [-99_999_999_999, 99_999_999_999] {
      let times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
      #expect(utimes(box.at("a"), times) == 0)
      guard case .file(let signature) = box.root.observe(.path("a")) else {
        Issue.record("not a file")
        return
      }
      // The file system may support fewer years; the stored time is returned.
      #expect(signature.modified.seconds.signum() == seconds.signum())
      let set = try box.root.setModified(.path("a"), signature.modified, ifStill: signature)
      #expect(set.modified.seconds.signum() == seconds.signum())
    }
  }

  @Test func `a root that is not a folder is refused`() throws {
    try box.put("x", at: "file")
    #expect(throws: FailureCause.self) { try RootFolder(path: box.at("file")) }
    #expect(throws: FailureCause.self) { try RootFolder(path: box.at("nowhere")) }
  }

  @Test func `an output is read from start to end`() throws {
    try box.put("some bytes", at: "a")
    let file = try box.root.open(.path("a"))
    #expect(box.root.observe(.path("a")) == .file(file.signature))
    #expect(try file.text() == "some bytes")
    #expect(throws: Never.self) { try file.requireUnchanged() }
  }

  @Test(arguments: ["longer", "shorter", "as long"])
  func `a file that was changed in place after it was opened is reported`(how: String) throws {
    try box.put("some bytes", at: "a")
    #expect(
      utimensat(AT_FDCWD, box.at("a"), [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)], 0)
        == 0)
    let file = try box.root.open(.path("a"))
    let writer = try #require(FileHandle(forWritingAtPath: box.at("a")))
    switch how {
    case "longer": try writer.seekToEnd()
    case "shorter": try writer.truncate(atOffset: 3)
    default: break
    }
    try writer.write(contentsOf: Array("SOME".utf8))
    try writer.close()
    #expect(throws: FailureCause.sourceUnreadable(path: "a", .changedMeanwhile)) {
      try file.requireUnchanged()
    }
  }

  @Test func `a file that was replaced, or got another mode, still counts as unchanged while open`() throws {
    try box.put("some bytes", at: "a")
    let file = try box.root.open(.path("a"))
    #expect(chmod(box.at("a"), 0o600) == 0)
    try box.put("other bytes", at: "b")
    #expect(rename(box.at("b"), box.at("a")) == 0)
    #expect(throws: Never.self) { try file.requireUnchanged() }
    #expect(try file.text() == "some bytes")
  }

  @Test(arguments: ["nowhere", "no/such/folder/a"])
  func `a missing output cannot be read`(path: String) throws {
    #expect(throws: FailureCause.sourceUnreadable(path: path, .missing)) {
      try box.root.open(try RelativePath(path))
    }
  }

  #if os(Linux)
    @Test(arguments: ["closed", "folder/open"])
    func `an unreadable output is reported as a read error, not as a write error`(
      path: String
    ) throws {
      try box.put("x", at: "closed")
      try box.put("x", at: "folder/open")
      guard case .file(let signature) = box.root.observe(try RelativePath(path)) else {
        Issue.record("not a file")
        return
      }
      #expect(chmod(box.at("closed"), 0) == 0)
      #expect(chmod(box.at("folder"), 0) == 0)
      defer { chmod(box.at("folder"), 0o755) }
      let output = try RelativePath(path)
      try asOrdinaryUser {
        #expect(throws: FailureCause.sourceUnreadable(path: path, .system("Permission denied"))) {
          try box.root.open(output)
        }
        // A failure to set the file's time gives the same refusal.
        let refused = PathFault.system(errno: EACCES, text: "Permission denied")
        #expect(throws: FailureCause.outputUnwritable(path: path, refused)) {
          try box.root.setModified(output, Timestamp(seconds: 1), ifStill: signature)
        }
      }
    }

    @Test func `a read that fails midway is reported as a read error`() throws {
      // A file of /proc that opens but cannot be read from its start.
      let file = try RootFolder(path: "/proc/self").open(.path("mem"))
      #expect(throws: FailureCause.sourceUnreadable(path: "mem", .system("Input/output error"))) {
        _ = try file.text()
      }
    }
  #endif

  @Test func `a source may be absolute, behind links, and outside the root`() throws {
    try box.put("source", atPath: box.path + "/outside/s")
    try box.link("link", to: box.path + "/outside")
    for path in ["link/s", box.path + "/outside/s", "../outside/s"] {
      let file = try box.root.openSource(path)
      #expect(try file.text() == "source")
    }
  }

  @Test(arguments: ["nowhere", "folder", "fifo", "/dev/null", "a\0b"])
  func `a source that is not a regular file is refused without waiting`(path: String) throws {
    try box.folder("folder")
    #expect(mkfifo(box.at("fifo"), 0o600) == 0)
    func isUnreadable(_ error: any Error) -> Bool {
      if case .sourceUnreadable(path, _) = error as? FailureCause { true } else { false }
    }
    #expect { try box.root.openSource(path) } throws: { isUnreadable($0) }
  }
}
