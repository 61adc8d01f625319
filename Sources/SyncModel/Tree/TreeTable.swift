/// What a look at a folder compares with the disk: a ``TreeListing`` without digests, and without a value of its own for
/// each path.
///
/// A run that has nothing to do makes one for each folder, so each entry should cost little.
package struct TreeTable: Sendable {
  /// The kind of an entry, without its bytes.
  package enum Kind: Sendable {
    case file, link, folder

    /// That of a listing's entry.
    package init(_ kind: TreeListing.Entry.Kind) {
      self =
        switch kind {
        case .file: .file
        case .link: .link
        case .folder: .folder
        }
    }
  }

  /// One entry.
  package struct Row: Sendable {
    /// See ``TreeListing/Entry/kind``.
    package let kind: Kind
    /// Whether the row before has the same folder.
    package let sharesFolder: Bool
    /// See ``TreeListing/Entry/signature``.
    package let signature: FileSignature?
    /// Where its path begins in ``TreeTable/paths``.
    let path: Int
    /// Where the last part of it begins.
    let name: Int
    /// Where the path ends: there is a zero byte.
    let end: Int
  }

  /// See ``TreeListing/signature``.
  package let signature: FileSignature
  /// See ``TreeListing/folder``.
  package let folder: UInt64?
  /// In the listing's order.
  package private(set) var rows: [Row] = []
  /// The paths, each followed by a zero byte.
  private var paths: [UInt8] = []

  /// A table without rows, with room for so many.
  package init(signature: FileSignature, folder: UInt64?, reserving count: Int = 0, pathBytes: Int = 0) {
    self.signature = signature
    self.folder = folder
    rows.reserveCapacity(count)
    paths.reserveCapacity(pathBytes)
  }

  /// The table of a listing.
  package init(_ listing: TreeListing) {
    self.init(
      signature: listing.signature, folder: listing.folder, reserving: listing.entries.count,
      pathBytes: listing.entries.pathBytes + listing.entries.count)
    for place in listing.entries.indices {
      let kind = Kind(listing.entries.kind(at: place))
      unsafe listing.entries.withPath(at: place) { path in
        unsafe add(path, kind, listing.entries.signature(at: place))
      }
    }
  }

  /// Adds an entry behind all others.
  package mutating func add(_ path: UnsafeRawBufferPointer, _ kind: Kind, _ signature: FileSignature?) {
    let start = paths.count
    unsafe paths.append(contentsOf: path)
    paths.append(0)
    let slash = unsafe path.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { start + $0 + 1 } ?? start
    rows.append(
      Row(
        kind: kind, sharesFolder: hasLastFolder(start..<name), signature: signature, path: start, name: name,
        end: paths.count - 1))
  }

  /// Whether the last row's folder has these bytes, up to its slash.
  private func hasLastFolder(_ folder: Range<Int>) -> Bool {
    guard let last = rows.last, last.name - last.path == folder.count else { return false }
    for offset in 0..<folder.count where paths[last.path + offset] != paths[folder.lowerBound + offset] {
      return false
    }
    return true
  }

  /// The path of a row.
  package func path(of row: Row) -> [UInt8] { Array(paths[row.path..<row.end]) }

  /// The path of a row's folder, without a slash at its end; empty for the top.
  package func folder(of row: Row) -> ArraySlice<UInt8> { paths[row.path..<max(row.path, row.name - 1)] }

  /// Calls `body` with the memory of the names, for ``name(of:in:)``.
  package func withNames<Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try unsafe paths.withUnsafeBufferPointer(body)
  }

  /// The last part of the row's path, followed by a zero byte in memory; `names` come from ``withNames(_:)``.
  package func name(of row: Row, in names: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: names[row.name..<row.end])
  }
}
