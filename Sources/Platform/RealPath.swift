import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Absolute paths without links (realpath(3)).
package enum RealPath {
  /// The path of what `path` leads to; `nil` if nothing is there, or it cannot be seen.
  package static func of(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// The path of what is, or would be, at `path`: links are followed as far as something is there; `nil` if that cannot be
  /// seen.
  package static func place(_ path: String) -> String? {
    if let real = of(path) { return real }
    let (folder, name) = (path.folderPath, path.lastPart)
    guard folder != path, name != ".." else { return nil }
    return place(folder).map { name.isEmpty ? $0 : ($0 == "/" ? "" : $0) + "/" + name }
  }

  /// What follows `folder` in `path`, both as ``of(_:)`` gives them; `nil` if it is outside, and "" for the folder itself.
  package static func rest(of path: String, in folder: String) -> String? {
    if path.utf8.elementsEqual(folder.utf8) { return "" }
    let begin = folder == "/" ? folder : folder + "/"
    return path.utf8.starts(with: begin.utf8) ? String(Substring(path.utf8.dropFirst(begin.utf8.count))) : nil
  }
}
