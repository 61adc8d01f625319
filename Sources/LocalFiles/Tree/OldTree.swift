import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder that a new tree has replaced. It is removed, except what came into it or was edited after the survey: that
/// is moved to the new tree.
///
/// Edits of files that the new tree has, too, are where they would be if they had come after the step, and show as edits.
struct OldTree {
  /// The new tree, in its place.
  let tree: StagedTree
  /// What was found in the old one.
  let survey: TreeSurvey?
  /// Of the new tree.
  let listing: TreeListing

  /// Moves what came late, and removes the rest, or with `removes: false` nothing.
  ///
  /// If that is impossible, since a folder cannot be listed or the disk is full, what is left is moved to a folder beside
  /// the new one, which is `name` in `parent`.
  func clear(_ top: OpenFolder, besides name: FileName, in parent: OpenFolder, removes: Bool) {
    tree.staged.forget()
    guard clear(top, [], removes: removes) else {
      let kept = FileName(name.bytes + Array(".syncmake-old-\(RandomName.suffix())".utf8))
      try? tree.home.moveNew(tree.name, to: kept, in: parent)
      return
    }
    if removes { tree.home.removeAll(tree.name) }
  }

  /// Returns whether nothing is left that is in no other place; it may be in a folder that must not be written to.
  private func clear(_ folder: OpenFolder, _ path: [UInt8], removes: Bool) -> Bool {
    guard let children = try? tree.children(folder) else { return false }
    var isSafe = true
    for (name, isFolder) in children {
      let entry = path.appending(name)
      if survey?.isDropped(entry) == true {
        if removes { folder.removeAll(name) }
      } else if isFolder ?? ((try? folder.status(of: name))?.kind == .folder) {
        guard let inner = try? OpenFolder(name, in: folder), clear(inner, entry, removes: removes) else {
          isSafe = false
          continue
        }
        if removes { try? folder.removeFolder(name) }
      } else if rescue(name, from: folder, to: entry) {
        if removes { try? folder.remove(name) }
      } else {
        isSafe = false
      }
    }
    return isSafe
  }

  /// Moves a file that came late to the new tree; returns whether nothing is lost without it here.
  private func rescue(_ name: FileName, from folder: OpenFolder, to path: [UInt8]) -> Bool {
    do throws(SystemError) {
      let status = try folder.status(of: name)
      let before = survey?.signature(path)
      if before.map(status.signature.isSame) == true || isLinked(path, status) { return true }
      let isOurs = survey?.isRecorded(path) == true || tree.made[path]?.isStaged == false
      if isOurs, tree.order.edits == .overwrite { return true }
      let (target, _) = try tree.staged.place(of: path, creating: true)
      do throws(SystemError) { try folder.moveNew(name, to: name, in: target) } catch {
        guard error.code == EEXIST, isOurs || before != nil, try isUntouched(name, in: target, path) else {
          throw error
        }
        try folder.move(name, to: name, in: target)
      }
      return true
    } catch {
      return error.code == ENOENT
    }
  }

  /// Whether the new tree has the same file.
  private func isLinked(_ path: [UInt8], _ status: FileStatus) -> Bool {
    (try? tree.staged.status(of: path))?.signature.inode == status.signature.inode
  }

  /// Whether the new tree's file still is the one that was put there.
  private func isUntouched(
    _ name: FileName, in folder: OpenFolder, _ path: [UInt8]
  ) throws(SystemError) -> Bool {
    guard let known = listing[path]?.signature ?? survey?.signature(path) else { return false }
    let now = try folder.status(of: name).signature
    return now.size == known.size && now.modified == known.modified
  }
}

extension FileSignature {
  /// Whether they differ at most in the ctime, which changes when a file is linked.
  func isSame(as other: FileSignature) -> Bool {
    size == other.size && modified == other.modified && inode == other.inode
  }
}
