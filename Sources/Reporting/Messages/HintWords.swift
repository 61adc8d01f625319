package import SyncModel

/// What hints call the options of who reads them: the program's, or the library's.
package struct HintWords: Sendable {
  /// Replaces outputs that were edited.
  package let overwrite: String
  /// Chooses the state folder.
  package let stateFolder: String
  /// Does without a cache.
  package let noCache: String
  /// Does without a cache on a server.
  package let noRemoteCache: String
  /// Lets a run wait longer for uploads.
  package let longerUploads: String
  /// What to do after a run that could ask nobody.
  package let online: String
  /// Where a policy comes from.
  package let policy: String
  /// Requires a lock; a command may lack one of the options.
  package var locked: String
  /// What lets a run wait for another one.
  package let waiting: String
  /// What the command `list` does; `nil` if nothing needs to be said of it.
  package let list: String?
  /// How to report a bug.
  package let report: String
  /// The manifest of the commands in hints.
  package var place = CommandPlace()

  /// The options of the command line.
  package static let program = HintWords(
    overwrite: "--overwrite", stateFolder: "--state-dir", noCache: "--cache off",
    noRemoteCache: "--remote-cache off", longerUploads: "--cache-wait 5m",
    online: "run again without --offline (--frozen implies --offline)", policy: "a policy (--policy FILE)",
    locked: "--locked (or --frozen)", waiting: "remove --no-wait to wait for it",
    list: "lists the targets and groups, with --json the tags, too",
    report: "please report it with the output of --verbose")
  /// The same for the manifest at `place`.
  package static func at(_ place: CommandPlace) -> HintWords {
    var words = program
    words.place = place
    return words
  }
  /// The names of the module `Syncmake`.
  package static let library = HintWords(
    overwrite: "`overwritesEdits`", stateFolder: "`state`", noCache: "a run without `cache`",
    noRemoteCache: "a configuration without `remote_cache`", longerUploads: "a greater `cacheWait`",
    online: "run again without `isOffline`", policy: "a policy (`Trust`)", locked: "`requiresLock`",
    waiting: "with `waits` a run waits for it", list: nil, report: "please report it")
}
