import Foundation
import SyncTestSupport
import Testing

/// The README's manifest works, and its commands print the documented output.
@Suite(.waits) struct ReadmeTests {
  private let text: String
  private let blocks: [ReadmeBlock]

  init() throws {
    text = try String(contentsOfFile: "\(ExampleFolder.project)/README.md", encoding: .utf8)
    blocks = ReadmeBlock.all(in: text)
  }

  /// The URL in the README's manifest, which the server replaces.
  private let address = "https://data.example.org"

  /// A folder with the README's first manifest, in place of an example's.
  private func folder(_ server: LoopbackServer) throws -> ExampleFolder {
    let example = try ExampleFolder("quickstart", server: server)
    let manifest = try #require(blocks.first { $0.language == "yaml" }).lines.joined(separator: "\n")
    try example.folder.write(
      manifest.replacingOccurrences(of: address, with: server.url()) + "\n", to: "syncmake.yaml")
    return example
  }

  private func server() throws -> LoopbackServer {
    let packed = try TestData.gzip(Array("gene\tchromosome\nHBB\t11\n".utf8))
    return try LoopbackServer([
      "/genes.tsv.gz": [.file(packed, etag: "\"a1\"")],
      "/genes.tsv.gz.md5": [.file(Array("\(try TestData.digest("md5", packed))  genes.tsv.gz\n".utf8))],
      "/genes.idx": [.file(Array("HBB\t16\n".utf8), etag: "\"i1\"")],
    ])
  }

  @Test func `the first manifest in the README has ten lines`() throws {
    #expect(try #require(blocks.first { $0.language == "yaml" }).lines.count <= 10)
  }

  @Test func `the README's commands print the shown output, one after another`() throws {
    let server = try server()
    let example = try folder(server)
    let commands = blocks.filter { $0.language == "console" }.flatMap(\.commands)
    #expect(commands.count >= 3)
    for command in commands {
      let result = try example.shell("{ \(command.line); } 2>&1")
      let printed = result.stdout.replacingOccurrences(of: server.url(), with: address)
      #expect(
        LooseText.lines(printed) == LooseText.lines(command.output.joined(separator: "\n")),
        "$ \(command.line)")
    }
  }

  @Test func `the scripts named in the README exist and are executable`() throws {
    let names = text.matches(of: /(?:scripts|\.ci)\/[a-z-]+/).map { String($0.output) }
    #expect(names.contains("scripts/quickstart") && names.contains("scripts/test"))
    for name in names {
      #expect(FileManager.default.isExecutableFile(atPath: "\(ExampleFolder.project)/\(name)"), "\(name)")
    }
  }

  /// The documents that a reader of the checkout opens.
  private static let documents: [String] = {
    let project = ExampleFolder.project
    let names = FileManager.default.enumerator(atPath: "\(project)/docs")?.compactMap { $0 as? String } ?? []
    let examples = ExamplesTests.names.map { "examples/\($0)/README.md" }
    return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"]
      + (names.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" } + examples).sorted()
  }()

  @Test(arguments: documents)
  func `every link to the project's own files leads somewhere`(file: String) throws {
    let path = "\(ExampleFolder.project)/\(file)"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    for match in text.matches(of: /\]\(([^)#:]+)\)/) {
      let target = folder.appendingPathComponent(String(match.output.1)).path
      #expect(FileManager.default.fileExists(atPath: target), "\(match.output.1)")
    }
  }

  @Test func `the scenarios named for other projects' cases exist`() throws {
    let path = "\(ExampleFolder.project)/docs/reliability-cases.md"
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let names = lines.filter { $0.hasPrefix("|") }.flatMap { line in
      line.matches(of: /`([a-z0-9-]+\/[a-z0-9-]+)`/).map { String($0.output.1) }
    }
    #expect(names.count > 50)
    for name in Set(names) {
      let isThere = FileManager.default.fileExists(atPath: ScenarioLibrary.path("\(name).scenario"))
      #expect(isThere, "\(name)")
    }
  }
}
