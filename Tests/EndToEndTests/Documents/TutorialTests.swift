import Foundation
import SyncTestSupport
import Testing

/// The commands of docs/tutorial.md print what it shows.
@Suite(.waits) struct TutorialTests {
  /// The publisher's address in the text, which is replaced by that of a server on a free port.
  private static let address = "http://localhost:8000"

  private let text: String
  private let blocks: [ReadmeBlock]
  /// The folder of the publisher, `upstream`, is the server's; the reader's is `project`.
  private let server: ListingServer
  private let folder: TemporaryFolder
  private let program: String

  init() throws {
    text = try String(contentsOfFile: "\(ExampleFolder.project)/docs/tutorial.md", encoding: .utf8)
    blocks = ReadmeBlock.all(in: text)
    server = try ListingServer(.python)
    folder = try TemporaryFolder()
    program = try #require(SyncmakeProgram.path, "the program is not built")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("upstream"), withDestinationPath: server.folder.path("files"))
  }

  /// What a line of a shell prints, on both streams, in `place` of the folder.
  private func shell(_ line: String, in place: String) throws -> String {
    let environment = [
      "PATH": "\((program as NSString).deletingLastPathComponent):/usr/bin:/bin", "HOME": folder.path,
      "NO_PROXY": "*", "LC_ALL": "C", "SYNCMAKE_CONFIG": "off",
    ]
    let result = try runProcess(
      "/bin/sh", ["-c", "{ \(line.replacingOccurrences(of: Self.address, with: server.url("")))\n} 2>&1"],
      environment: environment, currentDirectory: folder.path(place))
    return result.stdout.replacingOccurrences(of: server.url(""), with: Self.address)
  }

  /// Does what the reader does in the first terminal, an hour ago.
  private func publish() throws {
    let lines = try #require(blocks.first { $0.language == "sh" }).lines
    // The server of the tests is the same program.
    #expect(lines.last == "python3 -m http.server 8000")
    #expect(try shell(lines.dropLast().joined(separator: "\n"), in: ".") == "")
    #expect(try shell("touch -d '1 hour ago' *", in: "upstream") == "")
    #expect(server.folder.exists("files/genes.tsv.gz.sha256") && folder.exists("project"))
  }

  @Test func `every command prints what the page shows, one after another`() throws {
    try publish()
    let commands = blocks.filter { $0.language == "console" }.flatMap(\.commands)
    #expect(commands.count >= 20)
    for command in commands {
      let printed = try shell(command.line, in: "project")
      // Targets that do not depend on each other end in any order.
      #expect(
        LooseText.lines(printed).sorted()
          == LooseText.lines(command.output.joined(separator: "\n")).sorted(), "$ \(command.line)")
    }
    for word in ["init", "add", "plan", "lock", "update", "validate --locked", "run --locked", "--overwrite"]
    {
      #expect(commands.contains { $0.line.contains("syncmake \(word)") }, "\(word)")
    }
  }
}
