import Foundation

/// A new folder that is removed, with everything in it, with its last reference.
package final class TemporaryFolder: Sendable {
  /// Absolute, links resolved, no slash at its end.
  package let path: String

  package init() throws {
    let base = FileManager.default.temporaryDirectory.path
    var template = Array("\(base)/syncmake-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProcessFailure(call: "mkdtemp", code: errno) }
    let made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    path =
      realpath(made, nil).map { resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? made
  }

  deinit {
    // A test may have taken away the permission to enter a folder.
    for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
      var status = stat()
      if lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        chmod("\(path)/\(name)", 0o700)
      }
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The absolute path of something in it.
  package func path(_ relative: String) -> String { "\(path)/\(relative)" }

  /// Writes a file, and the folders on the way to it.
  package func write(_ bytes: [UInt8], to relative: String) throws {
    let url = URL(fileURLWithPath: path(relative))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// Writes a text file, and the folders on the way to it.
  package func write(_ text: String, to relative: String) throws { try write(Array(text.utf8), to: relative) }

  /// Writes a file that can be run.
  ///
  /// Another process writes it: a program that is open for writing cannot be started (`ETXTBSY`), and a process that
  /// another test starts at this moment has this one's open files for a while.
  package func writeProgram(_ bytes: [UInt8], mode: UInt16 = 0o755, to relative: String) throws {
    let drafts = try TemporaryFolder()
    try drafts.write(bytes, to: "draft")
    let command = "mkdir -p \"${2%/*}\" && cat \"$1\" > \"$2\" && chmod \"$3\" \"$2\""
    let result = try runProcess(
      "/bin/sh", ["-c", command, "sh", drafts.path("draft"), path(relative), String(mode, radix: 8)])
    guard result.status == 0 else {
      throw ProcessFailure(call: "write \(relative): \(result.stderr)", code: EIO)
    }
  }

  /// A file's bytes; `nil` if there is no readable one.
  package func read(_ relative: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(relative)).map { [UInt8]($0) }
  }

  /// A file's text; `nil` if there is no readable one.
  package func text(_ relative: String) -> String? {
    read(relative).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether something is there, even a broken link.
  package func exists(_ relative: String) -> Bool {
    var status = stat()
    return lstat(path(relative), &status) == 0
  }
}
