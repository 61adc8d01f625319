import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reaches paths below one folder, part by part and through no link; keeps the folders on the way to the last one open.
///
/// For one thread. A folder that is moved away meanwhile takes what is done in it along.
struct TreeWalker {
  /// Each of them is open at once.
  static let deepest = 128

  let top: OpenFolder
  /// Of the folder reached last, from the top.
  private var path: [UInt8] = []
  /// The folders from the top down to it; each with the length of its path.
  private var open: [(length: Int, folder: OpenFolder)] = []
  /// The name looked at last, with a zero.
  private var name: [UInt8] = []
  /// To the folders whose groups new ones get; one or none.
  private var models: [TreeWalker] = []

  /// Folders that are created get the groups of those in the same places below `model`, and hand them on as these do.
  init(_ top: OpenFolder, like model: OpenFolder? = nil) {
    self.top = top
    if let model { models = [TreeWalker(model)] }
  }

  /// The folder at `wanted`; fails with ENOTDIR or ELOOP if something else is on the way, a link included.
  mutating func folder(_ wanted: ArraySlice<UInt8>, creating: Bool = false) throws(SystemError) -> OpenFolder
  {
    if wanted.elementsEqual(path) { return open.last?.folder ?? top }
    while let last = open.last, !Self.contains(wanted, path[..<last.length]) { open.removeLast() }
    path.removeSubrange((open.last?.length ?? 0)...)
    for part in wanted.dropFirst(path.count).split(separator: UInt8(ascii: "/")) {
      let name = try Self.name(part)
      guard open.count < Self.deepest else { throw SystemError(ENAMETOOLONG) }
      let parent = open.last?.folder ?? top
      let folder = try Self.open(name, in: parent, creating: creating)
      if !path.isEmpty { path.append(UInt8(ascii: "/")) }
      path += part
      open.append((path.count, folder))
      // Another thread may have created it just now, and writes nothing to it before it has done the same.
      if creating { takeGroup(folder) }
    }
    return open.last?.folder ?? top
  }

  /// Gives the folder at ``path`` the group of its model, if there is one and the system allows it.
  private mutating func takeGroup(_ folder: OpenFolder) {
    guard !models.isEmpty, let model = try? models[0].folder(path[...]).status() else { return }
    try? folder.takeGroup(model.group, handingOn: model.mode)
  }

  /// The folder of `path`, and the name in it.
  mutating func place(of path: [UInt8], creating: Bool = false) throws(SystemError) -> (
    folder: OpenFolder, name: FileName
  ) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let name = try Self.name(path[(slash.map { $0 + 1 } ?? 0)...])
    return (try folder(path[..<(slash ?? 0)], creating: creating), name)
  }

  /// The status of what is there, a link's own.
  mutating func status(of path: [UInt8]) throws(SystemError) -> FileStatus {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let folder = try folder(path[..<(slash ?? 0)])
    // A new list for each of many names would take as long as the call itself.
    name.removeAll(keepingCapacity: true)
    name += path[(slash.map { $0 + 1 } ?? 0)...]
    name.append(0)
    return try unsafe name.withUnsafeBufferPointer { (name) throws(SystemError) in
      try unsafe folder.status(of: UnsafeBufferPointer(rebasing: name.dropLast()))
    }
  }

  /// Closes all folders but the top: they may have been replaced.
  mutating func forget() { self = TreeWalker(top, like: models.first?.top) }

  private static func open(
    _ name: FileName, in parent: OpenFolder, creating: Bool
  ) throws(SystemError) -> OpenFolder {
    do throws(SystemError) { return try OpenFolder(name, in: parent) } catch {
      guard creating, error.code == ENOENT else { throw error }
      try parent.createFolder(name)
      return try OpenFolder(name, in: parent)
    }
  }

  private static func name(_ part: ArraySlice<UInt8>) throws(SystemError) -> FileName {
    guard unsafe part.withUnsafeBufferPointer({ unsafe isNameOfEntry($0) }) else { throw SystemError(EINVAL) }
    return FileName(part)
  }

  /// Whether `path` is `folder` or below it.
  private static func contains(_ path: ArraySlice<UInt8>, _ folder: ArraySlice<UInt8>) -> Bool {
    path.starts(with: folder)
      && (path.count == folder.count || path[path.startIndex + folder.count] == UInt8(ascii: "/"))
  }
}

/// Whether these bytes can be the name of something in a folder, and lead nowhere else.
private func isNameOfEntry(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let start = name.baseAddress, let first = unsafe name.first,
    unsafe memchr(start, 0, name.count) == nil
  else { return false }
  return unsafe first != UInt8(ascii: ".") || name.count > 2 || (name.count == 2 && name[1] != first)
}

extension OpenFolder {
  /// The status of an entry, a link's own; a zero byte follows its name in memory.
  ///
  /// Fails with EINVAL if it is no name.
  func status(of name: UnsafeBufferPointer<UInt8>) throws(SystemError) -> FileStatus {
    guard unsafe isNameOfEntry(name), let start = unsafe UnsafeRawPointer(name.baseAddress) else {
      throw SystemError(EINVAL)
    }
    return try unsafe FileStatus(start.assumingMemoryBound(to: CChar.self), in: raw)
  }
}

extension [UInt8] {
  /// The paths of the folders above this one, the deepest first, without the top.
  var foldersAbove: some Sequence<ArraySlice<UInt8>> {
    sequence(state: self[...]) { rest in
      guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      rest = rest[..<slash]
      return rest
    }
  }

  /// The path of `name` in this folder.
  func appending(_ name: FileName) -> [UInt8] {
    isEmpty ? name.bytes : self + [UInt8(ascii: "/")] + name.bytes
  }
}
