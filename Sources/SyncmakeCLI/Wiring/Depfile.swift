import Execution
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `--depfile`: tells the surrounding make or ninja when its rule must run again. A class, as ``Planned`` is.
final class Depfile {
  static let suffix = ".d"

  var path: String { file.path }
  let file: ReportFile
  private let target: String
  private let project: Project

  /// `path` is as the user gave it; a name that cannot be a target, or a place that cannot be written, is wrong.
  init(_ path: String, _ project: Project) throws(ReportFile.Problem) {
    self.project = project
    target = Self.withoutDetours(Self.joined(project.enteredFolder, String(path.dropLast(Self.suffix.count))))
    guard DepfileText(target: target, prerequisites: []) != nil else {
      throw ReportFile.Problem(text: "\"\(target)\" cannot be written so that make and ninja both read it")
    }
    file = try ReportFile(path, .wholeIfChanged, beside: project)
  }

  /// Writes the files that a run with these results read; a warning lists names that had to be left out.
  ///
  /// Nothing is written if the run failed: the rule fails, too, and the old depfile is still valid.
  func finish(_ outcome: RunOutcome) throws(ReportFile.Problem) {
    guard outcome.status == .ok, let rule = rule(outcome.results.map(\.id)) else { return }
    try file.write(rule.text)
    try file.close()
    guard project.verbosity != .silent else { return }
    for name in rule.unwritable {
      let message =
        "\(path) lacks \"\(name)\": that name cannot be written so that make and ninja both read it"
      Console.err(MessageText.warning(message, style: project.style, secrets: project.secrets))
    }
  }

  private func rule(_ targets: [TargetID]) -> DepfileText? {
    let manifest = project.manifest
    var names = [Self.joined(project.enteredFolder, manifest.fileName), inRoot(LockFile.fileName)]
    names += manifest.furtherFiles.map { inRoot($0.path.text) }
    names += project.listFiles.map { inRoot($0.path) }
    // A file that a target makes is not a reason to make it.
    let made = Set(manifest.targets.map { inRoot($0.path.text) })
    for id in targets.sorted() {
      names += manifest[id].localFiles.map(inRoot).filter { !made.contains($0) }
    }
    // A secret in a path is nothing to write down; a mirror or a lock that is not there was not read.
    let told = names.filter { project.secrets.mask($0) == $0 }
    return DepfileText(target: target, prerequisites: told.filter { isThere($0) })
  }

  private func inRoot(_ path: String) -> String {
    Self.joined(project.enteredFolder, Self.joined(project.workspace.place.root, path))
  }

  /// Relative to the program's current folder, not to its caller's.
  private func isThere(_ name: String) -> Bool {
    let entered = project.enteredFolder
    let here =
      entered != "." && name.isPath(in: entered)
      ? String(Substring(name.utf8.dropFirst(entered.utf8.count + 1))) : name
    return unsafe access(here, F_OK) == 0
  }

  /// `sub/../name` as the rule of the surrounding make names it: `name`. Such a rule compares texts, not files.
  private static func withoutDetours(_ path: String) -> String {
    guard path.holds("/../"), let plain = try? RelativePath(path) else { return path }
    return plain.text
  }

  /// `path` relative to the folder to which `folder` is relative.
  private static func joined(_ folder: String, _ path: String) -> String {
    path.hasPrefix("/") || folder == "." ? path : folder == "/" ? "/\(path)" : "\(folder)/\(path)"
  }
}
