import Foundation
import SyncTestSupport
import Testing

/// `scripts/install` installs everything, and removes it again.
@Suite(.waits) struct InstallTests {
  private static let files = [
    "bin/syncmake", "share/man/man1/syncmake.1", "share/syncmake/syncmake.schema.json",
    "share/bash-completion/completions/syncmake", "share/zsh/site-functions/_syncmake",
    "share/fish/vendor_completions.d/syncmake.fish",
  ]

  private let folder: TemporaryFolder
  private let program: String

  init() throws {
    folder = try TemporaryFolder()
    program = try #require(SyncmakeProgram.path, "the program is not built")
  }

  private func install(_ arguments: String..., variables: [String: String] = [:]) throws -> ProcessResult {
    let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "SYNCMAKE": program, "LC_ALL": "C"]
    return try runProcess(
      "\(ExampleFolder.project)/scripts/install", arguments,
      environment: environment.merging(variables) { $1 }, currentDirectory: folder.path, timeoutSeconds: 60)
  }

  private func installed(below root: String) -> [String] {
    let entries =
      FileManager.default.enumerator(atPath: folder.path(root))?.compactMap { $0 as? String } ?? []
    return entries.filter { entry in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder.path("\(root)/\(entry)"), isDirectory: &isFolder)
      return !isFolder.boolValue
    }
  }

  @Test func `the installed program works, also after a second installation`() throws {
    for _ in 1...2 {
      let ended = try install("--prefix", "a place")
      #expect(ended.status == 0, "\(ended.stderr)")
      #expect(ended.stdout == Self.files.map { folder.path("a place/\($0)") + "\n" }.joined())
      #expect(Set(installed(below: "a place")) == Set(Self.files))
    }
    let there = folder.path("a place/bin/syncmake")
    #expect(try runProcess(there, ["--version"]).stdout.hasPrefix("syncmake "))
    #expect(
      try runProcess(there, ["schema"]).stdout == folder.text("a place/share/syncmake/syncmake.schema.json"))
    let mode = try FileManager.default.attributesOfItem(atPath: there)[.posixPermissions] as? Int
    #expect(mode == 0o755)
    #expect(folder.text("a place/share/man/man1/syncmake.1")?.hasPrefix(".Dd ") == true)
    #expect(
      folder.text("a place/share/zsh/site-functions/_syncmake")?.hasPrefix("#compdef syncmake\n") == true)
  }

  @Test func `DESTDIR is put before the prefix`() throws {
    let ended = try install(variables: ["DESTDIR": folder.path("package")])
    #expect(ended.status == 0, "\(ended.stderr)")
    #expect(Set(installed(below: "package")) == Set(Self.files.map { "usr/local/\($0)" }))
  }

  @Test func `uninstalling removes the installed files and nothing else`() throws {
    #expect(try install("--prefix=p").status == 0)
    try folder.write("mine\n", to: "p/bin/other")
    #expect(try install("--prefix=p", "--uninstall").status == 0)
    #expect(installed(below: "p") == ["bin/other"])
    #expect(try install("--prefix=p", "--uninstall").status == 0)
  }

  @Test func `a program that does not run is not installed`() throws {
    try folder.write("#!/bin/sh\nexit 1\n", to: "broken")
    let ended = try install("--prefix=p", variables: ["SYNCMAKE": folder.path("broken")])
    #expect(ended.status == 1)
    #expect(installed(below: "p") == [])
  }

  @Test func `the script's help lists its arguments, and other arguments are refused`() throws {
    #expect(try install("--help").stdout.contains("--prefix DIR"))
    let ended = try install("--prefx", "p")
    #expect(ended.status == 1 && ended.stderr.contains("unknown option '--prefx'"))
  }
}
