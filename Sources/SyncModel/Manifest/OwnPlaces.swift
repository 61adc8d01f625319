/// Places that git or syncmake itself needs, so that no output may be there.
package enum OwnPlaces {
  private static let folders = [".git", ".syncmake"]

  /// The names of a path's parts as file systems without case see them.
  package static func plainNames(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map(FoldedPath.plainName)
  }

  /// The folder of git or syncmake that a path with these names is, or is in; `nil` for none.
  package static func folder(in names: [String]) -> String? { folders.first(where: names.contains) }

  /// The same for a path in bytes, of which nearly none has a name that such a folder's could be.
  package static func folder(on path: [UInt8]) -> String? {
    var last = UInt8(ascii: "/")
    for byte in path {
      guard byte < 0x80, byte != UInt8(ascii: ".") || last != UInt8(ascii: "/") else {
        return folder(in: plainNames(String(decoding: path, as: UTF8.self)))
      }
      last = byte
    }
    return nil
  }

  /// Whether one of two paths, by their names, is the other, or inside of it.
  package static func overlap(_ one: [String], _ other: [String]) -> Bool { zip(one, other).allSatisfy(==) }
}

extension Manifest {
  /// Whether nothing may be written to `path` or removed there, whatever a state says.
  ///
  /// The parser refuses such outputs of targets. A state may have others, since a checkout can bring any state folder.
  package func reserves(_ path: RelativePath) -> Bool {
    let names = OwnPlaces.plainNames(path.text)
    if OwnPlaces.folder(in: names) != nil { return true }
    let own = fileName.split(separator: "/").suffix(1).map(String.init) + [LockFile.fileName]
    let files = own + included.map(\.path.text) + rowFiles.map(\.path.text)
    return files.contains { OwnPlaces.overlap(OwnPlaces.plainNames($0), names) }
  }
}
