import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folders that were created on the paths of outputs.
///
/// It is a separate type: a monitor's type is looked up at start-up, and an array of sets takes a hundred
/// microseconds.
struct MadeFolders: Sendable {
  /// By path from the root, in bytes.
  private var paths: Set<[UInt8]> = []

  mutating func note(_ path: String) { paths.insert(Array(path.utf8)) }

  func has(_ path: UnsafeRawBufferPointer) -> Bool { unsafe !paths.isEmpty && paths.contains(Array(path)) }
}

// Folders are opened one part after the other, each relative to the one before, without following links. This costs
// a microsecond per part, works on every system, and tells which part is the link.
extension RootFolder {
  /// Opens the folder of an output, which must be there, afresh from the root; see ``WalkError/cause(_:as:)``.
  func parent(
    of path: RelativePath, as subject: FailureSubject? = nil
  ) throws(FailureCause) -> (folder: OpenFolder, name: String) {
    let place = Place(path)
    do throws(WalkError) { return (try walk(to: place), place.name) } catch {
      throw error.cause(path, as: subject)
    }
  }

  /// The same, but creates missing folders.
  func parentCreating(of path: RelativePath) throws(FailureCause) -> (folder: OpenFolder, name: String) {
    let place = Place(path)
    do throws(WalkError) {
      var folder = top
      for index in place.parents.indices { folder = try enter(place, index, from: folder, creating: true) }
      return (folder, place.name)
    } catch {
      throw error.cause(path)
    }
  }

  /// The deepest folder on the way to an output that is there already.
  func deepestParent(of path: RelativePath) throws(FailureCause) -> OpenFolder {
    let place = Place(path)
    var folder = top
    for index in place.parents.indices {
      do throws(WalkError) {
        folder = try enter(place, index, from: folder, creating: false)
      } catch {
        guard case .missing = error else { throw error.cause(path) }
        return folder
      }
    }
    return folder
  }

  /// The device of a new file at `path`; throws if none could be created there.
  ///
  /// The result for the last folder is cached: it is better to know it before a download, but many downloads into
  /// one folder need no further look, and changes are detected when the file is published.
  func deviceOfNewFile(at path: RelativePath) throws(FailureCause) -> UInt64 {
    let known = try? unsafe path.text.withParentAndName { folder, _ in
      lastWritable.withLock { last in last.flatMap { unsafe $0.path.elementsEqual(folder) ? $0.device : nil }
      }
    }
    if let known { return known }
    let parent = try deepestParent(of: path)
    let device = try FailureSubject.output(path.text).attempt { () throws(SystemError) in
      try call { unsafe faccessat(parent.raw, ".", W_OK | X_OK, 0) }
      return try parent.status().device
    }
    lastWritable.withLock { $0 = (Place(path).parentBytes, device) }
    return device
  }

  /// The bytes that are free where a new file at `path` would be; `nil` if that is not known.
  package func freeBytes(at path: RelativePath) -> Int64? { (try? deepestParent(of: path))?.freeBytes }

  func walk(to place: Place) throws(WalkError) -> OpenFolder {
    var folder = top
    for index in place.parents.indices { folder = try enter(place, index, from: folder, creating: false) }
    return folder
  }

  func status(of name: String, in folder: OpenFolder) throws(WalkError) -> FileStatus {
    do throws(SystemError) { return try folder.status(of: name) } catch { throw WalkError(error) }
  }

  private func enter(
    _ place: Place, _ index: Int, from folder: OpenFolder, creating: Bool
  ) throws(WalkError) -> OpenFolder {
    let part = place.parents[index]
    // The parser has resolved these; here they would lead out of the root.
    guard part != "..", part != "." else { throw .fault(SystemError(EINVAL).fault) }
    do throws(SystemError) {
      do throws(SystemError) { return try OpenFolder(part, in: folder) } catch {
        guard creating, error.code == ENOENT else { throw error }
        if try folder.createFolder(part) {
          let parents = place.parents[..<index].joined(separator: "/")
          unsynced.withLock { $0.note(Array(parents.utf8)) }
          made.withLock { $0.note(place.path(ofParent: index)) }
        }
        return try OpenFolder(part, in: folder)
      }
    } catch {
      guard error.code == ELOOP || error.code == ENOTDIR else { throw WalkError(error) }
      let isLink = (try? folder.status(of: part))?.kind == .link
      let path = place.path(ofParent: index)
      throw .fault(isLink ? .parentIsLink(path) : .parentIsNotFolder(path))
    }
  }
}

/// Outputs that are put in place one right after the other, for one thread.
///
/// The folder of the last one is kept open, so that a hundred files for one folder do not walk to it a hundred times.
/// A folder that is moved away meanwhile takes the files along, as it does a moment later.
package final class PublishedGroup {
  private var last: (path: [UInt8], folder: OpenFolder)?
  /// Whether the folder given last was that of the file before.
  private var isKnown = false

  /// Nothing is open before the first file.
  package init() {}

  /// Makes the next file walk to its folder again; returns whether this one used the cache.
  func forget() -> Bool {
    defer { last = nil }
    return isKnown
  }

  /// As ``RootFolder/parentCreating(of:)``.
  func parent(
    of path: RelativePath, in root: RootFolder
  ) throws(FailureCause) -> (folder: OpenFolder, name: String) {
    let known = try? unsafe path.text.withParentAndName { parent, name in
      last.flatMap {
        unsafe $0.path.elementsEqual(parent) ? (folder: $0.folder, name: String(cString: name)) : nil
      }
    }
    isKnown = known != nil
    if let known { return known }
    let found = try root.parentCreating(of: path)
    last = (Place(path).parentBytes, found.folder)
    return found
  }
}
