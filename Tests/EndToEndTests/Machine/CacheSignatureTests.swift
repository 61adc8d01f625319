import Foundation
import SyncTestSupport
import Testing

/// The program that makes keys.
private enum MinisignTool {
  static let isHere = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
    FileManager.default.isExecutableFile(atPath: $0 + "/minisign")
  }
}

/// Records that a key of the real minisign signs, which openssl verifies.
@Suite(.waits, .enabled(if: SyncmakeProgram.path != nil && MinisignTool.isHere))
struct CacheSignatureTests {
  private let folder: TemporaryFolder
  private let server: LoopbackServer

  init() throws {
    folder = try TemporaryFolder()
    server = try LoopbackServer()
    server.on("/a", .file(Array("one\n".utf8), etag: "\"1\""))
    try folder.write("version: 1\ntargets: {a: {url: \"\(server.url())/a\"}}\n", to: "root/syncmake.yaml")
    let made = try runProcess(
      "/usr/bin/env", ["minisign", "-G", "-W", "-p", folder.path("key.pub"), "-s", folder.path("key.sec")])
    #expect(made.status == 0, "\(made)")
  }

  private func run(_ more: [String: String]) throws -> ProcessResult {
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path("home"), "SYNCMAKE_CACHE": folder.path("cache"),
    ]
    return try runProcess(
      #require(SyncmakeProgram.path), ["-C", folder.path("root"), "--json"],
      environment: environment.merging(more) { $1 }, timeoutSeconds: 60)
  }

  /// Takes the JSON out of the record, and gives it without `sig` and the signature to openssl.
  fileprivate static let check = """
    import base64, json, os, re, subprocess, sys
    folder, values = sys.argv[1:]
    public = base64.b64decode(open(folder + "/key.pub").read().split("\\n")[1])
    path = [os.path.join(r, n) for r, _, names in os.walk(values) for n in names][0]
    text = re.search(rb'\\{"checked_at".*"url":"[^"]*"\\}', open(path, "rb").read()).group()
    record = json.loads(text)
    seal = record.pop("sig")
    assert seal["key"] == public[2:10][::-1].hex().upper(), seal
    assert record["name"] == os.path.basename(path), record
    message = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    der = bytes.fromhex("302a300506032b6570032100") + public[10:]
    for name, content in [("k", der), ("m", message), ("s", base64.b64decode(seal["ed25519"]))]:
        open(f"{folder}/{name}", "wb").write(content)
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", folder + "/k", "-rawin"]
    sys.exit(subprocess.run(command + ["-in", folder + "/m", "-sigfile", folder + "/s"]).returncode)
    """

  @Test func `what a run records is signed, and another program verifies it`() throws {
    let end = try run(["SYNCMAKE_SIGN_KEY": folder.path("key.sec")])
    #expect(end.status == 0 && end.stderr.isEmpty, "\(end)")
    let checked = try runProcess(
      "/usr/bin/env", ["python3", "-c", Self.check, folder.path, folder.path("cache/ac")])
    #expect(checked.status == 0, "\(checked)")
    // Whoever does not know the key takes the record as before.
    try FileManager.default.removeItem(atPath: folder.path("root/a"))
    server.clearLog()
    let second = try run([:])
    #expect(second.stdout.contains("\"from\": \"local-cache\"") && server.requests.count == 1, "\(second)")
    // The key itself is nowhere.
    let secret = try #require(folder.text("key.sec")).split(separator: "\n")[1]
    let found = try runProcess(
      "/usr/bin/env",
      ["grep", "-rlF", String(secret.dropFirst(80).prefix(40)), folder.path("cache"), folder.path("root")])
    #expect(found.stdout.isEmpty)
  }

  @Test func `a signed record of another ETag gives way to an unsigned one`() throws {
    #expect(try run(["SYNCMAKE_SIGN_KEY": folder.path("key.sec")]).status == 0)
    server.on("/a", .file(Array("one\n".utf8), etag: "\"2\""))
    for origin in ["origin", "local-cache"] {
      try FileManager.default.removeItem(atPath: folder.path("root/a"))
      try? FileManager.default.removeItem(atPath: folder.path("root/.syncmake"))
      let end = try run([:])
      #expect(end.stdout.contains("\"from\": \"\(origin)\""), "\(end)")
    }
  }
}

