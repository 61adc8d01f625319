import ArgumentParser
import Execution
import Planning
import Reporting
import SyncModel

struct CleanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Remove outputs that syncmake wrote and that were not edited.",
    usage: "syncmake clean [<options>] [<target> ...]",
    discussion: """
      Removes the outputs of the named targets (default: all), but not those of targets that they need.

      Examples:
        syncmake clean -n          say what would be removed
        syncmake clean             every output that was not edited
        syncmake clean genes       only this target's
        syncmake clean --orphans   outputs whose entries left their lists
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var selection: SelectionOptions

  @Flag(help: "Remove only the outputs of entries that have left their lists.")
  var orphans = false

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")], help: "Say what would be removed, and remove nothing.")
  var dryRun = false

  @OptionGroup var removals: RemovalOptions

  @Flag(help: "Fail instead of waiting if another run holds this root.")
  var noWait = false

  func run() throws {
    let interruption = Interruption()
    try Rereading.perform(in: project.place.folder) { try perform(interruption, $0) }
  }

  private func perform(_ interruption: Interruption, _ past: EarlierReadings) throws {
    var opened = try Project(project, writesOutputs: !dryRun, past: past)
    try opened.expandStoredLists(allowsRemovals: removals.allowRemovals)
    let chosen = try opened.select(selection)
    // One that cannot be used says nothing of the outputs.
    _ = try? opened.workspace.readLock()
    // A dependency may be needed by other targets: it is removed only if it is named itself.
    let named = selection.targets.isEmpty ? Set(chosen) : try opened.members(selection.targets)
    let tagged = chosen.filter { id in
      // Without a name, what a list no longer has is left to its own option.
      named.contains(id)
        && (orphans
          ? opened.manifest[id].gone != nil : opened.manifest[id].gone == nil || !selection.targets.isEmpty)
        && (selection.tag.isEmpty || opened.manifest[id].tags.contains(where: selection.tag.contains))
    }
    var settings = RunSettings()
    settings.course.waitsForLock = !noWait
    let narrator = RunNarrator(
      manifest: opened.manifest, style: opened.style, outStyle: opened.outStyle, verbosity: opened.verbosity,
      out: Console.out,
      err: Console.err)
    let suspect = Dictionary(grouping: tagged.filter { opened.manifest[$0].isSuspect }) {
      opened.manifest[$0].gone?.template ?? ""
    }
    for template in suspect.keys.sorted() { refuse(template, suspect[template] ?? [], opened) }
    let results: [CleanResult]
    do {
      results = try Cleaner.clean(
        tagged.filter { !opened.manifest[$0].isSuspect || named.contains($0) && !selection.targets.isEmpty },
        in: opened.workspace, settings: settings, stop: interruption.stop, removes: !dryRun,
        told: { tell($0, opened) }, report: narrator.handle)
    } catch {
      guard error.endsCommand(isLast: true) else { throw error }
      throw Failure.fault(error, opened, interruption)
    }
    let hasFailed = results.contains { if case .failed = $0.fate { true } else { false } }
    if hasFailed { throw ExitCode(2) }
  }

  /// Says that nothing is removed of a list that has lost too many entries, unless it is named.
  private func refuse(_ template: String, _ targets: [TargetID], _ opened: Project) {
    guard selection.targets.isEmpty, let first = targets.first, let gone = opened.manifest[first].gone,
      case .suspect(let count, let recorded) = gone.fate
    else { return }
    Console.err(
      MessageText.warning(
        "\(template): \(count) of its \(recorded) recorded entries have left the list; their outputs are kept",
        hint: "if that is right, --allow-removals removes them", style: opened.style, secrets: opened.secrets)
    )
  }

  private func tell(_ results: [CleanResult], _ opened: Project) {
    var (removed, failed) = (0, 0)
    for result in results {
      switch result.fate {
      case .removed where result.keepsFolder:
        removed += 1
        warn(
          "\(result.name): \(result.output.text) is kept, since syncmake did not write all that is in it; "
            + "the rest was removed", opened)
      case .removed:
        removed += 1
        if opened.verbosity != .silent {
          let word = dryRun ? "would remove" : "removed"
          Console.out(CleanText.clean(opened.secrets.mask("\(word)  \(result.output.text)")) + "\n")
        }
      case .missing: break
      case .keptEdited: warn("\(result.name): \(result.output.text) was edited and is kept", opened)
      case .keptEditedFiles(let paths, let count):
        // The folder's other files are gone.
        removed += 1
        let more = count > paths.count ? " and \(count - paths.count) more" : ""
        warn(
          "\(result.name): these files in \(result.output.text) were edited and are kept: "
            + paths.joined(separator: ", ") + more
            + "; what else was unpacked \(dryRun ? "would be" : "is") removed", opened)
      case .keptUnknown:
        warn(
          "\(result.name): no record shows that syncmake wrote \(result.output.text), so it is kept", opened)
      case .failed(let cause):
        failed += 1
        let message = "\(result.name): \(FailureText.message(cause, secrets: opened.secrets))"
        Console.err(MessageText.error(message, style: opened.style, secrets: opened.secrets))
      }
    }
    if removed + failed == 0, opened.verbosity != .silent { Console.out("nothing to remove\n") }
  }

  private func warn(_ text: String, _ opened: Project) {
    Console.err(MessageText.warning(text, style: opened.style, secrets: opened.secrets))
  }
}
