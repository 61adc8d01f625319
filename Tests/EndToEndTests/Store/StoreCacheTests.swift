import Foundation
import SyncTestSupport
import Testing

/// A cache on servers that speak S3 and check signatures.
@Suite(
  .waits, .serialized,
  .enabled(
    if: KeyedStore.isAnyHere && access("/usr/bin/curl", X_OK) == 0, "needs a server (scripts/setup --tests)"))
struct `A cache on S3` {
  static let kinds = KeyedStore.Kind.allCases.filter(\.isHere)

  private func world(_ more: [String: String] = [:]) throws -> CacheWorld {
    var world = try CacheWorld()
    world.environment = KeyedStore.environment.merging(more) { $1 }
    return world
  }

  /// A run that does not use the cache, with one warning; returns what it says.
  private func warning(
    _ address: String, _ world: CacheWorld, mode: String = "read-write", trust: String = "writers"
  ) throws -> String {
    let root = try world.root(address, mode: mode, trust: trust)
    let end = try root.start(["--config", "config.yaml"], environment: world.environment).wait(seconds: 60)
    #expect(end.status == 0 && root.folder.read("large") == CacheWorld.large, "\(end)")
    #expect(end.stderr.components(separatedBy: "cannot use the cache").count == 2, "\(end.stderr)")
    #expect(!(end.stderr + end.stdout).contains("canary"), "\(end)")
    return end.stderr
  }

  @Test(arguments: kinds) func `is filled by one machine and read by others`(kind: KeyedStore.Kind) throws {
    let store = try KeyedStore(kind, prefixes: ["sm", "odd b+c=d'(e)!*~\u{e9}/x", "."])
    let world = try world()
    try world.play(store.address())
    // Every byte of a prefix that may need an escape in a signature.
    try world.play(store.address("odd%20b+c=d'(e)!*~\u{e9}/x"))
    // By variables alone, and for the bucket as a whole.
    let variables = try self.world(["AWS_ENDPOINT_URL_S3": store.endpoint, "AWS_REGION": "eu-west-1"])
    try variables.play("s3://bucket")
  }

