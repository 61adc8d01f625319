import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RootFolder {
  /// The paths of the regular files below the root that a pattern matches, in the order of their bytes; no link is
  /// followed.
  ///
  /// Throws `.sourceUnreadable` if a folder cannot be listed, or after a look at too many of them.
  package func find(_ pattern: FilePattern) throws(FailureCause) -> [RelativePath] {
    var look = FolderLook(root: self)
    return try pattern.files(in: &look).compactMap { try? RelativePath(String(decoding: $0, as: UTF8.self)) }
  }
}

/// The folders below a root, as a pattern looks at them.
private struct FolderLook: FilePattern.Folders {
  /// More entries than that are not looked at: a pattern with `**` in a home folder would take minutes.
  static let most = 200_000

  let root: RootFolder
  private var seen = 0

  init(root: RootFolder) { self.root = root }

  mutating func entries(of path: [UInt8]) throws(FailureCause) -> [FilePattern.Entry] {
    let root = root
    let entries = try look(at: path) { () throws(SystemError) -> [FilePattern.Entry] in
      var walker = TreeWalker(root.top)
      let folder = try walker.folder(path[...])
      return try folder.children().map { child in
        let isFolder = child.isFolder ?? ((try? folder.status(of: child.name))?.kind == .folder)
        return FilePattern.Entry(name: child.name.bytes, isFolder: isFolder)
      }
    }
    seen += entries?.count ?? 0
    guard seen <= Self.most else {
      throw .sourceUnreadable(path: Self.shown(path), .tooManyNames(most: Self.most))
    }
    return entries ?? []
  }

  mutating func isFile(_ path: [UInt8]) throws(FailureCause) -> Bool {
    let root = root
    return try look(at: path) { () throws(SystemError) -> Bool in
      var walker = TreeWalker(root.top)
      return try walker.status(of: path).kind == .file
    } ?? false
  }

  /// `nil` if nothing is there, or a link or a file is where a folder must be.
  private func look<Result>(
    at path: [UInt8], _ body: () throws(SystemError) -> Result
  ) throws(FailureCause) -> Result? {
    do throws(SystemError) { return try body() } catch {
      guard [ENOENT, ENOTDIR, ELOOP].contains(error.code) else {
        throw FailureSubject.source(Self.shown(path)).cause(error)
      }
      return nil
    }
  }

  private static func shown(_ path: [UInt8]) -> String {
    path.isEmpty ? "." : String(decoding: path, as: UTF8.self)
  }
}
