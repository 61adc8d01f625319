import Planning
import SyncModel

/// Puts the entries of an archive into a folder while they are read.
///
/// What it returns in the end, and what leaves the step `unpack`, is the text of the folder's listing: its sha256 is the
/// tree digest.
final class TreeUnpacking {
  private var selection: EntrySelection
  private let destination: TreeDestination
  private var digester = Digester([.sha256])
  private var isInFile = false
  /// Bytes of all files so far.
  private var total: Int64 = 0

  private var sink: any TreeSink { destination.sink }

  init(_ rules: UnpackRules, strip: Int, _ naming: EntrySelection.Naming, _ destination: TreeDestination) {
    selection = EntrySelection(rules, strip: strip, naming)
    self.destination = destination
  }

  /// Takes the next entry: `.wanted` if its content is, `.duplicate` if the caller must compare it with the first one of
  /// its name.
  func take(_ entry: ArchiveEntry) throws(FailureCause) -> EntrySelection.Verdict {
    try endFile()
    let verdict: EntrySelection.Verdict
    do throws(ArchiveFault) { verdict = try selection.take(entry) } catch { throw .archive(error) }
    guard verdict == .wanted else { return verdict }
    let path = selection.path(of: entry.name)
    switch entry.kind {
    case .file:
      try admit(entry.size)
      try sink.beginFile(path, size: entry.size, mode: entry.mode ?? 0o644, modified: entry.modified)
      digester.restart()
      isInFile = true
      return .wanted
    case .symbolicLink(let target): try sink.addLink(path, target: target)
    case .hardLink(let target):
      let other = selection.path(of: target)
      guard selection.hasFile(at: other), other != path else {
        throw .archive(
          .hardLinkToNoFile(target: String(decoding: target, as: UTF8.self)), entry: entry.shownName)
      }
      try sink.addHardLink(path, to: other)
    // Only empty ones are made, when all entries are known.
    case .folder, .device, .fifo, .socket: break
    }
    return .other
  }

  /// Takes the next bytes of the entry's content.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    unsafe digester.update(bytes)
    try unsafe sink.write(bytes)
  }

  /// There are no more entries: returns the listing's text.
  func finish() throws(FailureCause) -> [UInt8] {
    try endFile()
    do throws(ArchiveFault) { try selection.finish() } catch { throw .archive(error) }
    for folder in selection.emptyFolders { try sink.addFolder(folder) }
    var text: [UInt8] = []
    for entry in try sink.finish() { text += entry.line }
    return text
  }

  private func endFile() throws(FailureCause) {
    guard isInFile, let digest = digester.value(.sha256) else { return }
    isInFile = false
    try sink.endFile(sha256: digest)
  }

  private func admit(_ size: Int64) throws(FailureCause) {
    let (sum, overflow) = total.addingReportingOverflow(size)
    total = overflow ? .max : sum
    if let limit = destination.maxSize, total > limit { throw .tooLarge(limit: limit, size: total) }
  }
}

/// A text that leaves a step in blocks.
struct OutgoingText {
  private let text: [UInt8]
  private var place = 0

  init(_ text: [UInt8]) { self.text = text }

  /// Puts as much of the rest into `output` as there is room for.
  mutating func pass(into output: Block) {
    unsafe text.withUnsafeBytes { bytes in
      place += unsafe output.append(UnsafeRawBufferPointer(rebasing: bytes[place...]))
    }
  }
}
