import SyncTestSupport
import Testing

/// Credentials for one server reach no other.
@Suite(.waits, .enabled(if: TLSFront.isHere, "needs python3 and openssl")) struct CredentialTests {
  @Test func `no redirect carries a credential to another origin`() throws {
    let matrix = try CredentialMatrix()
    #expect(matrix.cases.count == 160)
    let root = try ProgramFolder(manifest: matrix.manifest)
    try root.folder.write(CredentialMatrix.netrc, to: ".netrc")
    let result = try root.syncmake(
      "-k", "--json",
      environment: ["TOKEN": CredentialMatrix.secret, "SSL_CERT_FILE": matrix.authorityPath], seconds: 60)
    let document = try result.document()
    let tally = TortureTally("credentials")
    for item in matrix.cases {
      tally.count()
      let outcome = document.targets.first { $0.name == item.path }
      for problem in matrix.problems(item, outcome: outcome?.outcome, code: outcome?.error?.code) {
        tally.violation("\(item.path): \(problem)")
      }
    }
    #expect(tally.close(), "\(tally.firstViolations)")
    #expect(!matrix.otherServer.requests.isEmpty)
    #expect(matrix.otherServer.requests.allSatisfy { !$0.tells(CredentialMatrix.secret) })
    #expect(result.status == 2)
  }

  @Test
  func `a redirect back to the origin sends the credential again, and the server between never gets it`()
    throws
  {
    let matrix = try CredentialMatrix()
    let (home, away) = (matrix.homeServer, matrix.otherServer)
    home.setScript(["/a": [.redirect(away.url("/b"))], "/c": [.text("here\n")]])
    away.setScript(["/b": [.redirect(home.url("/c"))]])
    for kind in CredentialMatrix.Kind.allCases {
      let root = try ProgramFolder(
        manifest: "version: 1\ntargets:\n  a: {url: \"\(home.url("/a"))\", \(kind.manifestKeys)}\n")
      try root.folder.write(CredentialMatrix.netrc, to: ".netrc")
      let result = try root.syncmake(environment: ["TOKEN": CredentialMatrix.secret])
      #expect(result.status == 0, "\(result.stderr)")
    }
    #expect(home.requests(to: "/a").count == 4)
    #expect(home.requests(to: "/a").allSatisfy { $0.tells(CredentialMatrix.secret) })
    #expect(away.requests.count == 4 && !away.requests.contains { $0.tells(CredentialMatrix.secret) })
  }

  @Test func `across new signatures the store gets the conditions, but no credential`() throws {
    let (home, away) = (try LoopbackServer(), try LoopbackServer())
    var script: [String: [Reply]] = [:]
    for kind in CredentialMatrix.Kind.allCases {
      let path = "/store/\(kind.rawValue)"
      script["/start/\(kind.rawValue)"] = ["first", "second"].map {
        .redirect(away.url("\(path)?X-Amz-Signature=\($0)"))
      }
      away.on(path, .file(Array("here\n".utf8), etag: "\"v1\""))
    }
    home.setScript(script)
    let targets = CredentialMatrix.Kind.allCases.map {
      "  \($0.rawValue): {url: \"\(home.url("/start/\($0.rawValue)"))\", \($0.manifestKeys)}\n"
    }
    let root = try ProgramFolder(manifest: "version: 1\ntargets:\n" + targets.joined())
    try root.folder.write(CredentialMatrix.netrc, to: ".netrc")
    for _ in 1...2 {
      let result = try root.syncmake(environment: ["TOKEN": CredentialMatrix.secret])
      #expect(result.status == 0, "\(result.stderr)")
    }
    #expect(home.requests.count == 8 && home.requests.allSatisfy { $0.tells(CredentialMatrix.secret) })
    #expect(away.requests.count == 8 && !away.requests.contains { $0.tells(CredentialMatrix.secret) })
    for kind in CredentialMatrix.Kind.allCases {
      let asked = away.requests(to: "/store/\(kind.rawValue)")
      #expect(asked.map { $0.header("If-None-Match") } == [nil, "\"v1\""], "\(kind)")
    }
  }

  @Test func `a sidecar on another server is fetched without the target's credentials`() throws {
    let home = try LoopbackServer(["*": [.text("here\n")]])
    let away = try LoopbackServer(["*": [.text("a0a1a06c65f0b8ab5d54ba4b4f1bf1b7\n")]])
    for kind in CredentialMatrix.Kind.allCases {
      let root = try ProgramFolder(
        manifest: """
          version: 1
          targets:
            a: {url: "\(home.url("/a"))", \(kind.manifestKeys), steps: [verify: {md5: {url: "\(away.url("/s"))"}}]}
            b: {url: "\(home.url("/b"))", \(kind.manifestKeys), steps: [verify: {md5: {url: "\(home.url("/s"))"}}]}
            c: {url: "\(home.url("/c"))", \(kind.manifestKeys), freshness: {md5: {url: "\(away.url("/s"))"}}}
          """)
      try root.folder.write(CredentialMatrix.netrc, to: ".netrc")
      _ = try root.syncmake("-k", environment: ["TOKEN": CredentialMatrix.secret])
    }
    #expect(away.requests.count >= 4 && !away.requests.contains { $0.tells(CredentialMatrix.secret) })
    #expect(home.requests(to: "/s").count == 4)
    #expect(home.requests.allSatisfy { $0.tells(CredentialMatrix.secret) })
  }

  @Test func `a proxy sees what the server gets, and nothing more`() throws {
    let proxy = try LoopbackServer(["*": [.text("here\n")]])
    proxy.on("http://one.test/a", .redirect("http://two.test/b"))
    for kind in CredentialMatrix.Kind.allCases {
      let root = try ProgramFolder(
        manifest: "version: 1\ntargets:\n  a: {url: \"http://one.test/a\", \(kind.manifestKeys)}\n")
      try root.folder.write(CredentialMatrix.netrc, to: ".netrc")
      let result = try root.syncmake(
        environment: ["TOKEN": CredentialMatrix.secret, "http_proxy": proxy.url(), "NO_PROXY": ""])
      #expect(result.status == 0, "\(result.stderr)")
    }
    let first = "http://one.test/a"
    #expect(proxy.requests.count { $0.target == first } == 4)
    for request in proxy.requests {
      let isFirst = request.target == first
      #expect(request.tells(CredentialMatrix.secret) == isFirst)
      #expect(request.header("Proxy-Authorization") == nil)
    }
  }
}
