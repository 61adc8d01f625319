import Foundation
import SyncTestSupport
import Testing

/// A cache on a server, with real servers and other programs.
struct CacheWorld {
  static let large = TestData.random(3_000_000, seed: 5)
  let origin: LoopbackServer

  init() throws {
    origin = try LoopbackServer()
    origin.on("/large", .file(Self.large, etag: "\"1\""))
    origin.on("/small.gz", .file(try TestData.gzip(Array("small\n".utf8)), etag: "\"2\""))
  }

  /// A new root with a configuration of this cache; `digests` if its manifest has them.
  func root(_ cache: String, mode: String = "read", trust: String = "digest", digests: Bool = false) throws
    -> ProgramFolder
  {
    let freshness = digests ? ", freshness: {sha256: \(try TestData.digest("sha256", Self.large))}" : ""
    let root = try ProgramFolder(
      manifest: """
        version: 1
        targets:
          large: {url: "\(origin.url())/large"\(freshness)}
          small: {url: "\(origin.url())/small.gz", output: small, steps: [gunzip]}
        """)
    try root.folder.write(
      "remote_cache: {url: \"\(cache)\", mode: \(mode), trust: \(trust)}\n", to: "config.yaml")
    return root
  }

  /// What every run has in its environment.
  var environment: [String: String] = [:]

  func run(_ root: ProgramFolder, _ more: String...) throws -> ProcessResult {
    let arguments = ["--config", "config.yaml", "--json"] + more
    let end = try root.start(arguments, environment: environment).wait(seconds: 60)
    #expect(end.status == 0 && end.stderr.isEmpty, "\(end)")
    #expect(root.folder.read("large") == Self.large && root.folder.text("small") == "small\n")
    return end
  }

  /// One machine fills the cache; others take from it.
  func play(_ cache: String) throws {
    let first = try run(root(cache, mode: "read-write"))
    #expect(first.stdout.contains("\"stored\": 2"), "\(first)")
    origin.clearLog()
    let named = try root(cache, digests: true)
    #expect(try run(named).stdout.contains("\"hits\": 1"))
    #expect(origin.requests.map(\.path) == ["/small.gz"])
    origin.clearLog()
    let believing = try run(root(cache, trust: "writers"))
    #expect(believing.stdout.contains("\"hits\": 2"), "\(believing)")
    // Its server has only said that it still has these versions.
    #expect(origin.requests.count == 2 && origin.requests.allSatisfy { $0.bytesSent == 0 })
    // With a lock and a warm cache no request goes to the sources.
    let locked = try root(cache)
    _ = try run(locked)
    let lock = try locked.start(["lock", "--config", "config.yaml"], environment: environment).wait(
      seconds: 60)
    #expect(lock.status == 0, "\(lock)")
    let other = try root(cache)
    try other.folder.write(locked.folder.read("syncmake.lock") ?? [], to: "syncmake.lock")
    origin.clearLog()
    let end = try run(other, "--locked")
    #expect(end.stdout.contains("\"hits\": 2"), "\(end)")
    #expect(origin.requests.isEmpty)
  }
}

extension NginxTests {
  @Suite(.waits) struct `A cache on nginx` {
    private let server: NginxServer
    private var cache: String { server.url("/sm") }

    init() throws {
      server = try NginxServer(
        locations: """
          location /sm/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }
          """)
    }

    @Test func `is filled by one machine and read by others`() throws {
      try CacheWorld().play(cache)
      let files = FileTree(server.folder.path("files/sm/cas")).entries.count
      #expect(files == 2)
    }

    private static let protoc = "/usr/bin/protoc"

    @Test(.enabled(if: access(protoc, X_OK) == 0, "needs protoc"))
    func `another program reads the records there`() throws {
      let world = try CacheWorld()
      _ = try world.run(world.root(cache, mode: "write"))
      let folder = server.folder.path("files/sm/ac")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count == 2)
      for name in names {
        let read = try runProcess("/bin/sh", ["-c", "'\(Self.protoc)' --decode_raw < '\(folder)/\(name)'"])
        #expect(read.status == 0 && read.stdout.contains("1: \"download\""), "\(read)")
        #expect(read.stdout.contains("syncmake.record/1"))
      }
    }

    private static let ccache = "/usr/bin/ccache"

