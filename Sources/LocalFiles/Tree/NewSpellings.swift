import SyncModel

/// How a new tree spells the paths that it has, for file systems that ignore case.
struct NewSpellings {
  private var spellings: [String: [UInt8]] = [:]

  /// `paths` are those of its files, links and folders.
  init(of paths: [[UInt8]]) {
    for path in paths { spellings[FoldedPath.key(of: path)] = path }
  }

  /// The new tree's spelling of `path`, or of as many folders above it as it has.
  subscript(path: [UInt8]) -> [UInt8] {
    if let spelling = spellings[FoldedPath.key(of: path)] { return spelling }
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return self[Array(path[..<slash])] + path[slash...]
  }
}
