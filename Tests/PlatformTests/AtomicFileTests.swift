import Foundation
import Platform
import Testing

/// A folder for one test.
private final class Folder {
  let path = FileManager.default.temporaryDirectory.path + "/platform-" + UUID().uuidString

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }
}

@Suite struct AtomicFileTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func `a file is replaced in one step, and nothing else is left`() {
    #expect(AtomicFile.replace("\(folder.path)/a", with: Array("old".utf8)))
    #expect(AtomicFile.replace("\(folder.path)/a", with: Array("new".utf8)))
    #expect(folder.names == ["a"])
    #expect(folder.text("a") == "new")
  }

  @Test func `a discarded new file leaves the old one`() {
    AtomicFile.replace("\(folder.path)/a", with: Array("old".utf8))
    #expect(!AtomicFile.replace("\(folder.path)/a") { _ in nil })
    #expect(folder.names == ["a"])
    #expect(folder.text("a") == "old")
  }

  @Test func `a folder in the way leaves nothing of the new file`() throws {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/a/b", withIntermediateDirectories: true)
    #expect(!AtomicFile.replace("\(folder.path)/a", with: [1]))
    #expect(folder.names == ["a"])
  }

  @Test func `a file that a killed run left is removed, and not written through`() throws {
    try "kept".write(toFile: "\(folder.path)/other", atomically: false, encoding: .utf8)
    #expect(link("\(folder.path)/other", "\(folder.path)/a.new") == 0)
    #expect(AtomicFile.replace("\(folder.path)/a", with: Array("new".utf8)))
    #expect(folder.text("other") == "kept")
    try "torn".write(toFile: "\(folder.path)/a.new", atomically: false, encoding: .utf8)
    AtomicFile.clear("\(folder.path)/a")
    #expect(folder.names == ["a", "other"])
  }

  @Test func `a file that is never published is removed`() throws {
    do {
      let new = try AtomicFile("\(folder.path)/a")
      try new.file.write([1])
      #expect(folder.names == ["a"])
    }
    #expect(folder.names == [])
  }

  @Test(arguments: [0, 1, 4096, 70_000, 200_000]) func `a whole file is read, up to the limit`(size: Int)
    throws
  {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    AtomicFile.replace("\(folder.path)/a", with: bytes)
    let file = try Descriptor("\(folder.path)/a", in: AT_FDCWD, O_RDONLY)
    let (all, most, some) = (
      try file.readAll(limit: .max), try file.readAll(limit: 70_001), try file.read(upTo: 10, at: 3)
    )
    #expect(all == bytes)
    #expect(most == Array(bytes.prefix(70_001)))
    #expect(some == Array(bytes.dropFirst(3).prefix(10)))
    var blocks: [UInt8] = []
    try file.readBlocks { block in
      blocks += block
      return true
    }
    #expect(blocks == bytes)
  }

  #if os(Linux)
    @Test func `a system file without a size is read whole`() throws {
      let bytes = try Descriptor("/proc/self/status", in: AT_FDCWD, O_RDONLY).readAll(limit: 1 << 20)
      #expect(bytes.starts(with: "Name:".utf8))
    }
  #endif
}
