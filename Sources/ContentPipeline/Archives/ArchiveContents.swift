package import LocalFiles
package import SyncModel

/// What is in an archive that is here as a file.
package enum ArchiveContents {
  /// The entries that a folder would have if it were unpacked, in the order of their paths; nothing is written.
  ///
  /// All of the archive is read. Throws what unpacking would throw, apart from failures to write. `name` is the archive's
  /// name, and `maxSize`, in bytes, the limit for all files together.
  package static func entries(
    of file: ReadableFile, _ rules: UnpackRules, name: String, maxSize: Int64?,
    isCancelled: @escaping () -> Bool
  ) throws(FailureCause) -> TreeEntries {
    let list = EntryList()
    let writer = TreeWriter(
      list, maxSize: maxSize, pool: WorkerPool(threads: 1), isCancelled: isCancelled)
    let extractor = EntryExtractor(
      rules, into: writer, name: name, keptAt: .file(file), decoding: { Decoding($0) },
      isCancelled: isCancelled)
    defer { extractor.stop() }
    let (input, output) = (Block(), Block())
    var isLast = false
    while !isLast {
      if isCancelled() { throw .internalError("cancelled") }
      input.clear()
      isLast = try unsafe input.fill { room throws(FailureCause) in try unsafe file.read(into: room) }
      var used = 0
      repeat {
        // The listing's text, which is not needed.
        output.clear()
        let rest = unsafe UnsafeRawBufferPointer(rebasing: input.bytes[used...])
        used += try unsafe extractor.unpack(rest, into: output, isLast: isLast)
      } while used < input.count || isLast && output.isFull
    }
    try extractor.finish()
    return try list.finish()
  }
}

/// Takes the entries of an archive, and keeps nothing of their bytes.
private final class EntryList: TreeSink, @unchecked Sendable {
  private var entries: [[UInt8]: TreeListing.Entry] = [:]
  private var file: (path: [UInt8], size: Int64, isExecutable: Bool) = ([], 0, false)

  // A run finds out.
  var ignoresCase: Bool { false }

  func requireRoom(
    atMost most: Int64, for files: () throws(FailureCause) -> [(path: [UInt8], size: Int64)]
  ) throws(FailureCause) {}

  func restart() throws(FailureCause) { entries = [:] }

  func beginFile(_ path: [UInt8], size: Int64, mode: UInt16, modified: Timestamp?) throws(FailureCause) {
    file = (path, 0, mode & 0o111 != 0)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) { file.size += Int64(bytes.count) }

  func endFile(sha256: HexDigest) throws(FailureCause) {
    add(file.path, .file(sha256: CompactDigest(sha256), isExecutable: file.isExecutable), size: file.size)
  }

  func addLink(_ path: [UInt8], target: [UInt8]) throws(FailureCause) { add(path, .link(target: target)) }

  func size(ofFile path: [UInt8]) -> Int64? { entries[path]?.size }

  func addHardLink(_ path: [UInt8], to other: [UInt8], _ isCancelled: () -> Bool) throws(FailureCause) {
    guard let entry = entries[other] else { throw .internalError("hard link to no file of an archive") }
    add(path, entry.kind, size: entry.size)
  }

  func addFolder(_ path: [UInt8]) throws(FailureCause) { add(path, .folder) }

  func finish() throws(FailureCause) -> TreeEntries {
    TreeEntries(entries.values).sorted()
  }

  private func add(_ path: [UInt8], _ kind: TreeListing.Entry.Kind, size: Int64 = 0) {
    entries[path] = TreeListing.Entry(path: path, kind: kind, size: size)
  }
}
