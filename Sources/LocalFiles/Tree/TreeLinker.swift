import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Gives what stays of a live folder its names in the staged one; for one thread.
struct TreeLinker: Sendable {
  private var live: TreeWalker?
  private var staged: TreeWalker
  private let survey: TreeSurvey?
  /// The staged folders that got names.
  private(set) var changed: Set<[UInt8]> = []

  /// `live` is `nil` if nothing is there.
  init(live: OpenFolder?, staged: OpenFolder, _ survey: TreeSurvey?) {
    self.live = live.map { TreeWalker($0) }
    self.staged = TreeWalker(staged)
    self.survey = survey
  }

  /// Takes over something that is not from the new archive.
  mutating func carry(_ item: TreeSurvey.Carried) throws(SystemError) {
    if item.isFolder {
      _ = try staged.folder(item.path[...], creating: true)
    } else {
      try link(item.path)
    }
    note(item.path)
  }

  /// Takes over the file at `path`, and returns its new signature; `nil` if the live file is no longer the one with that
  /// signature.
  mutating func reuse(_ path: [UInt8], _ signature: FileSignature) throws(SystemError) -> FileSignature? {
    guard survey?.lost.contains(path) == false else { return nil }
    let isCopy: Bool
    do throws(SystemError) { isCopy = try link(path) } catch {
      guard [ENOENT, ENOTDIR, ELOOP].contains(error.code) else { throw error }
      return nil
    }
    note(path)
    // It may have been replaced since the survey. Its ctime is that of the link, and some systems do not give a copy the
    // time that it shall have.
    let now = try staged.status(of: path).signature
    let place = place(of: path)
    guard let found = isCopy ? try live?.status(of: place).signature : now else { return nil }
    return found.size == signature.size && found.modified == signature.modified ? now : nil
  }

  /// Gives the live file at `path` a name in the staged tree; a copy where the system refuses that. Returns whether it is
  /// a copy.
  @discardableResult
  private mutating func link(_ path: [UInt8]) throws(SystemError) -> Bool {
    let place = place(of: path)
    guard let (from, old) = try live?.place(of: place) else { throw SystemError(ENOENT) }
    let (folder, name) = try staged.place(of: path, creating: true)
    do throws(SystemError) {
      try from.link(old, to: name, in: folder)
      return false
    } catch {
      guard [EPERM, EACCES, EMLINK, EXDEV].contains(error.code) || error.isUnsupported else { throw error }
      try from.copy(old, to: name, in: folder, else: error)
      return true
    }
  }

  /// A file system may take two spellings of one name for two files in what it says of them.
  private func place(of path: [UInt8]) -> [UInt8] { survey?.place(of: path) ?? path }

  private mutating func note(_ path: [UInt8]) {
    changed.insert(path.foldersAbove.first { _ in true }.map { Array($0) } ?? [])
  }
}
