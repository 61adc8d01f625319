import Foundation
import Testing

@testable import SyncmakeCLI

/// The manual page contains everything in the program's definition.
@Suite struct ManualPageTests {
  private let program: CommandDefinition
  private let page: String

  init() throws {
    program = try #require(CommandDefinition.program)
    page = ManualPage.text(program)
  }

  @Test func `every command has a section`() {
    for command in program.subcommands {
      #expect(page.contains("\n.Ss syncmake \(command.name)\n"))
      #expect(page.contains(ManualWriter.escaped(String(command.abstract.prefix(20)))))
    }
  }

  @Test func `every option of every command is an entry, and in its command's list`() throws {
    let parts = page.components(separatedBy: "\n.Ss syncmake ")
    for command in program.subcommands {
      let part = try #require(parts.first { $0.hasPrefix("\(command.name)\n") })
      for name in command.switches.flatMap(\.names) {
        #expect(part.contains("\\fB\(ManualWriter.escaped(name))\\fP"), "\(command.name) \(name)")
        let flag = "Fl \(ManualWriter.escaped(String(name.dropFirst())))"
        #expect(page.split(separator: "\n").contains { $0.hasPrefix(".It ") && $0.contains(flag) }, "\(name)")
      }
    }
  }

  @Test func `every variable that the program reads is listed`() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    var names: Set<String> = []
    // Execution says which variables give proxies and certificates.
    for module in ["SyncmakeCLI", "Execution"] {
      let folder = sources.appendingPathComponent(module)
      let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: /\b(?:text|variable)\("([A-Za-z_]+)"\)/) {
          names.insert(String(match.output.1))
        }
      }
    }
    #expect(names.count > 8)
    for name in names where !name.hasPrefix("SYNCMAKE_TEST_") { #expect(page.contains(name), "\(name)") }
  }

  @Test func `no text is taken for a macro`() {
    var writer = ManualWriter()
    writer.prose(".syncmake is `a\\b` 'quoted'. Next one.")
    #expect(writer.text == "\\&.syncmake is \\fBa\\eb\\fP \\(aqquoted\\(aq.\nNext one.\n")
    writer = ManualWriter()
    writer.blocks("Words.\n\nExamples:\n  syncmake -n   dry\n  .hidden\n")
    #expect(
      writer.text
        == ".Pp\nWords.\n.Bd -literal -offset indent\nsyncmake \\-n   dry\n\\&.hidden\n.Ed\n")
  }
}
