import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Remembers in `staging/` a temporary file beside its output on another device.
///
/// The marker may come from a foreign repository, so it can only cause the removal of a file inside the root with a
/// name that only syncmake uses (docs/decisions/0003).
struct OrphanMarker {
  private static let header = "syncmake beside 1\n"
  private static let ending = ".beside"
  private static let mark = ".syncmake-"

  /// The temporary file's path from the root.
  let file: RelativePath

  /// The start of a temporary file's name; with its random part it stays within 255 bytes.
  static func prefix(for name: String) -> String {
    var kept = name[...]
    while kept.utf8.count > 255 - 1 - mark.utf8.count - RandomName.length { kept.removeLast() }
    return "." + kept + mark
  }

  static func isNote(_ name: String) -> Bool {
    name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  /// Whether `name` is one that a temporary file beside an output has.
  static func isTemporary(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count > 1 + mark.utf8.count + RandomName.length, bytes.first == UInt8(ascii: ".") else {
      return false
    }
    let rest = bytes.dropLast(RandomName.length)
    return RandomName.isSuffix(bytes.suffix(RandomName.length))
      && rest.suffix(mark.utf8.count).elementsEqual(mark.utf8)
  }

  /// Writes a note before its file is made, so that no moment is left in which a crash hides the file.
  ///
  /// - Returns: the note's own name in `staging`.
  static func write(_ file: String, in staging: OpenFolder) throws(SystemError) -> String {
    let name = "note-" + RandomName.long() + ending
    let note = try staging.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try note.write(Array((header + file).utf8))
    return name
  }

  /// `nil` if the marker is torn or names anything but a temporary file inside the root.
  static func read(_ name: String, in staging: OpenFolder) -> OrphanMarker? {
    guard let note = try? staging.open(name, O_RDONLY), let status = try? FileStatus(note),
      status.kind == .file, status.signature.size <= 16384,
      let bytes = try? note.readAll(limit: 16384), bytes.starts(with: header.utf8)
    else { return nil }
    let text = String(decoding: bytes.dropFirst(header.utf8.count), as: UTF8.self)
    guard let path = try? RelativePath(text), path.text == text, isTemporary(Place(path).name) else {
      return nil
    }
    return OrphanMarker(file: path)
  }

  /// Removes the file, without following links; anything but a regular file stays.
  func removeFile(in root: RootFolder) {
    guard let (folder, name) = try? root.parent(of: file), (try? folder.status(of: name))?.kind == .file
    else {
      return
    }
    try? folder.remove(name)
  }
}
