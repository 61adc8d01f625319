import ArgumentParser
import Execution
import Planning
import Reporting
import SyncModel

/// The ends of a command other than 0, told on standard error (SPEC section 1, exit status).
enum Failure {
  /// Everything has been said already.
  static func told(_ status: Int32) -> ExitCode { ExitCode(status) }

  /// The manifest is missing or cannot be read.
  static func manifest(
    _ message: String, _ hint: String?, _ style: TextStyle, _ ci: CIPlatform?
  ) -> ExitCode {
    Console.err(MessageText.error(message, hint: hint, style: style))
    ci.annotate(message, hint: hint)
    return ExitCode(3)
  }

  /// The command line asks for what cannot be.
  static func usage(_ message: String, _ style: TextStyle) -> ExitCode {
    Console.err(MessageText.error(message, style: style))
    return ExitCode(64)
  }

  /// A name on the command line means nothing in the manifest.
  static func unknown(
    _ name: UnknownName, _ manifest: Manifest, _ style: TextStyle, _ ci: CIPlatform?
  ) -> ExitCode {
    let what = name.kind == .tag ? "no target bears the tag" : "there is no target or group called"
    let list = name.kind == .tag ? nil : "syncmake graph --format json lists the targets"
    let hint = name.nearest.map { "did you mean \"\($0)\"?" } ?? list
    let message = "\(manifest.fileName): \(what) \"\(name.name)\""
    Console.err(MessageText.error(message, hint: hint, style: style, secrets: manifest.secrets))
    ci.annotate(message, hint: hint, secrets: manifest.secrets)
    return ExitCode(3)
  }

  /// Nothing could be begun.
  static func fault(_ fault: RunFault, _ project: Project, _ interruption: Interruption) -> ExitCode {
    switch fault {
    case .interrupted: return ExitCode(interruption.exitStatus ?? 130)
    case .lockFileChanged:
      tell("\(LockFile.fileName) keeps changing", "wait for what writes it, and run again", project)
    case .busy(let holder):
      tell("another run holds this root: \(holder)", "leave out --no-wait to wait for it", project)
    case .unusable(let cause):
      tell(FailureText.message(cause, secrets: project.secrets), nil, project)
      if case .internalError = cause { return ExitCode(70) }
    }
    return ExitCode(2)
  }

  private static func tell(_ message: String, _ hint: String?, _ project: Project) {
    Console.err(MessageText.error(message, hint: hint, style: project.style, secrets: project.secrets))
    project.ci.annotate(message, hint: hint, secrets: project.secrets)
  }
}
