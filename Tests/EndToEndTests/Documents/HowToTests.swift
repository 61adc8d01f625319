import Foundation
import SyncTestSupport
import Testing

/// The manifests and configurations on the pages that say how to do something are valid.
@Suite(.waits) struct HowToTests {
  private let folder: TemporaryFolder
  private let secret: TemporaryFolder
  private let program: String

  init() throws {
    (folder, secret) = (try TemporaryFolder(), try TemporaryFolder())
    program = try #require(SyncmakeProgram.path, "the program is not built")
    try secret.write("token\n", to: "token")
  }

  private func syncmake(_ arguments: String...) throws -> ProcessResult {
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "SYNCMAKE_CONFIG": "off", "API_TOKEN": "token",
      "FILES_PASSWORD": "password", "EXPORT_URL": "https://example.org/export?sig=1",
    ]
    return try runProcess(program, arguments, environment: environment, currentDirectory: folder.path)
  }

  @Test(arguments: [
    ("private-sources.md", 4, 1), ("proxies.md", 0, 1), ("systemd.md", 1, 0), ("from-other-tools.md", 2, 0),
  ])
  func `every block is valid`(page: String, manifests: Int, configurations: Int) throws {
    let text = try String(contentsOfFile: "\(ExampleFolder.project)/docs/\(page)", encoding: .utf8)
    let blocks = ReadmeBlock.all(in: text).filter { $0.language == "yaml" }.map { block in
      // A secret's file is not on the test's machine.
      block.lines.joined(separator: "\n").replacing(
        /secret:file:[^"}]+/, with: "secret:file:\(secret.path("token"))")
    }
    let isConfiguration = { (block: String) in block.hasPrefix("# ~/.config/syncmake/config.yaml\n") }
    #expect(blocks.filter(isConfiguration).count == configurations)
    #expect(blocks.count == manifests + configurations)
    for block in blocks {
      let name = isConfiguration(block) ? "config.yaml" : "syncmake.yaml"
      try folder.write(block + "\n", to: name)
      let result =
        try isConfiguration(block) ? syncmake("config", "--config", folder.path(name)) : syncmake("validate")
      #expect(result.status == 0, "\(block)\n\(result.stderr)")
    }
  }

  @Test(arguments: [("cache.md", 3), ("configuration.md", 2)])
  func `every part of a configuration is valid`(page: String, count: Int) throws {
    let text = try String(contentsOfFile: "\(ExampleFolder.project)/docs/\(page)", encoding: .utf8)
    let blocks = ReadmeBlock.all(in: text).filter { block in
      block.language == "yaml"
        && ["cache:", "remote_cache:", "jobs:"].contains { block.lines[0].hasPrefix($0) }
    }
    #expect(blocks.count == count)
    for block in blocks {
      try folder.write(block.lines.joined(separator: "\n") + "\n", to: "config.yaml")
      let result = try syncmake("config", "--config", folder.path("config.yaml"))
      #expect(result.status == 0, "\(block.lines)\n\(result.stderr)")
    }
  }

  private static let systemd = "/usr/bin/systemd-analyze"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: systemd), "systemd is not installed"))
  func `systemd accepts the units`() throws {
    let text = try String(contentsOfFile: "\(ExampleFolder.project)/docs/systemd.md", encoding: .utf8)
    let units = ReadmeBlock.all(in: text).filter { $0.language == "ini" }
    #expect(units.count == 2)
    let names = try units.map { unit in
      let path = try #require(unit.lines.first?.split(separator: "/").last)
      let name = path.replacingOccurrences(of: "NAME", with: "genes")
      // The program and the user have to be there.
      let lines = unit.lines.joined(separator: "\n").replacingOccurrences(of: "NAME", with: "genes")
        .replacingOccurrences(of: "USER", with: "daemon")
        .replacingOccurrences(of: "/usr/local/bin/syncmake", with: program)
      try folder.write(lines + "\n", to: name)
      return folder.path(name)
    }
    let result = try runProcess(Self.systemd, ["verify"] + names, timeoutSeconds: 60)
    #expect(result.status == 0 && result.stderr == "", "\(result.stdout)\(result.stderr)")
  }
}
