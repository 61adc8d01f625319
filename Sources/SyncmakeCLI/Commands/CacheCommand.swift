import ArgumentParser
import Execution
import ManifestParsing
import Platform
import Reporting
import SyncModel

struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "Look after the cache on this machine.",
    usage: "syncmake cache [<options>] [<action>]",
    discussion: """
      --cache, SYNCMAKE_CACHE or the configuration names it. `info` shows how much is in it, `path` its folder. \
      `verify` hashes every file, and exits with 2 if one cannot be read, or has other bytes than its name says; a run \
      that meets such a file removes it and fetches its bytes. `prune` removes what was used least recently.

      Examples:
        syncmake cache info
        syncmake cache verify
        syncmake cache prune --max-size 5GB   leave no more than that
        syncmake cache prune --max-age 30d    remove what was not used for a month
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable {
    case info, path, verify, prune
  }

  @Argument(help: ArgumentHelp("info, path, verify or prune.", valueName: "action"))
  var action: Action = .info

  @OptionGroup var caching: CacheOptions
  @OptionGroup var user: UserOptions
  @OptionGroup var talk: TalkOptions

  @Option(
    help: ArgumentHelp(
      "prune: leave no more than this, such as 5GB (default: the configuration's cache_size, else 20GB).",
      valueName: "size"))
  var maxSize: String?

  @Option(
    help: ArgumentHelp("prune: remove what was not used for this long, such as 30d.", valueName: "duration"))
  var maxAge: String?

  @Flag(help: "Print one JSON document (not for path).")
  var json = false

  func validate() throws {
    if action == .path, json {
      throw ValidationError("cache path prints one line; --json is for the other actions")
    }
    if action != .prune, maxSize != nil || maxAge != nil {
      throw ValidationError("--max-size and --max-age are for prune")
    }
    if let maxSize, UnitValue.size(maxSize) == nil {
      throw ValidationError("the value of --max-size must be a size such as 5GB, not '\(maxSize)'")
    }
    if let maxAge, UnitValue.duration(maxAge) == nil {
      throw ValidationError("the value of --max-age must be a duration such as 30d, not '\(maxAge)'")
    }
  }

  func run() throws {
    let interruption = Interruption()
    guard let settings = try UserSettings(user, talk.style).cache(caching) else {
      throw refuse(
        "no cache is named",
        hint:
          "--cache DIR, the variable \(CacheOptions.variable) or \"cache\" in the configuration names one", 3)
    }
    let path = settings.path
    if action == .path { return Console.out(path + "\n") }
    let keeper = try keeper(settings)
    switch action {
    case .path: break
    case .info:
      let contents = keeper?.contents() ?? CacheContents()
      tell(
        CacheText.info(path: path, contents, maxSize: settings.maxSize),
        CacheJSON.info(path: path, contents, maxSize: settings.maxSize))
    case .verify:
      let (read, bad) = keeper?.verify(stop: interruption.stop) ?? (CacheContents(), [])
      tell(CacheText.verified(read, bad: bad), CacheJSON.verified(path: path, read, bad: bad))
      if let status = interruption.exitStatus { throw ExitCode(status) }
      if !bad.isEmpty { throw ExitCode(2) }
    case .prune: try prune(keeper, path: path, maxSize: maxSize.flatMap(UnitValue.size) ?? settings.maxSize)
    }
  }

  private func prune(_ keeper: CacheKeeper?, path: String, maxSize most: Int64) throws {
    let now = SystemClock.now()
    // In nanoseconds, which always fit: no duration is longer than a hundred years.
    let age = maxAge.flatMap(UnitValue.duration).map { Int64($0 / Duration.nanoseconds(1)) }
    let (removed, kept) =
      keeper?.prune(
        maxSize: most,
        unusedSince: age.map { Timestamp(nanoseconds: now.nanoseconds - $0) }, now: now)
      ?? (CacheContents(), 0)
    let left = keeper?.contents() ?? CacheContents()
    tell(
      CacheText.pruned(removed: removed, left: left),
      CacheJSON.pruned(path: path, removed: removed, left: left))
    let hint = "check the owner and the permissions of what is in it"
    // What is in such a folder is not counted as left either.
    let unreadable = keeper?.unreadable.count ?? 0
    if unreadable > 0 {
      throw refuse(
        "\(Quantity.count(unreadable, "folder")) in \(path) cannot be listed, so what is there stays",
        hint: hint, 2)
    }
    if kept > 0, maxAge != nil {
      throw refuse("\(Quantity.count(kept, "file")) in \(path) could not be removed", hint: hint, 2)
    }
    // Runs may have filled it meanwhile.
    if kept > 0, left.bytes > most {
      throw refuse(
        "\(Quantity.size(left.bytes)) are left in \(path), more than \(Quantity.size(most)): not all files could be removed",
        hint: hint, 2)
    }
  }

  /// `nil` if no run has made the cache yet; one that cannot be used ends in status 2.
  private func keeper(_ settings: CacheSettings) throws -> CacheKeeper? {
    do throws(CacheFault) { return try CacheKeeper(path: settings.path) } catch {
      guard error != .missing else { return nil }
      throw refuse("cannot use the cache \(settings.path): \(WarningText.why(error))", 2)
    }
  }

  private func refuse(_ message: String, hint: String? = nil, _ status: Int32) -> ExitCode {
    Console.err(MessageText.error(message, hint: hint, style: talk.style))
    return ExitCode(status)
  }

  private func tell(_ text: String, _ document: String) {
    if json { Console.out(document) } else if !talk.silent { Console.out(text) }
  }
}
