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
struct OldTree: Sendable {
  /// In children of the old tree's top, which are mostly folders.
  private static let stretch = 4

  /// The new tree, in its place.
  private let tree: StagedTree
  /// What was found in the old one.
  private let survey: TreeSurvey?
  /// Of the new tree.
  private let listing: TreeListing
  /// To paths of the new tree.
  private var staged: TreeWalker

  /// `tree` is the new tree, in its place, and `listing` is its own; `survey` is what was found in the old one.
  init(tree: StagedTree, survey: TreeSurvey?, listing: TreeListing) {
    self.tree = tree
    self.survey = survey
    self.listing = listing
    staged = TreeWalker(tree.staged.top)
  }

  /// Moves what came late, and removes the rest, or with `removes: false` nothing.
  ///
  /// If that is impossible, since a folder cannot be listed or the disk is full, what is left is moved to a folder beside
  /// the new one, which is `name` in `parent`.
  func clear(
    _ top: OpenFolder, besides name: FileName, in parent: OpenFolder, removes: Bool, _ sharing: WorkSharing
  ) {
    tree.staged.forget()
    guard clear(top, removes: removes, sharing) else {
      let kept = FileName(name.bytes + Array(".syncmake-old-\(RandomName.suffix())".utf8))
      try? tree.home.moveNew(tree.name, to: kept, in: parent)
      return
    }
    if removes { tree.home.removeAll(tree.name) }
  }

  /// Returns whether nothing is left that is in no other place; it may be in a folder that must not be written to.
  private func clear(_ top: OpenFolder, removes: Bool, _ sharing: WorkSharing) -> Bool {
    guard let children = try? tree.children(top) else { return false }
    let parts = SharedWork.parts(of: children.count, by: Self.stretch, sharing) { range in
      var (own, isSafe) = (self, true)
      for child in children[range] where !own.clear(child, of: top, [], removes: removes) { isSafe = false }
      return isSafe
    }
    return !parts.contains(false)
  }

  private mutating func clear(
    _ child: (name: FileName, isFolder: Bool?), of folder: OpenFolder, _ path: [UInt8], removes: Bool
  ) -> Bool {
    let (name, entry) = (child.name, path.appending(child.name))
    if survey?.isDropped(entry) == true {
      if removes { folder.removeAll(name) }
    } else if child.isFolder ?? ((try? folder.status(of: name))?.kind == .folder) {
      guard let inner = try? OpenFolder(name, in: folder), let children = try? tree.children(inner) else {
        return false
      }
      var isSafe = true
      for child in children where !clear(child, of: inner, entry, removes: removes) { isSafe = false }
      if !isSafe { return false }
      if removes { try? folder.removeFolder(name) }
    } else if rescue(name, from: folder, to: entry) {
      if removes { try? folder.remove(name) }
    } else {
      return false
    }
    return true
  }

  /// Moves a file that came late to the new tree; returns whether nothing is lost without it here.
  private mutating func rescue(_ name: FileName, from folder: OpenFolder, to path: [UInt8]) -> Bool {
    do throws(SystemError) {
      let status = try folder.status(of: name)
      let before = survey?.signature(path)
      if before.map(status.signature.isSame) == true || isLinked(path, status) { return true }
      let isOurs = survey?.isRecorded(path) == true || tree.made.isStaged(path) == false
      if isOurs, tree.order.edits == .overwrite { return true }
      let (target, _) = try staged.place(of: path, creating: true)
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
  private mutating func isLinked(_ path: [UInt8], _ status: FileStatus) -> Bool {
    (try? staged.status(of: path))?.signature.inode == status.signature.inode
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
