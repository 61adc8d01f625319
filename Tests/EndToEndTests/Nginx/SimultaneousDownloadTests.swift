import SyncTestSupport
import Testing

extension NginxTests {
  @Suite struct `Sixteen slow downloads` {
    /// Three portions, one per second: at least one second, however nginx rounds.
    private let server: NginxServer

    init() throws {
      let files = (1...16).map { ("\($0)", [UInt8](repeating: UInt8($0), count: 60_000)) }
      server = try NginxServer(
        locations: "location / { limit_rate 20k; }", files: Dictionary(uniqueKeysWithValues: files))
    }

    @Test func `are all in progress at once if their host allows it`() throws {
      let targets = (1...16).map { "f\($0): {url: \(server.url("/\($0)"))}" }
      try run("hosts: {\"*\": {connections: 16}}", targets)
      #expect(try mostInProgress() == 16)
    }

    @Test func `are all in progress at once from two hosts, at eight connections each`() throws {
      let hosts = ["127.0.0.1", "localhost"]
      let targets = (1...16).map { "f\($0): {url: \(server.url("/\($0)", host: hosts[$0 % 2]))}" }
      try run("", targets)
      #expect(try mostInProgress() == 16)
    }

    @Test func `come from one host eight at a time`() throws {
      let targets = (1...16).map { "f\($0): {url: \(server.url("/\($0)"))}" }
      try run("", targets)
      #expect(try mostInProgress() == 8)
    }

    private func run(
      _ key: String, _ targets: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let root = try ProgramFolder(
        manifest: "version: 1\n\(key)\ntargets:\n" + targets.map { "  \($0)\n" }.joined())
      let result = try root.syncmake()
      #expect(result.status == 0, "\(result.stderr)", sourceLocation: sourceLocation)
      for number in 1...16 {
        let isRight = root.folder.read("\(number)") == server.folder.read("files/\(number)")
        #expect(isRight, "\(number) is another file", sourceLocation: sourceLocation)
      }
      #expect(try server.requests().count == 16, sourceLocation: sourceLocation)
    }

    /// How many requests the server was answering at the same moment, at most.
    private func mostInProgress() throws -> Int {
      let spans = try server.requests().map(\.milliseconds)
      // It grows only when a download begins.
      return spans.map { span in spans.count { $0.contains(span.lowerBound) } }.max() ?? 0
    }
  }
}
