import Execution

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The nearest manifest in a folder above the current one; only messages name it, no command reads it.
struct ManifestAbove: Equatable {
  /// No deeper folder can be entered by one path.
  private static let mostLevels = 2048

  /// The way up to it: `..` or `../..` and so on.
  let folder: String
  let fileName: String

  var path: String { "\(folder)/\(fileName)" }

  /// `nil` if no folder up to the file system's root has one.
  static func find() -> ManifestAbove? {
    var folder = ".."
    var below = FolderNumber(".")
    for _ in 0..<mostLevels {
      guard let here = FolderNumber(folder), here != below else { return nil }
      if let fileName = ManifestLocation.fileNames.first(where: {
        unsafe access("\(folder)/\($0)", F_OK) == 0
      }) {
        return ManifestAbove(folder: folder, fileName: fileName)
      }
      below = here
      folder += "/.."
    }
    return nil
  }
}

/// The identity of a folder; the root is its own parent.
private struct FolderNumber: Equatable {
  private let device: dev_t
  private let number: ino_t

  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
