import ArgumentParser
import Execution
import Planning
import Platform
import Reporting
import SyncModel

import struct Syncmake.FaultWords
import struct Syncmake.OpenProject

/// The exit statuses of a command other than 0, with their messages (contract, section 1, exit status).
enum Failure {
  /// The error was already printed.
  static func told(_ status: Int32) -> ExitCode { ExitCode(status) }

  /// The status of a run that did not succeed: 2, or 75 with `--exit-temporary` if every failure is temporary.
  ///
  /// `nil` for a run that succeeded.
  static func status(
    of outcome: RunOutcome, _ interruption: Interruption, _ options: TemporaryOptions
  ) -> ExitCode? {
    switch outcome.status {
    case .ok: return nil
    case .interrupted: return ExitCode(interruption.exitStatus ?? 130)
    case .failed:
      let isTemporary = outcome.failure == nil && RunJudgement.isTemporary(results: outcome.results)
      return failed(isTemporary: isTemporary, options)
    }
  }

  /// The status of failures; `isTemporary` tells whether all are temporary.
  static func failed(isTemporary: Bool, _ options: TemporaryOptions) -> ExitCode {
    ExitCode(options.exitTemporary && isTemporary ? 75 : 2)
  }

  /// Performs a step of a project; its fault is printed, and exits with its status.
  static func told<Value>(
    _ style: TextStyle, _ ci: CIPlatform?, _ secrets: SecretMask = SecretMask(),
    _ words: HintWords = .program, _ step: () throws -> Value
  ) throws -> Value {
    do { return try step() } catch let fault as OpenProject.Fault {
      let words = FaultWords(fault, secrets, words)
      switch fault {
      case .stateUnusable, .stateLater: throw usage(words.message, hint: words.hint, style)
      case .manifest(let problems), .lock(let problems):
        tell(problems, style, ci)
        throw told(3)
      case .unreadable, .lockUnreadable, .lockMissing:
        throw manifest(words.message, words.hint, style, ci)
      }
    }
  }

  /// Prints problems with their places.
  static func tell(_ problems: [Diagnostic], _ style: TextStyle, _ ci: CIPlatform?) {
    guard !problems.isEmpty else { return }
    Console.err(DiagnosticText.render(problems, style: style))
    ci.annotate(problems)
  }

  /// The manifest is missing or cannot be read.
  static func manifest(
    _ message: String, _ hint: String?, _ style: TextStyle, _ ci: CIPlatform? = nil
  ) -> ExitCode {
    Console.err(MessageText.error(message, hint: hint, style: style))
    ci.annotate(message, hint: hint)
    return ExitCode(3)
  }

  /// The command line asks for what cannot be.
  static func usage(_ message: String, hint: String? = nil, _ style: TextStyle) -> ExitCode {
    Console.err(MessageText.error(message, hint: hint, style: style))
    return ExitCode(64)
  }

  /// A report cannot be written to the file that an option names.
  static func report(_ path: String, _ problem: ReportFile.Problem, _ style: TextStyle) -> ExitCode {
    usage("cannot write \(path): \(problem.text)", hint: problem.hint, style)
  }

  /// There is no manifest; the message names the nearest one in a folder above.
  static func noManifest(_ place: PlaceOptions, _ style: TextStyle, _ ci: CIPlatform? = nil) -> ExitCode {
    let initCommand = CommandPlace(place.words).command("init")
    guard let above = ManifestAbove.find() else {
      return manifest(
        "no syncmake.yaml here",
        "\(initCommand) writes one; -f FILE or -C DIR choose another", style, ci)
    }
    let entered = place.folder.enteredFolder
    let folder = entered == "." ? above.folder : "\(entered)/\(above.folder)"
    return manifest(
      "no syncmake.yaml here; the nearest one above is \(above.path)",
      "`syncmake -C\(ShellText.words([folder]))` uses that one; \(initCommand) writes a new one here", style,
      ci)
  }

  /// The command line has a value that is invalid in a manifest.
  static func commandLine(_ problems: [Diagnostic], _ style: TextStyle) -> ExitCode {
    for problem in problems {
      Console.err(MessageText.error(problem.message, hint: problem.hint, style: style))
    }
    return ExitCode(64)
  }

  /// A file that the command is to write cannot be written, or read first.
  ///
  /// `hint` replaces that of the cause.
  static func unwritable(_ cause: FailureCause, hint: String? = nil, _ style: TextStyle) -> ExitCode {
    let hint = hint ?? FailureText.hint(TargetFailure(cause), target: nil, secrets: SecretMask())
    Console.err(
      MessageText.error(FailureText.message(cause, secrets: SecretMask()), hint: hint, style: style))
    return ExitCode(2)
  }

  /// A file that the command is to edit is another one at each look.
  static func keepsChanging(_ path: String, _ style: TextStyle) -> ExitCode {
    Console.err(
      MessageText.error(
        "\(path) keeps changing; nothing was written to it",
        hint: "wait for the program that writes it, then run again", style: style))
    return ExitCode(2)
  }

  /// A name on the command line is unknown in the manifest.
  static func unknown(
    _ name: UnknownName, _ manifest: Manifest, _ style: TextStyle, _ ci: CIPlatform?
  ) -> ExitCode {
    let words = FaultWords(name, .at(manifest.place))
    let message = "\(manifest.fileName): \(words.message)"
    let command = name.nearest == nil ? command(near: name) : nil
    let hint = command.map { "did you mean \(manifest.place.command($0))?" } ?? words.hint
    Console.err(MessageText.error(message, hint: hint, style: style, secrets: manifest.secrets))
    ci.annotate(message, hint: hint, secrets: manifest.secrets)
    return ExitCode(3)
  }

  /// The command that was probably meant, if no command was named and a word in its place is no target.
  private static func command(near name: UnknownName) -> String? {
    let arguments = Array((ProcessArguments.all() ?? []).dropFirst())
    guard name.kind == .target, let first = ArgumentOrder.firstWord(arguments), arguments[first] == name.name
    else { return nil }
    return NearestName.find(name.name, among: CommandDefinition.program?.subcommands.map(\.name) ?? [])
  }

  /// Nothing could be begun.
  static func fault(_ fault: RunFault, _ project: Project, _ interruption: Interruption) -> ExitCode {
    Self.fault(fault, project.secrets, project.style, interruption, project.ci)
  }

  /// The same without a project.
  static func fault(
    _ fault: RunFault, _ secrets: SecretMask, _ style: TextStyle, _ interruption: Interruption?,
    _ ci: CIPlatform? = nil
  ) -> ExitCode {
    guard let words = FaultWords(fault, secrets) else { return ExitCode(interruption?.exitStatus ?? 130) }
    Console.err(MessageText.error(words.message, hint: words.hint, style: style, secrets: secrets))
    ci.annotate(words.message, hint: words.hint, secrets: secrets)
    if case .unusable(.internalError) = fault { return ExitCode(70) }
    return ExitCode(2)
  }
}
