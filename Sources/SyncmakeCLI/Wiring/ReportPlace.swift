import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The destination of a report, with links followed.
struct ReportPlace {
  let path: String
  /// It exists and is not a regular file: a device or a pipe.
  let isSpecial: Bool
  /// The existing file or pipe, by identity; `nil` if there is none, or for a device, which accepts several
  /// writers.
  private let file: FileNumber?
  /// It has other names, by which the project may know it.
  private let hasOtherNames: Bool

  /// Throws if the folder does not exist, or the path is a folder.
  init(_ path: String) throws(ReportFile.Problem) {
    var (path, status) = (path, stat())
    var exists = unsafe stat(path, &status) == 0
    // A link's target may be missing; a circle of links is another error.
    while !exists, errno == ENOENT, let further = Self.target(ofLink: path) {
      path = further
      exists = unsafe stat(path, &status) == 0
    }
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw ReportFile.Problem(text: "it is a folder") }
    isSpecial = exists && kind != S_IFREG
    file = exists && kind != S_IFCHR ? FileNumber(status) : nil
    hasOtherNames = exists && kind == S_IFREG && status.st_nlink > 1
    guard !isSpecial else {
      self.path = path
      return
    }
    if exists, let whole = RealPath.of(path) {
      self.path = whole
      return
    }
    let name = path.lastPart
    guard !name.isEmpty, name != ".", name != ".." else { throw ReportFile.Problem(text: "it is a folder") }
    guard let real = RealPath.of(path.folderPath) else { throw .present }
    self.path = (real == "/" ? "" : real) + "/" + name
  }

  /// Whether two reports that go to these places would write over one another.
  func isSame(as other: ReportPlace) -> Bool {
    file.map { $0 == other.file } ?? (!isSpecial && path == other.path)
  }

  /// The project's own file or folder at this place; `nil` if there is none.
  func conflict(with project: Project) -> String? {
    guard let root = RealPath.of(project.workspace.place.root) else { return nil }
    if let state = RealPath.place(project.workspace.place.state) {
      if path == state { return "the state folder" }
      if path.isPath(in: state) { return "inside the state folder" }
    }
    if isFile(project.manifest.fileName) { return "the manifest" }
    if let policy = project.policyFile, isFile(policy) { return "the policy" }
    if let configuration = project.user.place?.path, isFile(configuration) { return "the configuration" }
    // The rest are files of their own.
    guard !isSpecial else { return nil }
    let base = root == "/" ? "/" : root + "/"
    if path == base + LockFile.fileName || isFile(base + LockFile.fileName) { return "the lock file" }
    for file in project.manifest.furtherFiles.map(\.path.text)
    where path == base + file || isFile(base + file) {
      return "the manifest's \(file)"
    }
    for (path, template) in project.listFiles
    where isFile(path.utf8.first == UInt8(ascii: "/") ? path : base + path) {
      return "the list of \(template)"
    }
    return conflict(withTargetsOf: project.manifest, in: base)
  }

  private func conflict(withTargetsOf manifest: Manifest, in base: String) -> String? {
    let name =
      path.utf8.starts(with: base.utf8) ? String(Substring(path.utf8.dropFirst(base.utf8.count))) : nil
    for target in manifest.targets {
      let output = target.path.text
      if let name, name == output { return "the output of \(target.name.text)" }
      if let name, output.isPath(in: name) { return "a folder of the output of \(target.name.text)" }
      if let name, target.output.isFolder, name.isPath(in: output) {
        return "in the folder of \(target.name.text)"
      }
      if hasOtherNames, isFile(base + output) { return "the output of \(target.name.text)" }
      // A file that does not exist yet cannot be a source.
      guard file != nil else { continue }
      for source in target.localFiles where isFile(source.hasPrefix("/") ? source : base + source) {
        return "a file that \(target.name.text) is made from"
      }
    }
    return nil
  }

  /// Whether a link in the folder `checkout` is on the way to `path`, or is it.
  static func isLed(_ path: String, in checkout: String) -> Bool {
    guard let checkout = RealPath.of(checkout), checkout != "/", let here = RealPath.of(".") else {
      return false
    }
    var place = path.utf8.first == UInt8(ascii: "/") || here == "/" ? "" : here
    for part in path.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) where part != "."
    {
      guard part != ".." else {
        place = place.folderPath == "/" || place.isEmpty ? "" : place.folderPath
        continue
      }
      place += "/" + part
      guard unsafe (try? FileStatus(place, in: AT_FDCWD))?.kind == .link else { continue }
      if RealPath.rest(of: place, in: checkout) != nil { return true }
      guard let real = RealPath.of(place) else { return false }
      place = real == "/" ? "" : real
    }
    return false
  }

  /// Throws if the system does not allow a file here.
  func checkReplaceable() throws(ReportFile.Problem) {
    guard unsafe access(path.folderPath, W_OK | X_OK) == 0 else { throw .present }
  }

  /// Whether this is the file that `other` leads to.
  private func isFile(_ other: String) -> Bool {
    var status = stat()
    return unsafe file != nil && stat(other, &status) == 0 && file == FileNumber(status)
  }

  /// A link's target, relative to the base of `path`; `nil` if it is not a link.
  private static func target(ofLink path: String) -> String? {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &room, room.count)
    guard count > 0, count < room.count else { return nil }
    let target = String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return target.utf8.first == UInt8(ascii: "/") ? target : path.folderPrefix + target
  }
}

/// The identity of a file.
private struct FileNumber: Equatable {
  private let device: dev_t
  private let number: ino_t

  init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
  }
}
