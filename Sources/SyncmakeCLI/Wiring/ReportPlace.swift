import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a report goes, with links followed.
struct ReportPlace {
  let path: String
  /// What is there is neither absent nor a plain file: a device or a pipe.
  let isSpecial: Bool

  /// Throws where there is no such folder, or a folder stands in the place itself.
  init(_ path: String) throws(ReportFile.Problem) {
    var (path, status) = (path, stat())
    var exists = stat(path, &status) == 0
    // What a link leads to need not be there yet; links in a circle are another error.
    while !exists, errno == ENOENT, let further = Self.target(ofLink: path) {
      path = further
      exists = stat(path, &status) == 0
    }
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw ReportFile.Problem(text: "it is a folder") }
    isSpecial = exists && kind != S_IFREG
    guard !isSpecial else {
      self.path = path
      return
    }
    if exists, let whole = Self.real(path) {
      self.path = whole
      return
    }
    let slash = path.lastIndex(of: "/")
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard !name.isEmpty, name != ".", name != ".." else { throw ReportFile.Problem(text: "it is a folder") }
    guard let real = Self.real(folder) else { throw .present }
    self.path = (real == "/" ? "" : real) + "/" + name
  }

  /// Which file of the project's own it is; `nil` where it is none.
  func conflict(with project: Project) -> String? {
    guard let root = Self.real(project.workspace.rootPath) else { return nil }
    if let state = Self.real(project.workspace.statePath), path.hasPrefix(state + "/") {
      return "inside the state folder"
    }
    guard !isSpecial, path.hasPrefix(root == "/" ? "/" : root + "/") else {
      return isManifest(project) ? "the manifest" : nil
    }
    let name = String(Substring(path.utf8.dropFirst(root == "/" ? 1 : root.utf8.count + 1)))
    if isManifest(project) { return "the manifest" }
    if name == LockFile.fileName { return "the lock file" }
    return project.manifest.targets.first { $0.output.text == name }
      .map { "the output of \($0.name.text)" }
  }

  /// Throws where the system will not let a file be put here.
  func checkReplaceable() throws(ReportFile.Problem) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    guard access(folder, W_OK | X_OK) == 0 else { throw .present }
  }

  private func isManifest(_ project: Project) -> Bool { Self.real(project.manifest.fileName) == path }

  /// Where a link leads, seen from where `path` is seen from; `nil` where there is none.
  private static func target(ofLink path: String) -> String? {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &room, room.count)
    guard count > 0, count < room.count else { return nil }
    let target = String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard !target.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return target }
    return String(path[...slash]) + target
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