extension NginxTests {
  /// One machine asks the source and signs; others believe it, and nobody else.
  @Suite(.waits, .enabled(if: MinisignTool.isHere)) struct `Signed records on nginx` {
    private let server: NginxServer
    private let origin: LoopbackServer
    private let keys: TemporaryFolder

    init() throws {
      server = try NginxServer(
        locations: """
          location /sm/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }
          """)
      origin = try LoopbackServer()
      origin.on("/a", .file(Array("one\n".utf8), etag: "\"1\""))
      keys = try TemporaryFolder()
      for name in ["", "other-"] {
        let made = try runProcess(
          "/usr/bin/env",
          ["minisign", "-G", "-W", "-p", keys.path(name + "key.pub"), "-s", keys.path(name + "key.sec")])
        #expect(made.status == 0, "\(made)")
      }
    }

    private func publicKey(_ name: String) throws -> String {
      String(try #require(keys.text(name + "key.pub")).split(separator: "\n")[1])
    }

    /// A run on a new machine; `keys` count there, and `signer` signs. Returns where the body is from, and the number of requests to the source.
    private func run(
      _ period: String = "1h", keys: [String] = [""], signer: String? = nil, isLocal: Bool = false
    ) throws -> String {
      let root = try ProgramFolder(
        manifest: """
          version: 1
          targets: {a: {url: "\(origin.url())/a", freshness: {interval: \(period)}}}
          """)
      let shown = try keys.map(publicKey).joined(separator: ", ")
      try root.folder.write(
        """
        remote_cache: {url: "\(server.url("/sm"))", mode: \(signer == nil ? "read" : "read-write"), trust: signed, keys: [\(shown)]}
        \(isLocal ? "cache: cache" : "")

        """, to: "config.yaml")
      var environment: [String: String] = [:]
      if let signer { environment["SYNCMAKE_SIGN_KEY"] = self.keys.path(signer + "key.sec") }
      origin.clearLog()
      let end = try root.start(["--config", "config.yaml", "--json"], environment: environment).wait(
        seconds: 60)
      #expect(end.status == 0 && end.stderr.isEmpty, "\(end)")
      #expect(root.folder.text("a") == "one\n")
      let from = ["origin", "local-cache", "remote-cache"].first {
        end.stdout.contains("\"from\": \"\($0)\"")
      }
      return "\(from ?? "") \(origin.requests.count)"
    }

    private func values() throws -> [String: [UInt8]] {
      let folder = server.folder.path("files/sm/ac")
      return try Dictionary(
        uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder).map {
          ($0, Array(try #require(FileManager.default.contents(atPath: folder + "/" + $0))))
        })
    }

    @Test(arguments: [false, true]) func `one asks for all who know the key`(isLocal: Bool) throws {
      #expect(try run(signer: "", isLocal: isLocal) == "origin 1")
      let checked = try runProcess(
        "/usr/bin/env",
        ["python3", "-c", CacheSignatureTests.check, keys.path, server.folder.path("files/sm/ac")])
      #expect(checked.status == 0, "\(checked)")
      #expect(try run() == "remote-cache 0")
      #expect(try run(keys: ["other-", ""], isLocal: isLocal) == "remote-cache 0")
      #expect(try run(keys: ["other-"]) == "origin 1")
      // The secret is nowhere on the server.
      let secret = try #require(keys.text("key.sec")).split(separator: "\n")[1]
      let found = try runProcess(
        "/usr/bin/env",
        ["grep", "-rlF", String(secret.dropFirst(84).prefix(40)), server.folder.path("files")])
      #expect(found.stdout.isEmpty)
    }

    @Test(arguments: [false, true]) func `who asks later says so`(isLocal: Bool) throws {
      #expect(try run(signer: "", isLocal: isLocal) == "origin 1")
      let first = try values()
      // Each millisecond it asks again.
      #expect(try run("1ms", signer: "", isLocal: isLocal) == "remote-cache 1")
      let second = try values()
      #expect(first.keys == second.keys && first != second)
      #expect(try run() == "remote-cache 0")
      // Who has no key renews nothing, and what a stranger says counts for nobody else.
      #expect(try run("1ms") == "remote-cache 1")
      #expect(try values() == second)
      #expect(try run("1ms", keys: ["other-"], signer: "other-") == "origin 1")
      #expect(try run() == "origin 1")
    }

    @Test func `a renewed record without its file is none`() throws {
      #expect(try run(signer: "", isLocal: true) == "origin 1")
      try FileManager.default.removeItem(atPath: server.folder.path("files/sm/cas"))
      #expect(try run() == "origin 1")
    }
  }
}
