import SyncTestSupport
import Testing

extension NginxTests {
  @Suite struct `Over TLS` {
    private let server: NginxServer
    private let root: ProgramFolder

    init() throws {
      server = try NginxServer([.http2])
      for number in 1...200 { try server.serve(Array("\(number)\n".utf8), as: "\(number)") }
      root = try ProgramFolder(
        manifest: """
          version: 1
          targets:
            f${n}:
              matrix: {n: [1..200]}
              url: \(server.url())/${n}
              output: out/${n}
          """)
    }

    @Test func `HTTP/2 fetches two hundred files over few connections`() throws {
      let result = try root.syncmake(environment: ["SSL_CERT_FILE": server.certificate])
      #expect(result.status == 0, "\(result.stderr)")
      #expect((1...200).allSatisfy { root.folder.text("out/\($0)") == "\($0)\n" })
      let requests = try server.requests()
      #expect(requests.map(\.target).sorted() == (1...200).map { "/\($0)" }.sorted())
      #expect(requests.allSatisfy { $0.version == "HTTP/2.0" && $0.status == 200 })
      #expect(Set(requests.map(\.connection)).count <= 8)
    }

    @Test(arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func `either variable may name the certificate`(variable: String) throws {
      let result = try root.syncmake("f1", environment: [variable: server.certificate])
      #expect(result.status == 0, "\(result.stderr)")
      #expect(root.folder.text("out/1") == "1\n")
    }

    @Test func `an untrusted certificate fails the run, and nothing is written`() throws {
      let result = try root.syncmake("--json")
      #expect(result.status == 2)
      let document = try result.document()
      #expect(document.status == "failed" && document.targets.count == 200)
      // The first refused connections end the run.
      let failed = document.targets.filter { $0.outcome == "failed" }
      #expect(!failed.isEmpty && failed.allSatisfy { $0.error?.code == "tls" })
      #expect(document.outcomes.allSatisfy { ["failed", "skipped"].contains($0) })
      #expect(!root.folder.exists("out"))
      #expect(try server.requests().isEmpty)
    }
  }
}
