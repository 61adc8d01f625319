import ArgumentParser
import Planning
import Platform
import Reporting
import SyncModel

/// The CI system of a command, by `--ci` or the environment.
enum CIPlatform: Equatable {
  case github, gitlab

  /// The CI system by the environment; `nil` outside of one.
  static var detected: CIPlatform? {
    if Environment.variable("GITHUB_ACTIONS") == "true" { return .github }
    if Environment.variable("GITLAB_CI") == "true" { return .gitlab }
    return nil
  }

  /// The file that GitHub shows as the step's summary; `nil` if there is none.
  static var summaryPath: String? { Environment.text("GITHUB_STEP_SUMMARY") }

  /// The file for the step's outputs; `nil` if there is none.
  static var outputPath: String? { Environment.text("GITHUB_OUTPUT") }

  /// `path` relative to the repository's folder, or unchanged if it is outside.
  static func inRepository(_ path: String) -> String {
    guard let root = Environment.text("GITHUB_WORKSPACE") ?? Environment.text("CI_PROJECT_DIR"),
      let folder = RealPath.of(root), let file = RealPath.of(path),
      let rest = RealPath.rest(of: file, in: folder), !rest.isEmpty
    else { return path }
    return rest
  }
}

/// The value of `--ci`.
enum CIChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, github, gitlab, none

  var platform: CIPlatform? {
    switch self {
    case .auto: .detected
    case .github: .github
    case .gitlab: .gitlab
    case .none: nil
    }
  }
}

extension CIPlatform? {
  /// Shows the problems of a file beside its lines; they have been printed already.
  func annotate(_ diagnostics: [Diagnostic]) {
    guard self == .github, !diagnostics.isEmpty else { return }
    Console.err(GitHubAnnotations.lines(diagnostics, path: CIPlatform.inRepository))
  }

  /// Shows what could not be planned; it has been printed already.
  func annotate(_ plan: Plan, _ project: Project) {
    guard self == .github else { return }
    var annotations = GitHubAnnotations(project.manifest, path: CIPlatform.inRepository)
    annotations.handle(plan)
    Console.err(annotations.lines(errorsOnly: project.verbosity == .silent))
  }

  /// Shows an error that is about no line.
  func annotate(_ message: String, hint: String?, secrets: SecretMask = SecretMask()) {
    guard self == .github else { return }
    Console.err(GitHubAnnotations.line(message, hint: hint, secrets: secrets))
  }
}
