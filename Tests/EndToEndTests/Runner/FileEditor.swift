import Foundation
import SyncTestSupport

/// Makes a scenario's changes to files.
struct FileEditor {
  var folder: TemporaryFolder

  /// `~/x` is in the home folder, everything else in the root.
  static func place(_ path: String) -> String {
    path.hasPrefix("~/") ? "home/\(path.dropFirst(2))" : "root/\(path)"
  }

  func perform(_ change: FileEdit.Change) throws {
    switch change {
    case .write(let path, let bytes): try write(bytes, to: path)
    case .program(let path, let bytes, let mode):
      try folder.writeProgram(bytes, mode: mode, to: Self.place(path))
    case .append(let path, let bytes):
      try write((folder.read(Self.place(path)) ?? []) + bytes, to: path)
    case .mode(let path, let mode): try check("chmod", chmod(full(path), mode_t(mode)))
    case .touch(let path, let time):
      let seconds = time.map { timespec(tv_sec: $0.seconds, tv_nsec: 0) }
      let times = seconds.map { [$0, $0] }
      try check("utimensat", utimensat(AT_FDCWD, full(path), times, 0))
    case .remove(let path): try FileManager.default.removeItem(atPath: full(path))
    case .link(let path, let destination): try check("symlink", symlink(destination, full(path)))
    case .hardLink(let path, let original): try check("link", link(full(original), full(path)))
    case .folder(let path):
      try FileManager.default.createDirectory(atPath: full(path), withIntermediateDirectories: true)
    case .pipe(let path): try check("mkfifo", mkfifo(full(path), 0o644))
    case .move(let path, let destination): try check("rename", rename(full(path), full(destination)))
    case .copy(let path, let destination):
      try folder.write(folder.read(Self.place(path)) ?? [], to: Self.place(destination))
    case .truncate(let path, let bytes): try check("truncate", truncate(full(path), off_t(bytes)))
    case .release, .stop: break
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    var status = stat()
    let isProgram =
      stat(full(path), &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o111 != 0
    if isProgram {
      try folder.writeProgram(bytes, mode: UInt16(status.st_mode & 0o7777), to: Self.place(path))
    } else {
      try folder.write(bytes, to: Self.place(path))
    }
  }

  private func full(_ path: String) -> String { folder.path(Self.place(path)) }

  private func check(_ call: String, _ result: Int32) throws {
    if result != 0 { throw ProcessFailure(call: call, code: errno) }
  }
}
