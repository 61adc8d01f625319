import Foundation
import Platform
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct DiskFullTests {
  @Test(arguments: [
    (ENOSPC, FailureCause.diskFull(path: "a")), (EDQUOT, .diskFull(path: "a")),
    (EROFS, .outputUnwritable(path: "a", SystemError(EROFS).fault)),
    (EMFILE, .outputUnwritable(path: "a", SystemError(EMFILE).fault)),
  ])
  func `errors of an output become causes that name it`(code: Int32, cause: FailureCause) {
    #expect(FailureSubject.output("a").cause(SystemError(code)) == cause)
    #expect(FailureSubject.state("a").cause(SystemError(code)) == cause)
  }

  #if os(Linux)
    @Test func `a full disk ends the write`() throws {
      let full = try Descriptor("/dev/full", in: AT_FDCWD, O_RDWR)
      #expect(throws: SystemError(ENOSPC)) { try full.write([1]) }
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `a full disk fails the file, keeps the old output and leaves no other file`() throws {
      let box = try Sandbox()
      try box.folder("small")
      try #require(try run("/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", box.at("small")) == 0)
      defer { _ = try? run("/bin/umount", "-l", box.at("small")) }
      try box.publish("old", to: .path("small/a"))
      let file = try StagedFile.create(in: box.state, for: .path("small/a"), root: box.root)
      #expect(throws: FailureCause.diskFull(path: "small/a")) {
        try file.write(String(repeating: "x", count: 200_000))
      }
      #expect(file.size > 0)
      #expect(file.size < 200_000)
      file.discard()
      #expect(box.names("small") == ["a"])
      #expect(box.text("small/a") == "old")
      #expect(box.stagingNames == [])
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `a full disk leaves nothing of a file that is to be created`() throws {
      let box = try Sandbox()
      try box.folder("small")
      try #require(try run("/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", box.at("small")) == 0)
      defer { _ = try? run("/bin/umount", "-l", box.at("small")) }
      let bytes = [UInt8](repeating: 7, count: 200_000)
      #expect(throws: FailureCause.diskFull(path: box.at("small/a"))) {
        try EditableFile.create(box.at("small/a"), bytes)
      }
      #expect(box.names("small") == [])
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `a full disk while bypassing the page cache fails the file and counts the written bytes`() throws {
      let box = try Sandbox()
      try box.folder("small")
      try #require(try run("/bin/mount", "-t", "tmpfs", "-o", "size=10m", "none", box.at("small")) == 0)
      defer { _ = try? run("/bin/umount", "-l", box.at("small")) }
      let file = try StagedFile.create(in: box.state, for: .path("small/a"), root: box.root)
      let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: DirectAppender.page)
      pages.initializeMemory(as: UInt8.self, repeating: 7)
      defer { pages.deallocate() }
      #expect(throws: FailureCause.diskFull(path: "small/a")) {
        for _ in 0..<12 { try file.write([UnsafeRawBufferPointer(pages)]) }
      }
      #expect(file.size > DirectAppender.directFrom)
      #expect(file.size <= 10 << 20)
      file.discard()
      #expect(box.names("small") == [])
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `a full disk when waiting bytes are written fails only that file`() throws {
      let box = try Sandbox()
      try box.folder("small")
      try #require(try run("/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", box.at("small")) == 0)
      defer { _ = try? run("/bin/umount", "-l", box.at("small")) }
      let root = try RootFolder(path: box.at("small"))
      let state = try StateFolder(path: box.at("small/.syncmake"))
      var files: [StagedFile] = []
      for number in 0..<6 {
        let file = try StagedFile.create(in: state, for: .path("f\(number)"), root: root)
        try file.write(String(repeating: "x", count: StagedFile.mostHeld))
        #expect(!file.isOnDisk)
        files.append(file)
      }
      var ready: [StagedFile] = []
      for file in files {
        do throws(FailureCause) {
          try file.prepare(over: .missing, mode: nil, modified: nil)
          ready.append(file)
        } catch {
          guard case .diskFull = error else { throw error }
          // It starts over and leaves nothing after it is discarded.
          #expect(throws: error) { try file.prepare(over: .missing, mode: nil, modified: nil) }
          file.discard()
        }
      }
      #expect((1..<6).contains(ready.count))
      for file in ready { try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil) }
      #expect(box.names("small/.syncmake/staging") == [])
      #expect(ready.indices.allSatisfy { box.text("small/f\($0)")?.count == StagedFile.mostHeld })
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `two mounts of one device are distinguished when renaming`() throws {
      let box = try Sandbox()
      try FileManager.default.createDirectory(atPath: box.path + "/bound", withIntermediateDirectories: true)
      try box.folder("d")
      try #require(try run("/bin/mount", "--bind", box.path + "/bound", box.at("d")) == 0)
      defer { _ = try? run("/bin/umount", "-l", box.at("d")) }
      // A file that waits in memory and meets the full disk in a group.
      let file = try StagedFile.create(in: box.state, for: .path("d/a"), root: box.root)
      try file.write("new")
      try file.prepare(over: .missing, mode: 0o604, modified: nil)
      #expect(box.names("d") == [])
      let group = PublishedGroup()
      let other = try box.staged("taken", for: .path("d/b"))
      try box.put("theirs", at: "d/b")
      #expect(throws: FailureCause.self) {
        try other.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil, in: group)
      }
      #expect(box.text("d/b") == "theirs" && box.names("d") == ["b"])
      other.discard()
      try FileManager.default.removeItem(atPath: box.at("d/b"))
      try file.publish(over: .missing, mode: 0o604, modified: nil, expectedDigest: nil, in: group)
      #expect(box.text(atPath: box.path + "/bound/a") == "new")
      #expect(box.names("d") == ["a"])
      #expect(box.mode("d/a") == 0o604)
      #expect(box.stagingNames == [])
    }

    @Test(.enabled(if: mayMount, "needs the right to mount"))
    func `a read-only file system is refused before the download`() throws {
      let box = try Sandbox()
      try box.folder("d")
      try #require(try run("/bin/mount", "-t", "tmpfs", "-o", "ro", "none", box.at("d")) == 0)
      defer { _ = try? run("/bin/umount", "-l", box.at("d")) }
      #expect(throws: FailureCause.outputUnwritable(path: "d/a", SystemError(EROFS).fault)) {
        try StagedFile.create(in: box.state, for: .path("d/a"), root: box.root)
      }
    }
  #endif
}
