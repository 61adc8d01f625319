import Execution
import Planning
import Reporting
import SyncModel

/// A valid manifest: from a file, from text, or built in Swift.
///
/// It is read once; a file that is edited later must be read again. Relative paths are from the folder that is the
/// process's current one when it is read and, again, when it is planned or run.
/// Everything that the manifest makes is below its root. Nothing is read from the process: what the manifest takes from
/// the environment, and proxies, come from the `environment` that the caller passes.
public struct Manifest: Sendable {
  /// The names of the targets, in the manifest's order; those of lists are known only while running.
  public var targets: [String] {
    let manifest = work.project.workspace.manifest
    return manifest.targets.map { manifest.secrets.mask($0.name.text) }
  }
  /// Warnings about the manifest.
  public var warnings: [Problem] { work.project.warnings.map { Problem($0, Problem.ofManifest) } }
  /// The manifest's text: made of the targets, with variables in place of passwords and tokens, or as the caller gave it;
  /// `nil` if it was read from a file.
  public let text: String?

  let work: ManifestWork

  /// Reads a manifest's file, whose folder is the root; throws all of its errors at once.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - state: the state folder; `nil` is `.syncmake` in the root.
  ///   - environment: what `${env:NAME}`, `${secret:NAME}` and proxies come from, such as the process's environment.
  ///   - trust: what the manifest may do.
  public init(
    file path: String, state: String? = nil, environment: [String: String] = [:], trust: Trust = .full
  ) throws(SyncError) {
    text = nil
    work = try ManifestWork(file: path, text: nil, state: state, environment, trust: trust)
  }

  /// Reads a manifest's text, as the file `syncmake.yaml` in the folder `root` would have it.
  public init(
    text: String, root: String, state: String? = nil, environment: [String: String] = [:],
    trust: Trust = .full
  ) throws(SyncError) {
    self.text = text
    work = try ManifestWork(
      file: ManifestWork.file(in: root), text: text, state: state, environment, trust: trust)
  }

  /// Makes a manifest of targets, whose outputs are below the folder `root`; throws all errors at once.
  public init(
    _ targets: [Target], root: String, state: String? = nil, environment: [String: String] = [:]
  ) throws(SyncError) {
    let made = ManifestText(targets)
    text = made.text
    work = try ManifestWork(
      file: ManifestWork.file(in: root), text: made.text, state: state, environment, secrets: made.secrets)
  }

  /// Says what a run would do; asks the same questions, and writes nothing.
  ///
  /// `names` are targets and groups; none means all. They are planned together with what they need.
  public func plan(
    _ names: [String] = [], options: RunOptions = RunOptions()
  ) async throws(SyncError) -> Plan {
    let stop = StopSignal()
    let work = work
    return try await RunThread.perform(stop: stop) { work.plan(names, options, stop) }.get()
  }

  /// Brings targets up to date; see ``Run``. `names` are as for ``plan(_:options:)``.
  public func run(_ names: [String] = [], options: RunOptions = RunOptions()) -> Run {
    let work = work
    return Run { stop, report in work.run(names, options, stop, report) }
  }
}
