extension Manifest {
  /// Whether nothing may be written to `path` or removed there, whatever a state says: git or syncmake itself needs it.
  ///
  /// The parser refuses such outputs of targets. A state may have others, since a checkout can bring any state folder.
  package func reserves(_ path: RelativePath) -> Bool {
    let names = Self.plainNames(path.text)
    if names.contains(".git") || names.contains(".syncmake") { return true }
    let own = fileName.split(separator: "/").suffix(1).map(String.init) + [LockFile.fileName]
    let files = own + included.map(\.path.text) + rowFiles.map(\.path.text)
    return files.contains { zip(Self.plainNames($0), names).allSatisfy(==) }
  }

  private static func plainNames(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map(FoldedPath.plainName)
  }
}
