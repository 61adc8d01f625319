package import SyncModel

/// The changed content of a manifest after an edit.
package struct ManifestRevision: Sendable, Equatable {
  /// The outline of the present manifest.
  package var outline: ManifestOutline
  /// `nil` if the content is the same.
  package var changes: Changes?

  /// The changed entries of `targets`; each is one target with the same name as before.
  package struct Changes: Sendable, Equatable {
    /// The number of changed entries, 1 or more.
    package var count: Int
    /// The manifest with these entries alone.
    package var text: [UInt8]
  }
}

extension ManifestOutline {
  /// Larger edits are not worth two readings, here and as part of the whole.
  private static let largestEdit = 64 << 10
  /// More targets are looked at more quickly as a whole.
  private static let mostChanged = 16

  /// The content of `bytes` compared with the manifest of this outline, if only a few targets differ; `nil` if more
  /// differ, or if reading only the changed part cannot tell.
  ///
  /// The changed part is between the first and the last part that differ. It is read alone, with the same result as
  /// reading the whole, because it begins and ends between two entries of a mapping, at the same depth as before.
  /// The part before it is read, too, since its end may continue in added lines.
  package func revised(to bytes: UnsafeRawBufferPointer, _ key: ByteSum.Key) -> ManifestRevision? {
    guard bytes.count <= ManifestParser.maximumSize else { return nil }
    let text = unsafe SourceText(bytes).bytes
    func isUnchanged(_ part: Part, at range: Range<Int>) -> Bool {
      unsafe ByteSum.of(UnsafeRawBufferPointer(rebasing: text[range]), key).hash == part.sum
    }
    var (first, start) = (0, 0)
    while first < parts.count, start + Int(parts[first].length) <= text.count,
      isUnchanged(parts[first], at: start..<start + Int(parts[first].length))
    {
      start += Int(parts[first].length)
      first += 1
    }
    if first == parts.count, start == text.count { return ManifestRevision(outline: self) }
    // The head is never matched from the end: text that was added before it is read with it.
    var (last, end) = (parts.count, text.count)
    while last > max(first, 1), end - Int(parts[last - 1].length) >= start,
      isUnchanged(parts[last - 1], at: end - Int(parts[last - 1].length)..<end)
    {
      last -= 1
      end -= Int(parts[last].length)
    }
    // A target cannot end in text that is after the targets.
    guard !(hasTail && last == parts.count) else { return nil }
    if first > 0 {
      first -= 1
      start -= Int(parts[first].length)
    }
    guard end - start <= Self.largestEdit,
      // The next part is to begin a line, as it did.
      unsafe end == text.count || end > start && text[end - 1] == UInt8(ascii: "\n")
    else { return nil }
    let edited = unsafe UnsafeRawBufferPointer(rebasing: text[start..<end])
    guard let read = unsafe read(edited, isHead: first == 0, key), read.count == last - first,
      read.map(\.name) == parts[first..<last].map(\.name)
    else { return nil }
    let changed = (first..<last).filter { read[$0 - first].meaning != parts[$0].meaning }
    var revised = self
    revised.parts.replaceSubrange(first..<last, with: read)
    if changed.isEmpty { return ManifestRevision(outline: revised) }
    // The text before the targets affects all of them; it has no name.
    guard changed.count <= Self.mostChanged, changed.allSatisfy({ parts[$0].name != 0 }) else { return nil }
    return unsafe ManifestRevision(
      outline: revised,
      changes: ManifestRevision.Changes(
        count: changed.count, text: revised.manifest(of: changed, in: text)))
  }

  /// The manifest `text`, which this is the outline of, with no other entries of `targets` than these; `nil` where one is
  /// not there, or where entries and targets may not be the same.
  package func text(ofEntries entries: [Int], in text: UnsafeRawBufferPointer) -> [UInt8]? {
    let text = unsafe SourceText(text).bytes
    guard parts.reduce(0, { $0 + Int($1.length) }) == text.count,
      entries.allSatisfy({ (0..<entryCount).contains($0) && parts[$0 + 1].name != 0 })
    else { return nil }
    return unsafe manifest(of: entries.map { $0 + 1 }, in: unsafe text)
  }

  /// The manifest `text` with no other targets than those in these parts.
  private func manifest(of entries: [Int], in text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    var start = 0
    let kept = Set([0] + entries + (hasTail ? [parts.count - 1] : []))
    for (index, part) in parts.enumerated() {
      let end = start + Int(part.length)
      if kept.contains(index) { unsafe bytes += text[start..<end] }
      start = end
    }
    return bytes
  }

  /// The parts of a piece of the manifest: its head, perhaps with targets, or targets alone.
  private func read(_ text: UnsafeRawBufferPointer, isHead: Bool, _ key: ByteSum.Key) -> [Part]? {
    // A document may begin with its mark.
    let unmarked = unsafe isHead && text.starts(with: "---\n".utf8) ? text.dropFirst(4) : text[...]
    guard unsafe !Self.marksDocuments(unmarked) else { return nil }
    let source = unsafe SourceText(text)
    var log = DiagnosticLog()
    guard let document = YAMLDocumentReader.read(source, log: &log), log.isEmpty else { return nil }
    var maker = OutlineMaker(document, source, key)
    guard isHead else { return maker.entries(column: indent) }
    guard let outline = maker.outline(), !outline.hasTail, outline.margin == margin,
      outline.parts.count == 1 || outline.indent == indent
    else { return nil }
    return outline.parts
  }

  /// Whether a line may be one that begins or ends a document, or is a directive: in the midst of a manifest these mean
  /// something else than at the ends of a piece of it. Also for a byte order mark, which is skipped at a beginning only.
  private static func marksDocuments(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    var isLineStart = true
    for place in unsafe text.indices {
      let byte = unsafe text[place]
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "%"), 0xEF: if isLineStart { return true }
      default: break
      }
      // Ends of lines, the last bytes of Unicode's among them.
      isLineStart = [0x0A, 0x0D, 0x85, 0xA8, 0xA9].contains(byte)
    }
    return false
  }
}
