import Foundation

/// Archives that `make-archive.py` makes.
package enum TestArchives {
  /// An archive in `form`, one of the script's, of `entries`: `PATH=NAME` with a name among `files`, or one of the
  /// script's other forms.
  package static func make(
    _ form: String, _ entries: [String], files: [String: [UInt8]] = [:]
  ) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    let result = try runProcess(
      "/usr/bin/env", ["python3", TestTools.path("make-archive.py"), "archive.\(form)", form] + entries,
      currentDirectory: folder.path, timeoutSeconds: 60)
    guard result.status == 0, let archive = folder.read("archive.\(form)") else {
      throw ProcessFailure(call: "make-archive.py \(form): \(result.stderr)", code: ENOENT)
    }
    return archive
  }

  /// The forms of archives that `unpack` reads.
  package static let forms = [
    "tar", "tar.gz", "tar.xz", "tar.zst", "tar.bz2", "zip", "zip-stored", "7z", "xar",
  ]

  /// The name of an archive in one of ``forms``.
  package static func name(_ form: String) -> String { form == "zip-stored" ? "a.zip" : "a.\(form)" }

  /// Whether the program that makes such archives is installed.
  package static func canMake(_ form: String) -> Bool {
    switch form {
    case "7z": has("7z")
    case "xar": has("bsdtar")
    default: true
    }
  }

  /// Whether the program `name` is installed.
  package static func has(_ name: String) -> Bool {
    (try? runProcess("/bin/sh", ["-c", "command -v \(name)"]))?.status == 0
  }
}
