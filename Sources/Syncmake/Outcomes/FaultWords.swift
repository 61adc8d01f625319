package import Execution
package import Planning
package import Reporting
package import SyncModel

/// What is said of a fault that no target has, to those who run the program or call the library.
package struct FaultWords: Sendable, Equatable {
  /// One line, which may have characters that only ``CleanText`` makes harmless.
  package let message: String
  /// The next step; `nil` if the message is enough.
  package let hint: String?

  private init(_ message: String, _ hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  /// Of a manifest, a state folder or a lock that cannot be used.
  package init(_ fault: OpenProject.Fault, _ secrets: SecretMask, _ words: HintWords = .program) {
    switch fault {
    case .stateUnusable(let path, let why):
      self.init("\(path) cannot be the state folder: \(why)", "choose a new folder or an empty one")
    case .stateLater(let path, let why):
      self.init("\(path) cannot be used: \(why)", "use that version, or choose another folder")
    case .unreadable(let path, let why, let hint): self.init("cannot read \(path): \(why)", hint)
    case .lockUnreadable(let cause): self.init(cause, secrets, words)
    case .lockMissing(let name):
      self.init(
        "\(words.locked) needs \(name), but it does not exist",
        "\(secrets.mask(words.place.command("lock"))) writes it")
    case .manifest(let problems), .lock(let problems): self.init(problems)
    }
  }

  /// Of a run or a plan that could not begin; `nil` if it was interrupted.
  package init?(_ fault: RunFault, _ secrets: SecretMask, _ words: HintWords = .program) {
    switch fault {
    case .busy(let holder): self.init("another run holds this root: \(holder)", words.waiting)
    case .stateChanged: self.init("the state keeps changing", "wait for what writes it, and run again")
    case .manifestChanged:
      self.init("the manifest keeps changing", "wait for the program that writes it, then run again")
    case .lockFileChanged:
      self.init(
        "\(LockFile.fileName) keeps changing", "wait for the program that writes it, then run again")
    case .unusable(let cause): self.init(cause, secrets, words)
    case .interrupted: return nil
    }
  }

  /// Of an unknown name on the command line, or in a call.
  package init(_ name: UnknownName, _ words: HintWords = .program) {
    let what = name.kind == .tag ? "no target has the tag" : "unknown target or group"
    let near = name.nearest.map {
      name.isOutput ? "\(name.name) is the output of \"\($0)\"" : "did you mean \"\($0)\"?"
    }
    self.init(
      "\(what) \"\(name.name)\"", near ?? words.list.map { "\(words.place.command("list")) \($0)" })
  }

  /// How many errors a file has.
  init(_ problems: [Diagnostic]) {
    let errors = problems.filter { $0.severity == .error }
    let count = errors.count == 1 ? "1 error" : "\(errors.count) errors"
    self.init("\(errors.first?.file ?? "the manifest") has \(count)")
  }

  private init(_ cause: FailureCause, _ secrets: SecretMask, _ words: HintWords) {
    self.init(
      FailureText.message(cause, secrets: secrets),
      FailureText.hint(TargetFailure(cause), target: nil, secrets: secrets, words))
  }
}
