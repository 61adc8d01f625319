import Foundation
import SyncTestSupport
import Testing

#if os(Linux)
  /// File systems and sandboxes without some features: a run works without them if that is safe, else it names the
  /// missing feature.
  @Suite(.waits, .enabled(if: RefusedCalls.library != nil && SyncmakeProgram.path != nil, "no C compiler"))
  struct RefusedCallTests {
    /// A root with a small file, a large one that can be resumed, one that is unpacked, and one with a mode.
    private static func root(_ server: LoopbackServer) throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      for (name, bytes) in files { server.on("/\(name)", .file(bytes, etag: "\"1\"")) }
      server.on("/packed.gz", .file(try TestData.gzip(files["large"]!), etag: "\"1\""))
      try folder.write(
        """
        version: 1
        targets:
          small: {url: "\(server.url())/small"}
          large: {url: "\(server.url())/large"}
          packed: {url: "\(server.url())/packed.gz", steps: [gunzip]}
        """, to: "syncmake.yaml")
      return folder
    }

    private static let files: [String: [UInt8]] = [
      "small": Array("small\n".utf8), "large": TestData.random(300_000, seed: 1),
    ]

    private static func run(_ folder: TemporaryFolder, _ calls: String, _ options: [String] = []) throws
      -> ProcessResult
    {
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = RefusedCalls.library
      environment["REFUSED_CALLS"] = calls
      return try runProcess(
        try #require(SyncmakeProgram.path), ["-C", folder.path] + options, environment: environment)
    }

    /// 1: EPERM, 22: EINVAL, 37: ENOLCK, 38: ENOSYS, 95: EOPNOTSUPP.
    @Test(arguments: [
      "flock=38", "flock=95", "flock=22", "flock=37", "fchmod=1", "fchmod=95", "fchmod=22", "fchmod=38",
      "renameat2=1", "renameat2=95", "renameat2=22", "renameat2=38", "tmpfile=95", "tmpfile=22", "tmpfile=1",
      "linkat=1", "renameat2=1,tmpfile=95,fchmod=1,flock=38,linkat=95",
    ])
    func `a run works without optional system calls`(_ calls: String) throws {
      let server = try LoopbackServer()
      let folder = try Self.root(server)
      let first = try Self.run(folder, calls)
      #expect(first.status == 0, "\(first.stderr)")
      #expect(folder.read("small") == Self.files["small"])
      #expect(folder.read("large") == Self.files["large"])
      #expect(folder.read("packed") == Self.files["large"])
      let next = try Self.run(folder, calls, ["--json"])
      #expect(next.stdout.contains("\"fresh\": 3"), "\(next)")

      for name in ["small", "large"] { server.on("/\(name)", .file([1, 2, 3], etag: "\"2\"")) }
      #expect(try Self.run(folder, calls).status == 0)
      #expect(folder.read("small") == [1, 2, 3])
      #expect(folder.read("large") == [1, 2, 3])
    }

    @Test func `range locks also keep a second run out`() throws {
      let server = try LoopbackServer()
      let folder = try Self.root(server)
      server.on("/large", .file(try #require(Self.files["large"]), etag: "\"1\"").held(until: "gate"))
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = RefusedCalls.library
      environment["REFUSED_CALLS"] = "flock=38"
      let first = try startProcess(
        try #require(SyncmakeProgram.path), ["-C", folder.path], environment: environment)
      #expect(server.wait { !$0.requests(to: "/large").isEmpty })
      let second = try Self.run(folder, "flock=38", ["--no-wait"])
      #expect(second.status == 2)
      #expect(second.stderr.contains("another run holds this root"))
      server.release("gate")
      #expect(first.wait(seconds: 20).status == 0)
    }

    @Test func `without file locks no run begins, and the message names the reason`() throws {
      let folder = try Self.root(try LoopbackServer())
      let result = try Self.run(folder, "flock=38,ofd=38")
      #expect(result.status == 2)
      #expect(result.stderr.contains("the file system has no locks (Function not implemented)"))
      #expect(result.stderr.contains("choose a folder on another file system with --state-dir"))
      #expect(!folder.exists("small"))
    }

    /// 5: EIO.
    @Test func `an update whose lock was put in place is not undone, and the next run fetches nothing`()
      throws
    {
      let server = try LoopbackServer()
      let folder = try Self.root(server)
      #expect(try Self.run(folder, "", ["lock"]).status == 0)
      for name in ["small", "large"] { server.on("/\(name)", .file([1, 2, 3], etag: "\"2\"")) }
      let old = folder.text("syncmake.lock")

      let update = try Self.run(folder, "locksync=5", ["update", "--json"])
      #expect(update.status == 2)
      #expect(update.stderr.contains("Input/output error"), "\(update.stderr)")
      #expect(update.stderr.contains("syncmake.lock is the new one"), "\(update.stderr)")
      #expect(update.stdout.contains("\"moved\": 2"), "\(update.stdout)")
      #expect(!update.stdout.contains("\"skipped\""), "\(update.stdout)")
      #expect(folder.text("syncmake.lock") != old)
      #expect(folder.read("small") == [1, 2, 3])
      #expect(folder.read("large") == [1, 2, 3])

      server.clearLog()
      let next = try Self.run(folder, "", ["--json"])
      #expect(next.status == 0, "\(next.stderr)")
      #expect(next.stdout.contains("\"fresh\": 3"), "\(next.stdout)")
      #expect(server.requests.isEmpty)
    }

    @Test func `a lock that was put in place but may not be on the disk is told to be the new one`() throws {
      let server = try LoopbackServer()
      let folder = try Self.root(server)
      #expect(try Self.run(folder, "", ["lock"]).status == 0)
      let old = folder.text("syncmake.lock")
      server.on("/more", .file([1, 2, 3], etag: "\"1\""))
      let manifest = try #require(folder.text("syncmake.yaml"))
      try folder.write(manifest + "\n  more: {url: \"\(server.url())/more\"}\n", to: "syncmake.yaml")
      let lock = try Self.run(folder, "locksync=5", ["lock", "--json"])
      #expect(lock.status == 2)
      #expect(lock.stderr.contains("Input/output error"), "\(lock.stderr)")
      #expect(lock.stderr.contains("syncmake.lock is the new one"), "\(lock.stderr)")
      #expect(lock.stdout.contains("\"added\": 1"), "\(lock.stdout)")
      #expect(folder.text("syncmake.lock") != old)
      #expect(try Self.run(folder, "", ["--frozen"]).status == 0)
    }

    @Test func `a group is whole although a folder that is in place could not be synced`() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        """
        version: 1
        targets:
          docs: {url: a.tar, output: docs/, steps: [unpack]}
          index: {url: files/a, output: index}
        groups: {release: {targets: [docs, index], together: true}}
        """, to: "syncmake.yaml")
      func pack(_ text: String) throws {
        try folder.write(text, to: "files/a")
        let tar = try runProcess(
          "/usr/bin/env", ["tar", "-C", folder.path("files"), "-cf", folder.path("a.tar"), "a"])
        #expect(tar.status == 0, "\(tar.stderr)")
      }
      try pack("one")
      #expect(try Self.run(folder, "").status == 0)
      try pack("the second")
      let result = try Self.run(folder, "exchangesync=5")
      #expect(result.status == 0, "\(result.stderr)")
      for name in ["docs/a", "index"] { #expect(folder.text(name) == "the second") }
      let next = try Self.run(folder, "", ["--json"])
      #expect(next.stdout.contains("\"fresh\": 2"), "\(next.stdout)")
    }

    @Test func `a mode in the manifest is not ignored`() throws {
      let server = try LoopbackServer()
      server.on("/small", .text("small\n"))
      let folder = try TemporaryFolder()
      try folder.write(
        "version: 1\ntargets: {small: {url: \"\(server.url())/small\", mode: \"0606\"}}\n",
        to: "syncmake.yaml")
      let result = try Self.run(folder, "fchmod=1")
      #expect(result.status == 2)
      #expect(
        result.stderr.contains(
          "cannot write small: the file system stores no permissions (Operation not permitted)"))
      #expect(result.stderr.contains("remove `mode`"))
      #expect(!folder.exists("small"))
    }
  }

  /// The library that refuses calls, built from `Tests/Support/Tools/refuse-calls.c`; `nil` without a C compiler.
  enum RefusedCalls {
    private static let folder = try? TemporaryFolder()

    static let library: String? = {
      guard let folder else { return nil }
      let path = folder.path("refuse-calls.so")
      let built = try? runProcess(
        "/usr/bin/env",
        ["cc", "-O1", "-shared", "-fPIC", "-o", path, TestTools.path("refuse-calls.c"), "-ldl"])
      return built?.status == 0 ? path : nil
    }()
  }
#endif
