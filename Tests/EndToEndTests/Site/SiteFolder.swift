import Foundation
import SyncTestSupport
import Testing

/// A copy of what the documentation's site is made of, to damage and to build.
struct SiteFolder {
  let folder: TemporaryFolder

  /// What `scripts/setup --tests` installs.
  private static let mkdocs = "\(ExampleFolder.project)/.build/site-venv/bin/mkdocs"
  static let isBuildable = FileManager.default.isExecutableFile(atPath: mkdocs)

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("scripts"), withIntermediateDirectories: false)
    for name in [
      "mkdocs.yml", "docs", "examples", "schema", "scripts/site.d", "README.md", "CONTRIBUTING.md",
      "CHANGELOG.md",
      "SECURITY.md", "LICENSE",
    ] {
      try FileManager.default.copyItem(
        atPath: "\(ExampleFolder.project)/\(name)", toPath: folder.path(name))
    }
  }

  /// The environment of a build, with the program under test.
  static func environment() throws -> [String: String] {
    ProcessInfo.processInfo.environment.merging([
      "SYNCMAKE_PROGRAM": try #require(SyncmakeProgram.path), "SYNCMAKE_CONFIG": "off",
      "NO_MKDOCS_2_WARNING": "1",
    ]) { $1 }
  }

  /// Builds it into the folder `site`, and gives what mkdocs says and its exit status.
  func build() throws -> (status: Int32?, text: String) {
    let result = try runProcess(
      Self.mkdocs, ["build", "--strict", "--site-dir", folder.path("site")],
      environment: try Self.environment(),
      currentDirectory: folder.path, timeoutSeconds: 180)
    return (result.status, result.stdout + result.stderr)
  }

  /// Adds a line to a page.
  func append(_ line: String, to page: String) throws {
    try folder.write(try #require(folder.text(page)) + "\n\(line)\n", to: page)
  }
}
