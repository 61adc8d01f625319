import Planning
import SyncModel

/// Puts the entries of an archive into a folder while they are read.
///
/// What leaves the step `unpack` is the text of the folder's listing: its sha256 is the tree digest.
final class TreeUnpacking {
  private var selection: EntrySelection
  private let writer: TreeWriter
  private var isInFile = false

  init(_ rules: UnpackRules, strip: Int, _ naming: EntrySelection.Naming, _ writer: TreeWriter) {
    selection = EntrySelection(rules, strip: strip, naming, ignoringCase: writer.ignoresCase)
    self.writer = writer
  }

  /// Throws `.roomMissing` if the disk has no room for the wanted files of the archive, all of whose files have `most`
  /// bytes; call it before the first entry. `entries` hands over each entry.
  func requireRoom(
    atMost most: Int64,
    for entries: ((ArchiveEntry) throws(FailureCause) -> Void) throws(FailureCause) -> Void
  ) throws(FailureCause) {
    try writer.requireRoom(atMost: most) { () throws(FailureCause) in
      var trial = selection
      var files: [(path: [UInt8], size: Int64)] = []
      try entries { entry throws(FailureCause) in
        do throws(ArchiveFault) {
          guard try trial.take(entry) == .wanted, entry.kind == .file else { return }
        } catch {
          throw .archive(error)
        }
        files.append((trial.path(of: entry.name), entry.size))
      }
      return files
    }
  }

  /// Takes the next entry: `.wanted` if its content is, `.duplicate` if the caller must compare it with the first one of
  /// its name.
  func take(_ entry: ArchiveEntry) throws(FailureCause) -> EntrySelection.Verdict {
    try endFile()
    let verdict: EntrySelection.Verdict
    do throws(ArchiveFault) { verdict = try selection.take(entry) } catch { throw .archive(error) }
    guard verdict == .wanted else { return verdict }
    let path = selection.path(of: entry.name)
    try writer.requireAllowed(path, isFolder: entry.kind == .folder, name: entry.shownName)
    switch entry.kind {
    case .file:
      try writer.add(
        .beginFile(path: path, size: entry.size, mode: entry.mode ?? 0o644, modified: entry.modified))
      isInFile = true
      return .wanted
    case .symbolicLink(let target): try writer.add(.link(path: path, target: target))
    case .hardLink(let target):
      let other = selection.path(of: target)
      let shown = String(decoding: target, as: UTF8.self)
      guard other != path else { throw .archive(.hardLinkToNoFile(target: shown), entry: entry.shownName) }
      guard selection.hasFile(at: other) else {
        throw .archive(.hardLinkToUnwanted(target: shown), entry: entry.shownName)
      }
      try writer.add(.hardLink(path: path, other: other))
    // Only empty ones are made, when all entries are known.
    case .folder, .device, .fifo, .socket: break
    }
    return .other
  }

  /// Takes the next bytes of the entry's content.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    try unsafe writer.write(bytes)
  }

  /// There are no more entries: returns those of the folder.
  func finish() throws(FailureCause) -> TreeEntries {
    try endFile()
    do throws(ArchiveFault) { try selection.finish() } catch { throw .archive(error) }
    for folder in selection.emptyFolders {
      try writer.requireAllowed(folder, isFolder: true, name: String(decoding: folder, as: UTF8.self))
      try writer.add(.folder(path: folder))
    }
    return try writer.finish()
  }

  private func endFile() throws(FailureCause) {
    guard isInFile else { return }
    isInFile = false
    try writer.add(.endFile)
  }
}

/// The text of a folder's listing, which leaves the step in blocks.
struct OutgoingListing {
  private let entries: TreeEntries
  /// The place of the entry whose line comes next.
  private var next = 0
  /// Of a line that did not fit into a block.
  private var rest: ArraySlice<UInt8> = []

  init(_ entries: TreeEntries) { self.entries = entries }

  /// Puts as much of the rest into `output` as there is room for.
  mutating func pass(into output: Block) {
    while !output.isFull {
      if rest.isEmpty {
        guard next < entries.count else { return }
        rest = entries[next].line[...]
        next += 1
      }
      let count = unsafe rest.withUnsafeBytes { unsafe output.append($0) }
      rest.removeFirst(count)
    }
  }
}
