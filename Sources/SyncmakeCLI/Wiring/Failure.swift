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
  static func manifest(_ message: String, _ hint: String?, _ style: TextStyle) -> ExitCode {
    Console.err(MessageText.error(message, hint: hint, style: style))
    return ExitCode(3)
  }

  /// A name on the command line means nothing in the manifest.
  static func unknown(_ name: UnknownName, _ manifest: Manifest, _ style: TextStyle) -> ExitCode {
    let what = name.kind == .tag ? "no target bears the tag" : "there is no target or group called"
    let list = name.kind == .tag ? nil : "syncmake graph --format json lists the targets"
    let hint = name.nearest.map { "did you mean \"\($0)\"?" } ?? list
    Console.err(
      MessageText.error(
        "\(manifest.fileName): \(what) \"\(name.name)\"", hint: hint, style: style, secrets: manifest.secrets)
    )
    return ExitCode(3)
  }

  /// Nothing could be begun.
  static func fault(_ fault: RunFault, _ project: Project, _ interruption: Interruption) -> ExitCode {
    switch fault {
    case .interrupted: return ExitCode(interruption.exitStatus ?? 130)
    case .lockFileChanged:
      Console.err(
        MessageText.error(
          "\(LockFile.fileName) keeps changing", hint: "wait for what writes it, and run again",
          style: project.style, secrets: project.secrets))
      return ExitCode(2)
    case .busy(let holder):
      Console.err(
        MessageText.error(
          "another run holds this root: \(holder)", hint: "leave out --no-wait to wait for it",
          style: project.style, secrets: project.secrets))
      return ExitCode(2)
    case .unusable(let cause):
      Console.err(
        MessageText.error(
          FailureText.message(cause, secrets: project.secrets), style: project.style, secrets: project.secrets
        ))
      if case .internalError = cause { return ExitCode(70) }
      return ExitCode(2)
    }
  }
}
