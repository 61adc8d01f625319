import Foundation
import Platform
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct StagedFileTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  private let digest = HexDigest(bytes: [1, 2, 3])

  @Test func `nothing appears in the root before the file is published`() throws {
    let file = try box.staged("new", for: .path("deep/er/a"))
    try file.sync()
    #expect(box.names() == [])
    #expect(box.stagingNames.count == 1)
    let signature = try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("deep/er/a") == "new")
    #expect(box.root.observe(.path("deep/er/a")) == .file(signature))
    #expect(box.stagingNames == [])
  }

  @Test
  func `a large file that is flushed while it is written has every byte, also after a restart`()
    throws
  {
    let file = try box.staged("", for: .path("a"))
    let piece = [UInt8](repeating: 0, count: 1 << 20)
    func write(_ count: UInt8, from first: UInt8) throws {
      for number in 0..<count {
        var piece = piece
        piece[0] = first &+ number
        try piece.withUnsafeBytes { try file.write($0) }
      }
    }
    // Three and a half segments, and once more.
    try write(28, from: 1)
    try file.restart()
    try write(28, from: 101)
    try file.sync()
    try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: box.at("a")))
    #expect(bytes.count == 28 << 20)
    let firsts = (0..<28).map { bytes[$0 << 20] }
    #expect(firsts == Array(101..<129))
    #expect(bytes.count { $0 != 0 } == 28)
  }

  @Test func `a staged file is readable for its owner only`() throws {
    let file = try box.staged("new", for: .path("a"))
    let attributes = try FileManager.default.attributesOfItem(
      atPath: box.statePath + "/staging/" + (box.stagingNames.first ?? ""))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    file.discard()
  }

  #if os(Linux)
    @Test
    func `a folder without write permission is refused only when a file in it is to be replaced`()
      throws
    {
      let old = try box.publish("old", to: .path("folder/a"))
      let state = try StateFolder(path: otherDevice + "/syncmake-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(atPath: state.path) }
      #expect(chmod(box.at("folder"), 0o555) == 0)
      defer { chmod(box.at("folder"), 0o755) }
      let refused = FailureCause.outputUnwritable(
        path: "folder/a", .system(errno: EACCES, text: "Permission denied"))
      #expect(chmod(state.path, 0o777) == 0)
      #expect(chmod(state.path + "/staging", 0o777) == 0)
      try asOrdinaryUser {
        #expect(throws: refused) {
          try StagedFile.create(in: state, for: .path("folder/a"), root: box.root)
        }
        let file = try StagedFile.create(in: state, for: .path("folder/a"), root: box.root, replacing: true)
        try Array("new".utf8).withUnsafeBytes { try file.write($0) }
        #expect(throws: refused) {
          try file.publish(over: .file(old), mode: nil, modified: nil, expectedDigest: nil)
        }
      }
      #expect(box.text("folder/a") == "old")
    }
  #endif

  @Test func `an old file is replaced as a whole, and its other hard links keep the old content`() throws {
    let old = try box.publish("the old one", to: .path("a"))
    #expect(link(box.at("a"), box.at("hard")) == 0)
    let now = box.root.observe(.path("a"))
    #expect(now != .file(old))  // Another hard link changes the change time.
    try box.staged("new", for: .path("a")).publish(over: now, mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("a") == "new")
    #expect(box.text("hard") == "the old one")
  }

  @Test func `the mode is the given one, else the old file's, else 0666 less the umask`() throws {
    try box.publish("1", to: .path("a"))
    #expect(box.mode("a") == UInt16(0o666 & ~Umask.read()))
    try box.publish("2", to: .path("a"), mode: 0o755)
    #expect(box.mode("a") == 0o755)
    try box.publish("3", to: .path("a"))
    #expect(box.mode("a") == 0o755)
    try box.publish("4", to: .path("a"), mode: 0o400)
    #expect(box.mode("a") == 0o400)
  }

  @Test func `the mtime is the given one, else the time of the replacement`() throws {
    let time = Timestamp(nanoseconds: 1_000_000_000_000_000_001)
    let dated = try box.staged("1", for: .path("a")).publish(
      over: .missing, mode: nil, modified: time, expectedDigest: nil)
    #expect(dated.modified == time)
    #expect(box.root.observe(.path("a")) == .file(dated))

    try box.put("old", at: "b")
    let old = box.root.observe(.path("b"))
    let file = try box.staged("2", for: .path("b"))
    let before = try FileStatus(box.stagingNames[0], in: box.state.staging.raw).signature.modified
    try box.put("from the old b", at: "made")
    let signature = try file.publish(over: old, mode: nil, modified: nil, expectedDigest: nil)
    #expect(signature.modified >= before)
    guard case .file(let made) = box.root.observe(.path("made")) else {
      Issue.record("not a file")
      return
    }
    #expect(signature.modified >= made.modified)
  }

  @Test func `an output edited since it was observed is kept`() throws {
    try box.publish("ours", to: .path("a"))
    let seen = box.root.observe(.path("a"))
    let file = try box.staged("new", for: .path("a"))
    try box.put("edited", at: "a")
    #expect(throws: FailureCause.outputModified(expected: digest, actual: nil)) {
      try file.publish(over: seen, mode: nil, modified: nil, expectedDigest: digest)
    }
    #expect(box.text("a") == "edited")
    file.discard()
    #expect(box.stagingNames == [])
  }

  @Test func `an output that appeared since is kept`() throws {
    let file = try box.staged("new", for: .path("a"))
    try box.put("theirs", at: "a")
    #expect(throws: FailureCause.outputModified(expected: nil, actual: nil)) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    #expect(box.text("a") == "theirs")
  }

  @Test func `a rename over what just appeared is refused by the system itself`() throws {
    try box.put("theirs", at: "a")
    let new = try StagingPlace.create(in: box.state)
    #expect(throws: SystemError(EEXIST)) { try new.place.move(to: "a", in: box.root.top, replacing: false) }
    #expect(box.text("a") == "theirs")
  }

  @Test func `an output that was removed since is written`() throws {
    try box.publish("ours", to: .path("a"))
    let seen = box.root.observe(.path("a"))
    let file = try box.staged("new", for: .path("a"))
    try FileManager.default.removeItem(atPath: box.at("a"))
    try file.publish(over: seen, mode: nil, modified: nil, expectedDigest: digest)
    #expect(box.text("a") == "new")
  }

  @Test func `a link, folder or FIFO is never published over`() throws {
    try box.put("theirs", at: "target")
    for (name, fault) in [("link", PathFault.isLink), ("folder", .isFolder), ("fifo", .isDevice)] {
      let output = try RelativePath(name)
      let file = try box.staged("new", for: output)
      switch name {
      case "link": try box.link(name, to: "target")
      case "folder": try box.folder(name)
      default: #expect(mkfifo(box.at(name), 0o600) == 0)
      }
      for expected in [OutputObservation.missing, box.root.observe(output)] {
        #expect(throws: FailureCause.outputUnwritable(path: name, fault)) {
          try file.publish(over: expected, mode: nil, modified: nil, expectedDigest: nil)
        }
      }
      #expect(box.root.observe(output) == .unusable(fault))
    }
    #expect(box.text("target") == "theirs")
  }

  @Test func `a parent folder swapped for a link does not lead the rename outside the root`() throws {
    let outside = box.path + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try box.folder("d")
    #expect(box.root.observe(.path("d/a")) == .missing)
    let file = try box.staged("new", for: .path("d/a"))
    try FileManager.default.removeItem(atPath: box.at("d"))
    try box.link("d", to: outside)
    #expect(throws: FailureCause.outputUnwritable(path: "d/a", .parentIsLink("d"))) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    #expect(box.names(atPath: outside) == [])
  }

  @Test func `a parent folder swapped for a file is named`() throws {
    let file = try box.staged("new", for: .path("d/a"))
    try box.put("x", at: "d")
    #expect(throws: FailureCause.outputUnwritable(path: "d/a", .parentIsNotFolder("d"))) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    #expect(box.text("d") == "x")
  }

  @Test func `restart drops the written bytes`() throws {
    let file = try box.staged("a long first try", for: .path("a"))
    #expect(file.size == 16)
    try file.restart()
    #expect(file.size == 0)
    try file.write("short")
    #expect(file.size == 5)
    try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("a") == "short")
  }

  @Test func `a file without any write is not created, but one with an empty write is`() throws {
    let idle = try StagedFile.create(in: box.state, for: .path("a"), root: box.root)
    try idle.restart()
    #expect(box.stagingNames == [])
    idle.discard()
    let empty = try StagedFile.create(in: box.state, for: .path("b"), root: box.root)
    try empty.prepare(over: .missing, mode: nil, modified: nil)
    #expect(box.stagingNames.count == 1)
    let signature = try empty.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(signature.size == 0)
    #expect(box.root.observe(.path("b")) == .file(signature))
    #expect(box.names("") == ["b"])
  }

  @Test func `a folder that accepted new files is not tested again; a later refusal shows at the end`() throws
  {
    let first = try StagedFile.create(in: box.state, for: .path("d/a"), root: box.root)
    try first.write("1")
    try first.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    let second = try StagedFile.create(in: box.state, for: .path("d/b"), root: box.root)
    try second.write("2")
    try FileManager.default.moveItem(atPath: box.at("d"), toPath: box.at("moved"))
    try FileManager.default.createSymbolicLink(atPath: box.at("d"), withDestinationPath: box.at("moved"))
    let third = try StagedFile.create(in: box.state, for: .path("d/c"), root: box.root)
    try third.write("3")
    try second.sync()
    for file in [second, third] {
      #expect(throws: FailureCause.self) {
        try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
      }
    }
    #expect(box.names("moved") == ["a"])
  }

  @Test func `a file created during a flush is not newer than a file published after it`() throws {
    try box.put("old", at: "a")
    let old = box.root.observe(.path("a"))
    let file = try box.staged("1", for: .path("a"))
    try file.prepare(over: old, mode: nil, modified: nil)
    let path = box.statePath + "/staging/" + (try #require(box.stagingNames.first))
    let longAgo = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 5)]
    try FileManager.default.setAttributes(longAgo, ofItemAtPath: path)
    try box.put("from the old a", at: "report")
    let signature = try file.publish(over: old, mode: nil, modified: nil, expectedDigest: nil)
    guard case .file(let report) = box.root.observe(.path("report")) else {
      Issue.record("not a file")
      return
    }
    #expect(signature.modified >= report.modified)
    #expect(box.root.observe(.path("a")) == .file(signature))
  }

  @Test func `a few bytes wait in memory until the file is prepared`() throws {
    let few = String(repeating: "x", count: StagedFile.mostHeld)
    let file = try StagedFile.create(in: box.state, for: .path("a"), root: box.root)
    try file.write("lost")
    try file.restart()
    try file.write(few.dropLast().description)
    try file.write("x")
    #expect(!file.isOnDisk && file.size == Int64(StagedFile.mostHeld))
    #expect(box.stagingNames == [])
    let ready = try file.prepare(over: .missing, mode: nil, modified: nil)
    #expect(file.isOnDisk && ready.size == file.size)
    #expect(box.stagingNames.count == 1)
    let signature = try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("a") == few)
    #expect(box.root.observe(.path("a")) == .file(signature))

    let more = try StagedFile.create(in: box.state, for: .path("b"), root: box.root)
    try more.write(few)
    try more.write("y")
    #expect(more.isOnDisk && more.size == Int64(few.utf8.count + 1))
    try more.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(box.text("b") == few + "y")
  }

  @Test(arguments: [0o600, 0o444, 0o777, 0o1755] as [UInt16])
  func `a file that waited in memory gets its mode, whatever the umask is`(mode: UInt16)
    throws
  {
    let file = try StagedFile.create(in: box.state, for: .path("a"), root: box.root)
    try file.write("x")
    try file.prepare(over: .missing, mode: mode, modified: nil)
    let staged = try #require(box.stagingNames.first)
    let found = try FileManager.default.attributesOfItem(atPath: box.statePath + "/staging/" + staged)
    #expect(found[.posixPermissions] as? Int == Int(mode))
    try file.publish(over: .missing, mode: mode, modified: nil, expectedDigest: nil)
    #expect(box.mode("a") == mode)
  }

  @Test func `files published one after another find their folders, even if one was removed`() throws {
    let group = PublishedGroup()
    func publish(_ path: String) throws {
      try box.staged(path, for: .path(path)).publish(
        over: .missing, mode: nil, modified: nil, expectedDigest: nil, in: group)
    }
    for path in ["d/a", "d/b", "e/d/a", "c", "d/c"] { try publish(path) }
    let seen = box.root.observe(.path("d/b"))
    try FileManager.default.removeItem(atPath: box.at("d"))
    try box.staged("b", for: .path("d/b")).publish(
      over: seen, mode: nil, modified: nil, expectedDigest: nil, in: group)
    #expect(box.text("d/b") == "b")
    try FileManager.default.removeItem(atPath: box.at("d"))
    try publish("d/e")
    for path in ["e/d/a", "c", "d/e"] { #expect(box.text(path) == path) }
    #expect(box.names("d") == ["e"])
    // The cached folder still contains its files; a link in its place is not followed.
    try FileManager.default.createDirectory(atPath: box.at("elsewhere"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: box.at("d"), toPath: box.at("moved"))
    try FileManager.default.createSymbolicLink(atPath: box.at("d"), withDestinationPath: box.at("elsewhere"))
    try publish("d/f")
    #expect(box.names("elsewhere") == [])
    #expect(box.names("moved") == ["e", "f"])
    #expect(throws: FailureCause.outputUnwritable(path: "d/g", .parentIsLink("d"))) {
      try box.staged("g", for: .path("d/g")).publish(
        over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
  }

  @Test func `the error names what appeared at an empty place`() throws {
    let file = try box.staged("new", for: .path("a"))
    try FileManager.default.createDirectory(atPath: box.at("a"), withIntermediateDirectories: true)
    #expect(throws: FailureCause.outputUnwritable(path: "a", .isFolder)) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    try FileManager.default.removeItem(atPath: box.at("a"))
    try FileManager.default.createSymbolicLink(atPath: box.at("a"), withDestinationPath: box.at("b"))
    #expect(throws: FailureCause.outputUnwritable(path: "a", .isLink)) {
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    }
    #expect(box.text("b") == nil)
  }

  @Test func `random names are different and have the given length`() {
    let names = (0..<10_000).map { _ in RandomName.long() }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.utf8.count == 2 * RandomName.length })
    #expect(RandomName.isSuffix(RandomName.suffix().utf8))
    let series = [NameSeries(), NameSeries()]
    #expect(Set((0..<100).map { series[$0 % 2].next() }).count == 100)
  }

  @Test func `discarding, or dropping the object, leaves nothing`() throws {
    let file = try box.staged("x", for: .path("a"))
    file.discard()
    file.discard()
    #expect(box.stagingNames == [])
    do {
      let dropped = try box.staged("x", for: .path("a"))
      #expect(box.stagingNames.count == 1)
      #expect(dropped.size == 1)
    }
    #expect(box.stagingNames == [])
    #expect(box.names() == [])
  }

  @Test func `publishing twice is refused and harms nothing`() throws {
    let file = try box.staged("x", for: .path("a"))
    try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    #expect(throws: FailureCause.self) {
      try file.publish(over: box.root.observe(.path("a")), mode: nil, modified: nil, expectedDigest: nil)
    }
    file.discard()
    #expect(box.text("a") == "x")
  }

  @Test func `mode and time can be set before the file is synced`() throws {
    try box.publish("1", to: .path("d/a"), mode: 0o640)
    for (name, bits) in [("d/a", 0o640), ("d/b", 0o666 & ~Int(Umask.read()))] {
      let file = try box.staged("2", for: .path(name))
      try file.prepare(over: box.root.observe(.path(name)), mode: nil, modified: Timestamp(seconds: 5))
      let staged = try #require(box.stagingNames.first)
      let found = try FileManager.default.attributesOfItem(atPath: box.statePath + "/staging/" + staged)
      #expect(found[.posixPermissions] as? Int == bits)
      #expect(found[.modificationDate] as? Date == Date(timeIntervalSince1970: 5))
      file.discard()
    }
  }

  @Test func `a reader sees the old or the new file, never a part of one`() async throws {
    let (box, texts) = (box, (0..<2).map { String(repeating: "\($0)", count: 100_000 + $0) })
    try box.publish(texts[0], to: .path("a"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 1...200 { try box.publish(texts[round % 2], to: .path("a")) }
      }
      group.addTask {
        for _ in 1...200 {
          let text = try box.root.open(.path("a")).text(chunk: 65536)
          #expect(texts.contains(text))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `many threads share a root and create its folders together`() async throws {
    let box = box
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<64 {
        group.addTask {
          let path = try RelativePath("a/b\(number % 4)/c/\(number)")
          try box.publish("\(number)", to: path)
          #expect(box.root.observe(path) != .missing)
          try box.root.syncFolders(of: [path])
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<64 { #expect(box.text("a/b\(number % 4)/c/\(number)") == "\(number)") }
  }

  #if os(Linux)
    @Test func `a read-only folder fails the rename and keeps the old file`() throws {
      try box.publish("old", to: .path("d/a"))
      let file = try box.staged("new", for: .path("d/a"))
      #expect(chmod(box.statePath + "/staging", 0o777) == 0)
      #expect(chmod(box.at("d"), 0o555) == 0)
      defer { chmod(box.at("d"), 0o755) }
      let folder = try box.root.parent(of: .path("d/a")).folder
      try asOrdinaryUser {
        // Only the rename is tested: only a file's owner may set its mode, and in this test the owner may be root.
        #expect(throws: SystemError(EACCES)) { try file.place?.move(to: "a", in: folder, replacing: true) }
        #expect(throws: SystemError(EACCES)) { try file.place?.move(to: "b", in: folder, replacing: false) }
      }
      #expect(box.text("d/a") == "old")
    }

    @Test func `a place where no file can be created is refused before the download`() throws {
      // Nobody can make files there, not even root.
      let proc = try RootFolder(path: "/proc")
      #expect {
        try StagedFile.create(in: box.state, for: .path("syncmake-test"), root: proc)
      } throws: {
        guard case .outputUnwritable("syncmake-test", .system) = $0 as? FailureCause else { return false }
        return true
      }
      #expect(box.stagingNames == [])
    }

    @Test func `no descriptor is left open, and none is inherited`() throws {
      let file = try box.staged("x", for: .path("d/a"))
      let partial = try PartialDownload.create(
        key: "ab", facts: .init(url: "u", etag: EntityTag("\"e\""), total: nil), in: box.state)
      let lock = try RunLock.acquire(
        in: box.state, wait: false, now: .init(seconds: 0), onWait: { _ in }, isCancelled: { false })
      #expect(lock != nil)
      let open = openDescriptors(below: box.path)
      #expect(open.count == 8)  // root; state, staging, partial; file; body, journal; lock
      for number in open { #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0) }
      try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
      partial.close()
      _ = try box.root.open(.path("d/a")).text()
      #expect(openDescriptors(below: box.path).count == 5)
      _ = box.root.observe(.path("d/a"))
      #expect(openDescriptors(below: box.path).count == 6)  // the last parent
    }
  #endif
}

extension ReadableFile {
  func text(chunk: Int) throws -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 1)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while case let count = try read(into: buffer), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