  @Test(arguments: kinds) func `says why it refuses`(kind: KeyedStore.Kind) throws {
    let store = try KeyedStore(kind)
    for mode in ["read", "write"] {
      let wrong = try world(["AWS_SECRET_ACCESS_KEY": "canary-wrong-key"])
      #expect(
        try warning(store.address(), wrong, mode: mode).contains(
          "(it answered with status 403, SignatureDoesNotMatch)"))
      let unknown = try world(["AWS_ACCESS_KEY_ID": "canary-nobody"])
      #expect(try warning(store.address(), unknown, mode: mode).contains("status 403, InvalidAccessKeyId"))
      // SeaweedFS makes a bucket that something is put into.
      if kind == .seaweed, mode == "write" { continue }
      let missing = try warning("s3://no-bucket?endpoint=\(store.endpoint)", world(), mode: mode)
      #expect(
        missing.contains("status 404, NoSuchBucket") && missing.contains("hint: create the bucket"),
        "\(missing)")
    }
  }

  /// rclone takes a token for what it is, another signed header.
  @Test(.enabled(if: KeyedStore.Kind.rclone.isHere)) func `takes a session token, which is signed`() throws {
    let store = try KeyedStore(.rclone)
    try world(["AWS_SESSION_TOKEN": "canary+t0ken/=="]).play(store.address())
  }

  @Test(.enabled(if: KeyedStore.Kind.seaweed.isHere)) func `refuses a session token of nobody`() throws {
    let store = try KeyedStore(.seaweed)
    #expect(
      try warning(store.address(), world(["AWS_SESSION_TOKEN": "canary+t0ken/=="])).contains("status 403"))
  }

  @Test(arguments: kinds.suffix(1)) func `takes the key of a profile's program`(kind: KeyedStore.Kind) throws
  {
    let store = try KeyedStore(kind)
    let user = try TemporaryFolder()
    var world = try CacheWorld()
    world.environment = ["AWS_CONFIG_FILE": user.path("config"), "AWS_PROFILE": "robot"]
    try user.write("[profile robot]\ncredential_process = cat '\(user.path("key"))'\n", to: "config")
    func answer(_ expires: String) throws {
      try user.write(
        """
        {"Version": 1, "AccessKeyId": "\(KeyedStore.key.id)", "SecretAccessKey": "\(KeyedStore.key.secret)",
          "Expiration": "\(expires)"}
        """, to: "key")
    }
    try answer("2261-01-01T00:00:00Z")
    try world.play(store.address())
    try answer("2020-01-01T00:00:00Z")
    #expect(try warning(store.address(), world).contains("its key has expired"))
    try user.write("[profile robot]\ncredential_process = sh -c 'sleep 60'\n", to: "config")
    let began = ContinuousClock.now
    #expect(
      try warning(store.address(), world).contains(
        "the program of credential_process had not answered after 2.5 s"))
    #expect(ContinuousClock.now - began < .seconds(12))
    try user.write("[profile robot]\n", to: "config")
    #expect(
      try warning(store.address(), world).contains(
        "no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"))
  }

  @Test func `that is down costs a warning`() throws {
    let port = try LoopbackServer.deadPort()
    #expect(
      try warning("s3://bucket/x?endpoint=http://127.0.0.1:\(port)", world()).contains("cannot connect"))
    #expect(try warning("s3://bucket/x", world()).contains("nothing says in which region"))
  }

  @Test func `gets the key and no other server does`() throws {
    let world = try world(["AWS_SESSION_TOKEN": "canary+t0ken/=="])
    let cache = try LoopbackServer(["*": [.status(404)]])
    cache.clearLog()
    let root = try world.root("s3://bucket/x?endpoint=\(cache.url())", mode: "read-write", trust: "writers")
    _ = try root.start(["--config", "config.yaml", "--json"], environment: world.environment).wait(
      seconds: 60)
    let asked = cache.requests
    #expect(Set(asked.map(\.method)) == ["GET", "HEAD", "PUT"])
    let empty = try TestData.digest("sha256", [])
    for request in asked {
      let signature = request.header("Authorization") ?? ""
      #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=\(KeyedStore.key.id)/"), "\(signature)")
      #expect(signature.contains("/us-east-1/s3/aws4_request"))
      #expect(signature.contains("x-amz-content-sha256;x-amz-date;x-amz-security-token"), "\(signature)")
      #expect(!signature.contains("accept-encoding") && !signature.contains("expect"), "\(signature)")
      #expect(request.header("x-amz-security-token") == "canary+t0ken/==")
      #expect(request.header("Accept-Encoding") == "identity")
      let sum = request.header("x-amz-content-sha256")
      #expect(request.method == "PUT" ? sum != empty && sum?.utf8.count == 64 : sum == empty)
      #expect(request.path.hasPrefix("/bucket/x/cas/") || request.path.hasPrefix("/bucket/x/ac/"))
    }
    for request in world.origin.requests {
      #expect(request.header("Authorization") == nil && request.header("x-amz-security-token") == nil)
    }
  }

  /// A store that repeats what it gets, as an attacker's would.
  @Test func `shows its key nowhere`() throws {
    let token = "canary9t0ken"
    let cache = try LoopbackServer([
      "*": [
        Reply(
          .computed { request in
            let signature = request.header("Authorization") ?? ""
            let body =
              "<Error><Code>\(request.header("x-amz-security-token") ?? "")</Code><Message>\(signature)</Message></Error>"
            return .status(403, headers: [HeaderField("Location", "/\(token)")], body: Array(body.utf8))
          })
      ]
    ])
    let world = try world(["AWS_SESSION_TOKEN": token, "AWS_ACCESS_KEY_ID": "canaryaccessid"])
    for mode in ["read-write", "write"] {
      let root = try world.root("s3://bucket/x?endpoint=\(cache.url())", mode: mode, trust: "writers")
      let end = try root.start(
        [
          "--config", "config.yaml", "-v", "--json", "--events", "events", "--trace", "trace", "--junit",
          "junit",
          "--report", "report.html",
        ], environment: world.environment
      ).wait(seconds: 60)
      #expect(end.status == 0 && end.stderr.contains("(it answered with status 403, ***)"), "\(end)")
      #expect(!(end.stdout + end.stderr).contains("canary"), "\(end)")
      for path in FileTree(root.folder.path).entries.keys {
        let bytes = Data(root.folder.read(path) ?? [])
        #expect(!path.contains("canary") && bytes.range(of: Data("canary".utf8)) == nil, "\(path)")
      }
    }
    #expect(cache.requests.allSatisfy { !$0.target.contains("canary") })
  }

  @Test func `is only read for a stranger's manifest`() throws {
    let cache = try LoopbackServer(["*": [.status(404)]])
    let world = try world()
    cache.clearLog()
    let root = try world.root("s3://bucket/x?endpoint=\(cache.url())", mode: "read-write", digests: true)
    _ = try root.start(["--config", "config.yaml", "-k", "--untrusted"], environment: world.environment).wait(
      seconds: 60)
    #expect(cache.requests.allSatisfy { $0.method == "GET" })
  }

  @Test(arguments: kinds.suffix(1)) func `of examples/cache is one for many machines`(kind: KeyedStore.Kind)
    throws
  {
    let store = try KeyedStore(kind)
    let world = try world()
    let example = try String(
      contentsOfFile: "\(ExampleFolder.project)/examples/cache/bucket.yaml", encoding: .utf8)
    let address = "s3://example-cache/sm?region=eu-west-1"
    #expect(example.contains("\"\(address)\""))
    let readme = try String(
      contentsOfFile: "\(ExampleFolder.project)/examples/cache/README.md", encoding: .utf8)
    #expect(readme.contains("--remote-cache '\(address)'"))
    let filling = try world.root("off")
    try filling.folder.write(example.replacing(address, with: store.address()), to: "config.yaml")
    #expect(try world.run(filling).stdout.contains("\"stored\": 2"))
    let reading = try world.root("off", digests: true)
    #expect(try world.run(reading, "--remote-cache", store.address()).stdout.contains("\"hits\": 1"))
  }
}