    @Test(
      .enabled(
        if: access(ccache, X_OK) == 0 && access("/usr/bin/cc", X_OK) == 0, "needs ccache and a C compiler"))
    func `is shared with ccache`() throws {
      let world = try CacheWorld()
      try world.play(cache)
      let work = try TemporaryFolder()
      try work.write("int one(void) { return 1; }\n", to: "one.c")
      func compile(_ own: String) throws -> String {
        let environment = [
          "PATH": "/usr/bin:/bin", "HOME": work.path, "CCACHE_DIR": work.path(own), "NO_PROXY": "*",
          "CCACHE_REMOTE_STORAGE": "\(cache)|layout=bazel",
        ]
        let end = try runProcess(
          Self.ccache, ["cc", "-c", "one.c", "-o", "one.o"], environment: environment,
          currentDirectory: work.path)
        #expect(end.status == 0, "\(end)")
        return try runProcess(Self.ccache, ["--print-stats"], environment: environment).stdout
      }
      _ = try compile("a")
      let stats = try compile("b")
      #expect(
        stats.contains("remote_storage_hit\t1") || stats.contains("remote_storage_read_hit\t"), "\(stats)")
      #expect(try world.run(world.root(cache, digests: true)).stdout.contains("\"hits\": 1"))
    }

    @Test func `a client that is not allowed to write costs a warning`() throws {
      let closed = try NginxServer(
        locations: "location /sm/ { dav_methods PUT; limit_except GET { deny all; } }")
      let world = try CacheWorld()
      let root = try world.root(closed.url("/sm"), mode: "write")
      let end = try root.start(["--config", "config.yaml"]).wait(seconds: 60)
      // The server may close the connection before its 403 is read, since it does not want the body.
      #expect(
        end.status == 0 && end.stderr.contains("warning: cannot use the cache \(closed.url("/sm"))"), "\(end)"
      )
    }
  }
}

extension NginxTests {
  @Suite(.waits) struct `The nginx of examples/cache` {
    @Test func `is a cache for many machines`() throws {
      let example = "\(ExampleFolder.project)/examples/cache"
      let port = try LoopbackServer.freePort()
      let folder = try TemporaryFolder()
      let text = try String(contentsOfFile: "\(example)/nginx.conf", encoding: .utf8)
      #expect(text.contains("listen 8380;") && text.contains("/srv/cache/"))
      let server = text.replacing("listen 8380;", with: "listen 127.0.0.1:\(port);")
        .replacing("/srv/cache/", with: folder.path + "/")
      try folder.write("pid nginx.pid;\nevents {}\nhttp {\n\(server)}\n", to: "nginx.conf")
      for name in ["files", "temp"] {
        try FileManager.default.createDirectory(
          atPath: folder.path(name), withIntermediateDirectories: true)
      }
      let nginx = try startProcess(
        "/usr/sbin/nginx",
        [
          "-p", folder.path, "-c", folder.path("nginx.conf"), "-e", "stderr", "-g",
          "daemon off; master_process off; error_log stderr notice;",
        ])
      defer { nginx.send(SIGKILL) }
      #expect(nginx.waitForStandardError(until: { $0.contains(": nginx/") }))
      let world = try CacheWorld()
      let cache = ["SYNCMAKE_REMOTE_CACHE": "http://127.0.0.1:\(port)/sm"]
      let writer = try String(contentsOfFile: "\(example)/writer.yaml", encoding: .utf8)
      for from in ["origin", "remote-cache"] {
        let root = try world.root("https://cache.example/sm")
        try root.folder.write(writer, to: "config.yaml")
        let end = try root.start(["--config", "config.yaml", "--json"], environment: cache).wait(seconds: 60)
        #expect(end.status == 0 && end.stderr.isEmpty, "\(end)")
        #expect(end.stdout.components(separatedBy: "\"from\": \"\(from)\"").count == 3, "\(end)")
      }
    }
  }
}

/// In place of bazel-remote, which no package of ours has: a stand-in with its rules.
@Suite(.waits, .enabled(if: access("/usr/bin/python3", X_OK) == 0, "needs Python")) struct `A strict cache` {
  private final class Server {
    let process: RunningProcess
    private(set) var url = ""

    init(_ limit: String...) throws {
      process = try startProcess("/usr/bin/python3", ["-B", TestTools.path("strict-cache.py")] + limit)
      _ = process.waitForStandardError(until: { $0.hasSuffix("\n") })
      let port = process.standardErrorSoFar.split(separator: "\n").first ?? ""
      url = "http://127.0.0.1:\(port)/main"
    }

    deinit { process.send(SIGKILL) }
  }

  @Test func `takes what a run puts there, and gives it to others`() throws {
    let server = try Server()
    try withExtendedLifetime(server) { try CacheWorld().play(server.url) }
  }

  @Test func `that is full costs a warning`() throws {
    let server = try Server("1000000")
    let world = try CacheWorld()
    let root = try world.root(server.url, mode: "read-write")
    let end = try root.start(["--config", "config.yaml"]).wait(seconds: 60)
    #expect(end.status == 0 && end.stderr.contains("it answered a PUT with status 507"), "\(end)")
    #expect(end.stderr.components(separatedBy: "cannot use the cache").count == 2)
    withExtendedLifetime(server) {}
  }
}
