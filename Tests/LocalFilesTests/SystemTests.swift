import Foundation
import Platform
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct SystemTests {
  @Test func `the clocks agree with the system's`() {
    #expect(abs(SystemClock.now().seconds - Int64(Date().timeIntervalSince1970)) <= 1)
    let first = SystemClock.monotonic()
    #expect(SystemClock.monotonic() >= first)
  }

  @Test(
    arguments: [
      ("Name:\tx\nUmask:\t0022\nState:\tR\n", 0o22), ("Umask:\t0000\n", 0), ("Name:\tx\n", nil),
      ("Umask:\t9\n", nil), ("Umask:\t\n", nil), ("Umask:\t0022", 0o22), ("Umask:\t00022\n", nil), ("", nil),
    ] as [(String, mode_t?)])
  func `the umask is read from the process's status`(text: String, mask: mode_t?) {
    #expect(Array(text.utf8).withUnsafeBytes { Umask.parse($0) } == mask)
  }

  @Test(arguments: [
    Timestamp(nanoseconds: 0), .init(nanoseconds: -1), .init(nanoseconds: 1_000_000_001),
    .init(nanoseconds: .min),
    .init(nanoseconds: .max),
  ]) func `a time is unchanged after it was set and read`(time: Timestamp) {
    #expect((0..<1_000_000_000).contains(time.timespec.tv_nsec))
    #expect(Timestamp(time.timespec) == time)
  }

  @Test func `a folder that changed while it was synced is synced again`() {
    var folders = UnsyncedFolders()
    folders.note([1])
    folders.note([2])
    let taken = folders.changes
    folders.note([1])
    folders.forget(taken)
    #expect(Set(folders.changes.keys) == [[1]])
  }

  @Test(arguments: [true, false]) func `a file is opened through a folder, and never through a link`(
    isOneCall: Bool
  ) throws {
    let box = try Sandbox()
    try box.put("text", at: "in/file")
    for (name, destination) in [("linked", "in"), ("in/link", "in/file")] {
      try FileManager.default.createSymbolicLink(
        atPath: box.at(name), withDestinationPath: box.at(destination))
    }
    let folder = try OpenFolder(path: box.at("."))
    func open(_ inner: String, _ name: String) throws -> [UInt8] {
      let file =
        try isOneCall ? folder.open(name, inFolder: inner) : folder.openInSteps(name, inFolder: inner)
      return try file.readAll(limit: 10)
    }
    #expect(try open("in", "file") == Array("text".utf8))
    #expect(throws: SystemError.self) { try open("linked", "file") }
    #expect(throws: SystemError.self) { try open("in", "link") }
    #expect(throws: SystemError(ENOENT)) { try open("in", "none") }
  }

  @Test(arguments: [
    (".a.syncmake-abc123", true), (".a.b.syncmake-zzzzzz", true), ("a.syncmake-abc123", false),
    (".a.syncmake-abc12", false), (".a.syncmake-ABC123", false), (".syncmake-abc123", false), ("", false),
  ]) func `temporary names are recognised`(name: String, isOurs: Bool) {
    #expect(OrphanMarker.isTemporary(name) == isOurs)
  }
}
