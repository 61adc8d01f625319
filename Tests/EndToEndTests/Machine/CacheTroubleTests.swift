import Foundation
import SyncTestSupport
import Testing

/// A cache on an unusual or full disk costs at most one warning, and never an outcome.
@Suite(.waits, .enabled(if: SyncmakeProgram.path != nil)) struct CacheTroubleTests {
  private struct World {
    static let body = TestData.random(300_000, seed: 1)
    let folder: TemporaryFolder
    let server: LoopbackServer
    let program: String

    init() throws {
      program = try #require(SyncmakeProgram.path)
      folder = try TemporaryFolder()
      server = try LoopbackServer()
      server.on("/large", .file(Self.body, etag: "\"1\""))
      server.on("/small", .file(Array("small\n".utf8), etag: "\"2\""))
      for root in ["one", "two"] {
        try folder.write(
          """
          version: 1
          targets:
            large: {url: "\(server.url())/large", freshness: {sha256: \(try TestData.digest("sha256", Self.body))}}
            small: {url: "\(server.url())/small"}
          """, to: "\(root)/syncmake.yaml")
      }
    }

    func run(_ root: String, _ more: [String: String] = [:]) throws -> ProcessResult {
      let environment = [
        "PATH": "/usr/bin:/bin", "HOME": folder.path("home"), "SYNCMAKE_CACHE": folder.path("cache"),
      ]
      let end = try runProcess(
        program, ["-C", folder.path(root), "--json"], environment: environment.merging(more) { $1 },
        timeoutSeconds: 60)
      #expect(end.status == 0, "\(end)")
      #expect(folder.read("\(root)/large") == Self.body)
      #expect(folder.text("\(root)/small") == "small\n")
      return end
    }
  }

  /// No room for a file; room for bytes, but for no further file.
  @Test(.enabled(if: OwnFileSystem.isPossible), arguments: ["size=1m", "size=200m,nr_inodes=5"])
  func `a full cache costs one warning`(_ options: String) throws {
    let world = try World()
    try FileManager.default.createDirectory(
      atPath: world.folder.path("cache"), withIntermediateDirectories: true)
    let disk = try OwnFileSystem(at: world.folder.path("cache"))
    try disk.remount(options)
    for root in ["one", "two"] {
      let end = try world.run(root)
      #expect(end.stderr.components(separatedBy: "cannot use the cache").count == 2, "\(end)")
      #expect(end.stderr.contains("No space left on device"))
      #expect(end.stdout.contains("\"stored\": 0"))
    }
  }

  /// Bodies for a server wait in the state folder, where they leave room for outputs.
  @Test(.enabled(if: OwnFileSystem.isPossible))
  func `a full disk costs uploads and one warning`() throws {
    let world = try World()
    let state = world.folder.path("one/.syncmake")
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    let disk = try OwnFileSystem(at: state)
    try disk.remount("size=8m")
    let cache = try LoopbackServer()
    try world.folder.write(
      "remote_cache: {url: \"\(cache.url())/sm\", mode: write}\n", to: "home/.config/syncmake/config.yaml")
    let end = try world.run("one", ["SYNCMAKE_CACHE": "off"])
    let fault = "bodies cannot wait for their upload: No space left on device"
    #expect(end.stderr.components(separatedBy: fault).count == 2, "\(end)")
    #expect(end.stderr.contains("check the free space there"))
    #expect(end.stdout.contains("\"stored\": 0") && end.stdout.contains("\"errors\": 2"), "\(end)")
    #expect(cache.requests.isEmpty)
  }

  #if os(Linux)
    /// 1: EPERM, 38: ENOSYS, 95: EOPNOTSUPP.
    @Test(
      .enabled(if: RefusedCalls.library != nil, "no C compiler"),
      arguments: [
        "flock=38", "tmpfile=95", "linkat=1", "tmpfile=95,fchmod=1,renameat2=38", "linkat=1,flock=38",
      ])
    func `a cache works without optional system calls`(_ calls: String) throws {
      let world = try World()
      let refusal = ["LD_PRELOAD": RefusedCalls.library ?? "", "REFUSED_CALLS": calls]
      let first = try world.run("one", refusal)
      #expect(first.stderr.isEmpty && first.stdout.contains("\"stored\": 2"), "\(first)")
      world.server.clearLog()
      let second = try world.run("two", refusal)
      #expect(second.stdout.contains("\"hits\": 2"), "\(second)")
      #expect(world.server.requests.map(\.path) == ["/small"])
      let files = FileManager.default
      #expect(try files.contentsOfDirectory(atPath: world.folder.path("cache/tmp")).isEmpty)
      #expect(try files.contentsOfDirectory(atPath: world.folder.path("cache/locks")).isEmpty)
    }
  #endif
}
