import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// A manifest is opened with what its caller knows, and nothing is read from the process.
@Suite struct OpenedManifestTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func location(
    _ variables: [String: String] = [:], stateDir: String? = nil, proxyPasswords: [String] = []
  ) throws -> ManifestLocation {
    let caller = CallerFacts(version: "1", proxyPasswords: proxyPasswords) { variables[$0] }
    return try #require(
      ManifestLocation(file: folder.path("syncmake.yaml"), stateDir: stateDir, caller: caller))
  }

  @Test func `variables come from the caller`() throws {
    try folder.write(
      "version: 1\ntargets: {a: {url: \"https://${env:PLACE}/a\", output: a}}\n", to: "syncmake.yaml")
    let opened = try OpenedManifest(location(["PLACE": "data.example.org"]))
    let workspace = try #require(opened.workspace)
    #expect(opened.diagnostics.isEmpty)
    #expect(workspace.manifest.targets.map(\.source) == [.urls([.web("https://data.example.org/a")])])
    #expect(workspace.place.root == folder.path)
    #expect(workspace.place.state == folder.path(".syncmake"))
    #expect(try OpenedManifest(location()).workspace == nil, "the variable is not set")
  }

  @Test func `a wrong manifest gives every problem and no workspace`() throws {
    try folder.write(
      "version: 1\ntargets: {a: {url: x, output: a, nothing: 1}, b: {}}\n", to: "syncmake.yaml")
    let opened = try OpenedManifest(location())
    #expect(opened.workspace == nil)
    #expect(opened.diagnostics.count == 2)
  }

  @Test func `a file that cannot be read is an error of its own`() throws {
    #expect(throws: ManifestLocation.Unreadable.self) { try OpenedManifest(location()) }
  }

  @Test func `a link to a file is a manifest`() throws {
    try folder.write("version: 1\ntargets: {}\n", to: "other.yaml")
    #expect(symlink("other.yaml", folder.path("syncmake.yaml")) == 0)
    let place = try location()
    #expect(place.objection == nil)
    #expect(try !place.read().isEmpty)
  }

  @Test func `a proxy's password is masked and leaves no snapshot`() throws {
    try folder.write("version: 1\ntargets: {a: {url: x, output: a}}\n", to: "syncmake.yaml")
    let usual = try OpenedManifest(location(), mayLeaveSnapshot: true)
    #expect(usual.workspace?.basis != nil)
    let masked = try OpenedManifest(location(proxyPasswords: ["hunter2-hunter2"]), mayLeaveSnapshot: true)
    #expect(masked.workspace?.basis == nil)
    #expect(masked.workspace?.manifest.secrets.mask("http://u:hunter2-hunter2@p") == "http://u:***@p")
  }

  @Test func `a state folder that holds the manifest, or other files, is refused`() throws {
    try folder.write("version: 1\ntargets: {}\n", to: "syncmake.yaml")
    try FileManager.default.createDirectory(atPath: folder.path("other"), withIntermediateDirectories: false)
    try folder.write("mine", to: "other/mine")
    #expect(try location(stateDir: folder.path).stateObjection == "the manifest is in it")
    #expect(try location(stateDir: folder.path("other")).stateObjection == "it holds \"mine\"")
    #expect(try location(stateDir: folder.path("syncmake.yaml")).stateObjection == "it is a file")
    #expect(try location(stateDir: folder.path("new")).stateObjection == nil)
    #expect(try location(stateDir: folder.path("new")).reservedPaths.contains("new"))
  }
}
