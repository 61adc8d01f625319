import ArgumentParser
import Execution
import LocalFiles
import ManifestParsing
import Planning
import Reporting
import SyncModel

struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Examine a server, and write a target with the freshness rule that works there.",
    discussion: """
      Asks the server as `syncmake probe` does, and inserts the target after the manifest's last one. No other byte \
      of the manifest changes. If the server has a digest file beside the source, a `verify` step uses it, or the \
      freshness rule does if the server's validators do not work. A URL that begins with the value of a variable is \
      written with the variable. Headers from --header are written into the target, too: write ${secret:NAME} or \
      ${env:NAME} there, never the token itself.

      Examples:
        syncmake add https://data.example.org/genes.idx
        syncmake add URL --name genes --output data/genes.tsv --gunzip
        syncmake add '${mirror}/new.txt' --freshness '{interval: 12h}'
        syncmake add --list https://ftp.example.org/db/   a target of each file
        syncmake add -n URL             print the lines, write nothing
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var asking: AskingOptions
  @OptionGroup var talk: TalkOptions

  @Flag(help: "The URL is a list: make a target of each entry. The format is found out.")
  var list = false

  @Option(help: ArgumentHelp("The target's name (default: the last part of the URL).", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The file to write (default: the last part of the URL, less .gz with --gunzip, .xz with --unxz, and so on).",
      valueName: "path"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp("The freshness rule (default: the best one that works there).", valueName: "rule"))
  var freshness: String?

  @Flag var unpacking: UnpackingStep?

  @Option(
    help: ArgumentHelp(
      "A target that this one depends on: it is updated first, and a change of it makes this one stale. May be repeated.",
      valueName: "target"),
    completion: .target)
  var needs: [String] = []

  @Option(
    help: ArgumentHelp("A tag, by which --tag selects the target; may be repeated.", valueName: "tag"),
    completion: .tags)
  var tag: [String] = []

  @Flag(help: "Send no request: write the target from the options alone.")
  var offline = false

  @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Print the lines, write nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("Where the file comes from: http, https, file, or a path.", valueName: "url"))
  var url: String

  func validate() throws {
    if let freshness, freshness.unicodeScalars.contains(where: { $0.value < 0x20 }) {
      throw ValidationError("the value of --freshness must be one line")
    }
    if let name, name.contains("$") {
      throw ValidationError("the value of --name must not contain variables")
    }
    if list, let output, !output.holds("${entry.") {
      let folder = output.hasSuffix("/") ? String(output.dropLast()) : output
      throw ValidationError(
        "with --list, the value of --output must have a part of each entry, such as '\(folder)/${entry.name}'"
      )
    }
    if list, offline { throw ValidationError("--list reads the list, and --offline sends no request") }
    var named: Set<String> = []
    for (name, _) in asking.headers where !named.insert(name.lowercased()).inserted {
      throw ValidationError("--header names \(name) twice")
    }
  }

  func run() throws {
    let interruption = Interruption()
    let style = talk.style
    // Before the folder of the manifest is entered, which may have a file of that name.
    var caller = CallerFacts.process
    caller.policy = try PolicyFile.policy(asking.trust, style, nil)
    try place.folder.enter(style)
    guard let path = place.file ?? place.existing,
      let manifest = ManifestLocation(file: path, stateDir: nil, caller: caller)
    else {
      throw Failure.noManifest(place, style)
    }
    if let objection = manifest.objection {
      throw Failure.manifest("cannot read \(path): \(objection.text)", objection.hint, style)
    }
    var editing = try Editing(manifest.context, style)
    var addition = try self.addition(editing, style)
    var edit = try editing.adding(addition, isComplete: !list)
    for password in Environment.proxyPasswords { edit.manifest.secrets.add(urlPassword: password) }
    var advice: ProbeAdvice?
    var found: ListFinding?
    if !offline {
      guard let target = edit.target else {
        Console.err(AddText.waits(addition.name, isList: list, style: style))
        throw Failure.told(64)
      }
      let report = try look(target, edit.manifest, rootPath: manifest.place.root, interruption)
      (advice, found) = (report?.advice, report?.list)
      if list {
        try take(found, into: &addition, style)
        advice = nil
      } else {
        take(advice, into: &addition, target)
      }
      edit = try editing.adding(addition)
    }
    warn(AddText.signed(edit.text), edit)
    warn(AddText.literal(addition.writtenSecrets), edit)
    guard !dryRun else { return Console.out(AddText.lines(edit.text, addition.writtenSecrets)) }
    var tries = 1
    while try !editing.writes(edit) {
      // Another program, perhaps another `add`, changed the file: the target is added to the new content.
      guard tries < Self.mostTries else { throw Failure.keepsChanging(path, style) }
      tries += 1
      editing = try Editing(manifest.context, style)
      edit = try editing.adding(addition)
    }
    tell(addition, edit, advice, found, path: path, root: manifest.place.root)
  }

  private static let mostTries = 100

  /// The options as a target, before any request.
  private func addition(_ editing: Editing, _ style: TextStyle) throws -> TargetAddition {
    // What a list is named depends on what it is; until then it is one file.
    let own = list ? "syncmake.list" : self.name ?? TargetNaming.name(for: url, unpacked: unpacking?.format)
    guard let name = own, TargetNaming.isShort(name) else {
      Console.err(
        AddText.nameless(mayBeList: !list && url.hasPrefix("http") && url.hasSuffix("/"), style: style))
      throw Failure.told(64)
    }
    var addition = TargetAddition(name: name, url: editing.editor.shortened(url))
    addition.output = list ? "syncmake.list" : output
    addition.freshness = freshness
    addition.steps = unpacking.map { [$0.rawValue] } ?? []
    try editing.requireTargets(needs)
    addition.needs = needs
    addition.tags = tag
    addition.headers = asking.headers
    guard !addition.holdsSecret(of: editing.editor.manifest.secrets) else {
      Console.err(AddText.holdsSecret(style: style))
      throw Failure.told(64)
    }
    return addition
  }

  /// `nil` for a source without URLs; a source that cannot be had ends in status 2.
  private func look(
    _ target: Target, _ manifest: Manifest, rootPath: String, _ interruption: Interruption
  ) throws -> ProbeReport? {
    let probing = try Probing(asking, manifest, talk.style)
    let secrets = probing.secrets
    let reports: [ProbeReport]
    do throws(RunFault) {
      reports = try probing.reports(
        [target], rootPath: rootPath, readsLists: list, stop: interruption.stop)
    } catch {
      throw Failure.fault(error, secrets, talk.style, interruption)
    }
    for report in reports {
      guard let told = AddText.unreachable(report, style: talk.style, secrets: secrets) else { continue }
      Console.err(told)
      throw Failure.told(2)
    }
    return reports.first
  }

  /// Makes a template of the addition, whose entries have what the options say.
  private func take(_ found: ListFinding?, into addition: inout TargetAddition, _ style: TextStyle) throws {
    guard let found else {
      Console.err(AddText.noList(style: style))
      throw Failure.told(2)
    }
    guard let base = name ?? TargetNaming.name(forList: found.format, at: url), TargetNaming.isShort(base)
    else {
      Console.err(AddText.nameless(mayBeList: false, style: style))
      throw Failure.told(64)
    }
    addition.list = found.format
    let folder = found.hasEqualKeys ? "\(base)/${entry.version}" : base
    addition.name = "\(folder)/${entry.key}"
    // Without one, the file is named after its URL, less .gz and the like.
    let field = found.hasEqualNames ? "key" : "name"
    addition.output =
      output ?? (unpacking != nil && !found.hasEqualNames ? nil : "\(folder)/${entry.\(field)}")
  }

  private func take(_ advice: ProbeAdvice?, into addition: inout TargetAddition, _ target: Target) {
    guard let advice else { return }
    let settings = AdvisedSettings(advice, for: target, url: addition.url)
    addition.freshness = freshness ?? settings.freshness
    let hasDigest = if case .digest? = target.freshness?.innermost, freshness != nil { true } else { false }
    if let verify = settings.verify, !hasDigest {
      // A target's own steps take the place of those of `defaults`, so they must have these, too.
      let steps = addition.steps.isEmpty ? target.steps.map(Self.word) : addition.steps.map(Optional.some)
      guard !steps.contains(nil) else { return }
      let all = settings.verifiesOutput ? steps + [verify] : [verify] + steps
      addition.steps = all.compactMap(\.self)
    }
  }

  /// A step as it is written; `nil` for one with options.
  private static func word(_ step: Step) -> String? {
    if case .decompress(let format, window: nil) = step { format.stepName } else { nil }
  }

  private func warn(_ warning: (message: String, hint: String?)?, _ edit: ManifestEdit) {
    guard let warning, !talk.silent else { return }
    Console.err(
      MessageText.warning(
        warning.message, hint: warning.hint, style: talk.style, secrets: edit.manifest.secrets))
  }

  private func tell(
    _ addition: TargetAddition, _ edit: ManifestEdit, _ advice: ProbeAdvice?, _ found: ListFinding?,
    path: String, root: String
  ) {
    let secrets = edit.manifest.secrets
    guard !talk.silent else { return }
    if let advice, let target = edit.target {
      warn(AddText.doubt(advice, target: target, secrets: secrets), edit)
    }
    let lock = root == "." ? LockFile.fileName : "\(root)/\(LockFile.fileName)"
    Console.out(
      AddText.done(
        TargetName(addition.name), in: path, text: edit.text, headers: addition.writtenSecrets,
        advice: freshness == nil ? advice : nil,
        list: found, isList: list, hasLock: EditableFile.exists(lock), place: place.words,
        isCommand: ArgumentOrder.commands.contains(addition.name), style: talk.outStyle, secrets: secrets))
  }
}

/// The step that decompresses what a new target downloads.
enum UnpackingStep: String, EnumerableFlag {
  case gunzip, unxz, unzstd, bunzip2

  var format: Compression {
    switch self {
    case .gunzip: .gzip
    case .unxz: .xz
    case .unzstd: .zstd
    case .bunzip2: .bzip2
    }
  }

  static func help(for value: UnpackingStep) -> ArgumentHelp? {
    ArgumentHelp("Decompress the download (the step \(value.rawValue)).")
  }
}

/// A manifest's editor that prints its faults and gives each an exit status.
private struct Editing {
  let editor: ManifestEditor
  private let file: EditableFile
  private let fileName: String
  private let style: TextStyle
  /// Whether the manifest is a stranger's.
  private let isConfined: Bool

  /// Reads the file.
  init(_ context: ManifestContext, _ style: TextStyle) throws {
    fileName = context.fileName
    isConfined = context.policy != nil
    self.style = style
    do throws(FailureCause) {
      file = try EditableFile(reading: fileName, limit: ManifestParser.maximumSize)
    } catch {
      throw Failure.manifest(FailureText.message(error, secrets: SecretMask()), nil, style)
    }
    do throws(ManifestEditFault) { editor = try ManifestEditor(file.bytes, context: context) } catch {
      if case .invalid(let problems) = error { Console.err(DiagnosticText.render(problems, style: style)) }
      throw Failure.told(3)
    }
  }

  /// Writes the edited text; `false` if the file has changed since it was read.
  func writes(_ edit: ManifestEdit) throws -> Bool {
    do throws(FailureCause) { return try file.replace(with: edit.bytes) } catch {
      throw Failure.unwritable(error, style)
    }
  }

  /// Ends in status 3 if one of `names` is unknown, where no list and no value decides which targets there are.
  func requireTargets(_ names: [String]) throws {
    let manifest = editor.manifest
    guard !names.isEmpty, !manifest.isExpandable else { return }
    do throws(UnknownName) { _ = try Selection.named(names, in: manifest) } catch {
      throw Failure.unknown(error, manifest, style, nil)
    }
  }

  /// `isComplete`: the target is the one that is to be written.
  func adding(_ addition: TargetAddition, isComplete: Bool = true) throws -> ManifestEdit {
    do throws(ManifestEditFault) { return try editor.adding(addition) } catch {
      switch error {
      case .nameTaken(let span):
        let file = editor.manifest.fileName(at: span)
        Console.err(AddText.nameTaken(addition.name, in: file, line: span.line, style: style))
        throw Failure.told(64)
      // A policy judges the whole manifest, the new target included.
      case .invalid(let problems) where isConfined:
        Console.err(DiagnosticText.render(problems, style: style))
        throw Failure.told(3)
      case .invalid(var problems):
        // A hint names the manifest's key, and here an option is meant.
        for index in problems.indices {
          problems[index].hint = problems[index].hint?.with(
            "choose another --output", for: #"write another "output""#)
        }
        throw Failure.commandLine(problems, style)
      case .unusualForm(let form, let line, let text):
        Console.err(
          AddText.cannotInsert(
            fileName, form, line: line, text: isComplete ? text : "", headers: addition.writtenSecrets,
            style: style)
        )
      case .noPlace: Console.err(AddText.cannotInsert(fileName, style: style))
      }
      throw Failure.told(3)
    }
  }
}
