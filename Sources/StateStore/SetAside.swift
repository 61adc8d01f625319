#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Gives a state file that cannot be used another name, so that a new one can take its place.
///
/// A damaged or foreign file becomes `state.db.damaged-1`, a later program's `state.db.v7` (by its version). At most
/// two of each kind are kept: the second is `state.db.damaged-2` or `state.db.v7-2`, and the last one that was set
/// aside always has the highest number.
struct SetAside {
  private let file: StateFile
  private let laterVersion: Int64?

  init(_ file: StateFile, _ objection: Schema.Objection) {
    self.file = file
    laterVersion = objection.laterVersion
  }

  /// Earlier programs used numbers up to this one.
  private static let mostNumbers = 20

  /// Renames the file, and its journal with it; returns the file's new path.
  func perform() throws(StateFault) -> String {
    // Whoever opens the file by SQLite would still have it remove what the journal names.
    if file.journalNamesFile { unsafe unlink(file.journalPath) }
    let names = usableNames()
    let kept = names.prefix(Self.mostNumbers).filter { exists($0) }
    for old in kept.dropLast() { remove(old) }
    if let latest = kept.last, latest != names[0] { try move(latest, to: names[0]) }
    let new = kept.isEmpty ? names[0] : names[1]
    try move(file.path, to: new)
    return new
  }

  /// The names of this kind by number, without those that are non-empty folders.
  private func usableNames() -> [String] {
    var names: [String] = []
    var number = 1
    // Two are needed; the others are those that earlier programs may have left.
    while names.count < 2 || number <= Self.mostNumbers {
      let name = name(number)
      if !isFullFolder(name), !isFullFolder(name + "-journal") { names.append(name) }
      number += 1
    }
    return names
  }

  private func name(_ number: Int) -> String {
    guard let laterVersion else { return "\(file.path).damaged-\(number)" }
    return "\(file.path).v\(laterVersion)" + (number == 1 ? "" : "-\(number)")
  }

  private func exists(_ name: String) -> Bool { file.exists(name) || file.exists(name + "-journal") }

  /// An empty folder is removed in passing: nothing is lost by it.
  private func isFullFolder(_ path: String) -> Bool {
    var info = stat()
    guard unsafe lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return false }
    return unsafe rmdir(path) != 0
  }

  private func remove(_ name: String) {
    for path in [name, name + "-journal"] { unsafe unlink(path) }
  }

  /// A journal that stayed would be rolled into the file that takes the old one's place.
  private func move(_ old: String, to new: String) throws(StateFault) {
    remove(new)
    for ending in ["", "-journal"] {
      guard unsafe rename(old + ending, new + ending) == 0 || errno == ENOENT else {
        throw .system(path: old + ending)
      }
    }
  }
}
