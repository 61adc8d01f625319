import Foundation
import SyncTestSupport
import Testing

/// A state folder that cannot be written: the message names the folder and the reason.
@Suite(.enabled(if: SyncmakeProgram.path != nil)) struct StateTroubleTests {
  private func run(_ arguments: [String], as prefix: [String] = []) throws -> ProcessResult {
    let command = prefix + [try #require(SyncmakeProgram.path)] + arguments
    return try runProcess(command[0], Array(command.dropFirst()))
  }

  @Test(.enabled(if: SmallDisk.isPossible, "nothing can be mounted here"))
  func `if the state's disk is full, the message names it and the largest download on it`() throws {
    let server = try LoopbackServer()
    let folder = try TemporaryFolder()
    let disk = try SmallDisk(at: folder.path("state"), kilobytes: 512)
    server.on("/huge", .file(TestData.random(3_000_000, seed: 1), etag: "\"1\""))
    server.on("/other", .file(TestData.random(100_000, seed: 2), etag: "\"1\""))
    try folder.write(
      """
      version: 1
      targets:
        huge: {url: "\(server.url())/huge"}
        other: {url: "\(server.url())/other"}
      """, to: "root/syncmake.yaml")
    let options = ["-C", folder.path("root"), "--state-dir", disk.path]
    let first = try run(options + ["huge"])
    #expect(first.status == 2)
    #expect(first.stderr.contains("no space is left in the state folder \(disk.path)"), "\(first.stderr)")

    // Messages of other targets name a kept download that fills the disk.
    let second = try run(options + ["other", "--json"])
    #expect(second.status == 2)
    #expect(second.stdout.contains("\"code\": \"disk-full\""))
    let kept = try #require(
      try FileManager.default.contentsOfDirectory(atPath: disk.path + "/partial").first {
        $0.hasSuffix(".part")
      })
    #expect(
      second.stderr.contains(
        "no space is left in the state folder \(disk.path), where \(disk.path)/partial/\(kept)"),
      "\(second.stderr)")
    #expect(second.stderr.contains("of a download"))
    #expect(second.stderr.contains("or you can remove it"))

    try FileManager.default.removeItem(atPath: disk.path + "/partial/\(kept)")
    #expect(try run(options + ["other"]).status == 0)
    #expect(folder.read("root/other") == TestData.random(100_000, seed: 2))
  }

  @Test(.enabled(if: SmallDisk.isPossible, "nothing can be mounted here"))
  func `an update that fills the disk changes nothing, and the next one succeeds`() throws {
    let server = try LoopbackServer()
    let folder = try TemporaryFolder()
    let disk = try SmallDisk(at: folder.path("root"), kilobytes: 2048)
    let names = ["a", "b", "c"]
    func serve(_ version: UInt64) {
      for (number, name) in names.enumerated() {
        server.on(
          "/\(name)",
          .file(TestData.random(200_000, seed: version * 10 + UInt64(number)), etag: "\"\(name)\(version)\""))
      }
    }
    func holds(_ version: UInt64) -> Bool {
      names.enumerated().allSatisfy {
        folder.read("root/\($1)") == TestData.random(200_000, seed: version * 10 + UInt64($0))
      }
    }
    serve(1)
    let targets = names.map { "  \($0): {url: \"\(server.url())/\($0)\"}\n" }.joined()
    try folder.write("version: 1\ntargets:\n\(targets)", to: "root/syncmake.yaml")
    let options = ["-C", disk.path]
    #expect(try run(options + ["lock"]).status == 0)
    let lock = folder.text("root/syncmake.lock")
    #expect(holds(1))

    serve(2)
    try folder.write(String(repeating: "x", count: disk.freeKilobytes * 1024 - 350_000), to: "root/filler")
    let failed = try run(options + ["update", "-j", "1"])
    #expect(failed.status == 2, "\(failed)")
    #expect(
      failed.stderr.contains("no space is left in the state folder .syncmake"),
      "\(failed.stderr)")
    #expect(holds(1))
    #expect(folder.text("root/syncmake.lock") == lock)

    try FileManager.default.removeItem(atPath: disk.path + "/filler")
    let freed = try run(options + ["update"])
    #expect(freed.status == 0, "\(freed)")
    #expect(holds(2))
    #expect(folder.text("root/syncmake.lock") != lock)
  }

  @Test(
    .enabled(
      if: geteuid() == 0 && SyncmakeProgram.path.map(OrdinaryUser.canRun) == true, "only root can be two"))
  func `a state that belongs to another user is reported`() throws {
    let server = try LoopbackServer()
    server.on("/a", .file(Array("a\n".utf8), etag: "\"1\""))
    let folder = try TemporaryFolder()
    try folder.write("version: 1\ntargets: {a: {url: \"\(server.url())/a\"}}\n", to: "syncmake.yaml")
    #expect(try run(["-C", folder.path]).status == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    // The file changes, so that there is work.
    server.on("/a", .file(Array("b\n".utf8), etag: "\"2\""))
    let result = try run(["-C", folder.path], as: OrdinaryUser.command([]))
    #expect(result.status == 2)
    #expect(result.stderr.contains(".syncmake/lock: it belongs to root"), "\(result.stderr)")
    #expect(result.stderr.contains("run as that user, or choose another folder with --state-dir"))
    #expect(!result.stderr.contains("read-only"))
    #expect(folder.text("a") == "a\n")
    // Nobody but root could make a new one either.
    try FileManager.default.removeItem(atPath: folder.path(".syncmake"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    let without = try run(["-C", folder.path], as: OrdinaryUser.command([]))
    #expect(without.status == 2)
    #expect(
      without.stderr.contains(".syncmake: it does not exist, and its folder belongs to root"),
      "\(without.stderr)")
    #expect(!without.stderr.contains("--state-dir"))
  }

  @Test(arguments: [4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24])
  func `with too few descriptors a run fails at once with a clear message`(_ limit: Int) throws {
    let server = try LoopbackServer()
    server.on("/a", .file(TestData.random(100_000, seed: 2), etag: "\"1\""))
    let folder = try TemporaryFolder()
    try folder.write("version: 1\ntargets: {a: {url: \"\(server.url())/a\"}}\n", to: "syncmake.yaml")
    let result = try run(
      [try #require(SyncmakeProgram.path), "-C", folder.path],
      as: ["/bin/sh", "-c", "ulimit -n \(limit); shift; exec \"$@\"", "sh"])
    if result.status == 0 { return #expect(limit > 14) }
    #expect(result.status == 2, "\(result)")
    #expect(limit < 20)
    #expect(result.stderr.contains("the limit on open files is too low for a run"), "\(result.stderr)")
    #expect(result.stderr.contains("raise the hard limit on open files"))
    for command in ["plan", "status", "clean"] {
      let other = try run(
        [try #require(SyncmakeProgram.path), "-C", folder.path, command],
        as: ["/bin/sh", "-c", "ulimit -n \(limit); shift; exec \"$@\"", "sh"])
      #expect(other.status != 70, "\(command): \(other)")
    }
  }
}

/// A small file system in memory; needs the right to mount, which a container's root often lacks.
private final class SmallDisk {
  let path: String

  static let isPossible: Bool = {
    guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
    return (try? SmallDisk(at: folder.path("disk"), kilobytes: 64)) != nil
  }()

  init(at path: String, kilobytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let end = try runProcess(
      "/usr/bin/env", ["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "none", path])
    guard end.status == 0 else { throw ProcessFailure(call: "mount: \(end.stderr)", code: EPERM) }
  }

  deinit { _ = try? runProcess("/usr/bin/env", ["umount", "-l", path]) }

  var freeKilobytes: Int {
    var status = statvfs()
    statvfs(path, &status)
    return Int(status.f_bavail) * Int(status.f_frsize) / 1024
  }
}
