import Foundation
import SyncTestSupport
import Testing

/// A folder, or a file of an archive, for which the disk has no room fails before it is written.
@Suite(.enabled(if: SyncmakeProgram.path != nil && OwnFileSystem.isPossible)) struct RoomTests {
  private final class World {
    let folder: TemporaryFolder
    let disk: OwnFileSystem
    private let program: String

    init() throws {
      program = try #require(SyncmakeProgram.path)
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: folder.path("root"), withIntermediateDirectories: true)
      disk = try OwnFileSystem(at: folder.path("root"))
    }

    func serve(_ form: String, _ files: [String: [UInt8]], entry: String? = nil) throws {
      let archive = try TestArchives.make(form, files.keys.sorted().map { "\($0)=\($0)" }, files: files)
      try folder.write(archive, to: "archive.\(form)")
      let step = entry.map { "{unpack: {entry: \($0)}}" } ?? "unpack"
      let rest = "output: docs\(entry == nil ? "/" : ""), freshness: always, steps: [\(step)]"
      try folder.write(
        """
        version: 1
        targets:
          docs: {url: "file://\(folder.path("archive.\(form)"))", \(rest)}
        """, to: "root/syncmake.yaml")
    }

    /// With only so many KiB left for the run.
    func run(free: Int) throws -> ProcessResult {
      try disk.remount("size=\(disk.used + free)k")
      defer { try? disk.remount("size=64m") }
      return try runProcess(
        program, ["-C", folder.path("root"), "--json"],
        environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path("home")], timeoutSeconds: 60)
    }
  }

  /// They compress well, so that the archive itself needs little room.
  private static func text(_ count: Int, _ letter: Character) -> [UInt8] {
    Array(repeating: letter.asciiValue ?? 0, count: count)
  }

  @Test(arguments: ["zip", "7z"].filter(TestArchives.canMake))
  func `an archive that is larger than the room is refused at once`(form: String) throws {
    let world = try World()
    try world.serve(form, ["a": Self.text(100, "a"), "big": Self.text(3 << 20, "b")])
    let failed = try world.run(free: 2048)
    #expect(failed.status == 2)
    #expect(failed.stdout.contains("\"code\": \"disk-full\""))
    #expect(failed.stdout.contains("docs needs 3.1 MB or more, and its disk has "))
    #expect(!world.folder.exists("root/docs"))
    #expect(try world.run(free: 8192).status == 0)
    #expect(world.folder.read("root/docs/big")?.count == 3 << 20)
  }

  @Test(arguments: ["zip", "7z", "xar", "tar.gz"].filter(TestArchives.canMake))
  func `a file of an archive that is larger than the room is refused at once`(form: String) throws {
    let world = try World()
    try world.serve(form, ["a": Self.text(100, "a"), "big": Self.text(3 << 20, "b")], entry: "big")
    let failed = try world.run(free: 2048)
    #expect(failed.status == 2)
    #expect(failed.stdout.contains("\"code\": \"disk-full\""))
    #expect(failed.stdout.contains("docs needs 3.1 MB or more, and its disk has "), "\(failed.stdout)")
    #expect(!world.folder.exists("root/docs"))
    #expect(try world.run(free: 8192).status == 0)
    #expect(world.folder.read("root/docs")?.count == 3 << 20)
    // A small file of the same archive needs no room for the large one.
    try world.serve(form, ["a": Self.text(100, "a"), "big": Self.text(3 << 20, "b")], entry: "a")
    #expect(try world.run(free: 2048).status == 0)
    #expect(world.folder.read("root/docs")?.count == 100)
  }

  @Test(arguments: ["zip", "7z"].filter(TestArchives.canMake))
  func `a file that stays needs no room`(form: String) throws {
    let world = try World()
    try world.serve(form, ["a": Self.text(100, "a"), "big": Self.text(3 << 20, "b")])
    #expect(try world.run(free: 8192).status == 0)
    try world.serve(form, ["a": Self.text(200, "c"), "big": Self.text(3 << 20, "b")])
    let end = try world.run(free: 1024)
    #expect(end.status == 0, "\(end)")
    #expect(world.folder.read("root/docs/a")?.count == 200)
  }

  @Test func `a download that is larger than the room is refused at once`() throws {
    let world = try World()
    let server = try LoopbackServer()
    let tar = try TestArchives.make("tar", ["big=big"], files: ["big": TestData.random(3 << 20, seed: 1)])
    server.on("/a.tar", .file(tar, etag: "\"1\""))
    try world.folder.write(
      """
      version: 1
      targets:
        docs: {url: "\(server.url("/a.tar"))", output: docs/, retries: 0, steps: [unpack]}
      """, to: "root/syncmake.yaml")
    let failed = try world.run(free: 2048)
    #expect(failed.status == 2)
    #expect(failed.stdout.contains("\"code\": \"disk-full\""))
    #expect(failed.stdout.contains(".syncmake needs 3.2 MB or more, and its disk has "))
    #expect(try world.run(free: 8192).status == 0)
  }
}
