#if os(Linux)
  import Foundation
  import SyncTestSupport
  import Testing

  /// Outputs from a cache that share its blocks, on file systems that can do that.
  @Suite(.waits, .enabled(if: SyncmakeProgram.path != nil)) struct CacheCloneTests {
    /// A file system in a file; needs the right to mount, and the tools that make it.
    final class LoopFileSystem {
      let path: String

      init?(_ kind: String, in folder: TemporaryFolder) throws {
        path = folder.path("disk")
        let image = folder.path("image")
        let script = """
          truncate -s 600M '\(image)' && mkdir '\(path)' && PATH=$PATH:/usr/sbin:/sbin && mkfs.\(kind) -q '\(image)' &&
          mount -o loop '\(image)' '\(path)'
          """
        guard geteuid() == 0, try runProcess("/bin/sh", ["-c", script], timeoutSeconds: 60).status == 0 else {
          return nil
        }
      }

      deinit { _ = try? runProcess("/usr/bin/env", ["umount", "-l", path]) }
    }

    /// The program run in two roots with one cache, all on one disk; returns the space that the second run took, in bytes.
    private func spaceOfHit(on disk: String, _ configuration: String) throws -> Int64 {
      let program = try #require(SyncmakeProgram.path)
      let body = TestData.random(24 << 20, seed: 1)
      let server = try LoopbackServer()
      server.on("/data", .file(body, etag: "\"1\""))
      let manifest = """
        version: 1
        targets:
          data: {url: "\(server.url())/data", freshness: {sha256: \(try TestData.digest("sha256", body))}, mode: "0640"}
        """
      let files = FileManager.default
      try Data("cache: cache\n\(configuration)\n".utf8).write(to: URL(fileURLWithPath: disk + "/config.yaml"))
      var taken: Int64 = 0
      for root in ["one", "two"] {
        try files.createDirectory(atPath: "\(disk)/\(root)", withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(disk)/\(root)/syncmake.yaml"))
        let before = try free(disk)
        let end = try runProcess(
          program, ["-C", "\(disk)/\(root)", "--config", disk + "/config.yaml", "--json"],
          environment: ["PATH": "/usr/bin:/bin", "HOME": disk], timeoutSeconds: 60)
        #expect(end.status == 0 && end.stderr.isEmpty, "\(end)")
        #expect(end.stdout.contains(root == "one" ? "\"from\": \"origin\"" : "\"from\": \"local-cache\""))
        #expect(files.contents(atPath: "\(disk)/\(root)/data") == Data(body))
        var status = stat()
        let isThere = stat("\(disk)/\(root)/data", &status) == 0
        #expect(isThere && status.st_mode & 0o777 == 0o640)
        taken = before - (try free(disk))
      }
      #expect(try files.contentsOfDirectory(atPath: "\(disk)/two/.syncmake/staging").isEmpty)
      // The output is a file of its own: an edit of it changes nothing in the cache.
      let output = try #require(FileHandle(forUpdatingAtPath: "\(disk)/two/data"))
      try output.write(contentsOf: Data("edited".utf8))
      try output.close()
      let check = try runProcess(
        program, ["cache", "verify", "--config", disk + "/config.yaml"],
        environment: ["PATH": "/usr/bin:/bin", "HOME": disk], timeoutSeconds: 60)
      #expect(check.status == 0, "\(check)")
      return taken
    }

    private func free(_ path: String) throws -> Int64 {
      _ = try runProcess("/usr/bin/env", ["sync"], timeoutSeconds: 60)
      var status = statvfs()
      let code = statvfs(path, &status)
      try #require(code == 0)
      return Int64(status.f_bfree) * Int64(status.f_frsize)
    }

    @Test(arguments: ["btrfs", "xfs"]) func `a hit is a clone where the file system has them`(kind: String)
      throws
    {
      let folder = try TemporaryFolder()
      // Without the right or the tools there is nothing to see.
      guard let disk = try LoopFileSystem(kind, in: folder) else { return }
      #expect(try spaceOfHit(on: disk.path, "") < 8 << 20)
    }

    @Test(arguments: ["btrfs"]) func `a copy takes its space there, too`(kind: String) throws {
      let folder = try TemporaryFolder()
      guard let disk = try LoopFileSystem(kind, in: folder) else { return }
      #expect(try spaceOfHit(on: disk.path, "cache_link: copy") > 20 << 20)
    }

    @Test func `elsewhere it is a copy`() throws {
      let folder = try TemporaryFolder()
      _ = try spaceOfHit(on: folder.path, "cache_link: reflink")
    }
  }
#endif
