import Foundation
import ManifestParsing
import Planning
import StateStore
import SyncModel
import SyncTestSupport

@testable import Execution

/// A root, a server and the program's own modules in this process: thousands of runs in the time of a few.
struct Workbench {
  let folder: TemporaryFolder
  let server: LoopbackServer

  struct InvalidManifest: Error, CustomStringConvertible {
    var description: String
  }

  init(server: LoopbackServer) throws {
    folder = try TemporaryFolder()
    self.server = server
  }

  var statePath: String { folder.path(".syncmake") }

  /// The manifest's text, in which `BASE` is the server's address.
  func workspace(_ manifest: String) throws -> Workspace {
    let base = server.url()
    let parse = ManifestParser.parse(
      Array(manifest.utf8), context: ManifestContext(environment: { $0 == "BASE" ? base : nil }))
    guard let manifest = parse.manifest else {
      throw InvalidManifest(description: "\(parse.diagnostics.map(\.message))")
    }
    return Workspace(
      manifest: manifest, graph: TargetGraph(manifest), at: RootPlace(root: folder.path, state: statePath))
  }

  /// Pauses between tries are very short; the manifests have timeouts that stay long anyway.
  static func settings(_ change: (inout RunSettings) -> Void = { _ in }) -> RunSettings {
    var settings = RunSettings()
    settings.course.keepsGoing = true
    settings.resources.timeScale = 0.0005
    change(&settings)
    return settings
  }

  /// The part of a manifest's `defaults` besides ``settings(_:)``.
  static let timeout = "timeout: {connect: 100000s, stall: 100000s}"

  func run(
    _ workspace: Workspace, _ settings: RunSettings, stop: StopSignal = StopSignal(),
    report: @escaping (RunEvent) -> Void = { _ in }
  ) throws -> RunOutcome {
    let all = try Selection.resolve(names: [], tags: [], manifest: workspace.manifest, graph: workspace.graph)
    return try Runner.run(all, in: workspace, settings: settings, stop: stop, report: report)
  }

  func plan(_ workspace: Workspace, _ settings: RunSettings) throws -> Plan {
    let all = try Selection.resolve(names: [], tags: [], manifest: workspace.manifest, graph: workspace.graph)
    return try PlanMaker.plan(all, in: workspace, settings: settings, stop: StopSignal(), report: { _ in })
  }

  func snapshot() throws -> StateSnapshot {
    try StateStore.open(folder: statePath, access: .readOnly).load()
  }

  /// The present bytes of incomplete downloads.
  var partialBytes: Int {
    let folder = URL(filePath: statePath).appending(path: "partial")
    let files =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey]))
      ?? []
    return files.filter { $0.pathExtension == "part" }
      .reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0) }
  }

  /// The files below the state folder in which these bytes are.
  func stateFiles(containing text: String) -> [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: statePath)) ?? []
    return names.filter { name in
      guard let data = FileManager.default.contents(atPath: "\(statePath)/\(name)") else { return false }
      return data.range(of: Data(text.utf8)) != nil
    }
  }
}
