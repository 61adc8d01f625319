import LocalFiles
import SyncModel

/// What was edited of the outputs of targets that have left the manifest, where a target without a record writes now: a
/// folder may have become a file since, or a file a part of a folder (contract, section 6, promise 5).
extension TreeOutputs {
  /// Why the target must not replace what is there; `nil` if nothing there is known to be an edit.
  func earlierEdits(at target: Target, _ records: RecordIndex) -> FailureCause? {
    target.output.isFolder ? edits(of: records, in: target.path) : edit(of: records, at: target.path)
  }

  private func edit(of records: RecordIndex, at file: RelativePath) -> FailureCause? {
    for record in records.all where record.output.isFolder(of: file) {
      let path = Array(file.text.utf8.dropFirst(record.output.text.utf8.count + 1))
      guard case .file(let expected, _)? = listing(of: record.output, keepingEdits: false)?[path]?.kind,
        let actual = sha256(file), actual != expected
      else { continue }
      return .outputModified(expected: expected, actual: actual)
    }
    return nil
  }

  private func edits(of records: RecordIndex, in folder: RelativePath) -> FailureCause? {
    var edited: [String] = []
    for record in records.all {
      let output = record.output
      guard folder.isFolder(of: output) || output.isFolder(of: folder) else { continue }
      if let listing = listing(of: output, keepingEdits: false) {
        edited += root.edits(tree: output, of: listing).edited.map {
          output.text + "/" + String(decoding: $0, as: UTF8.self)
        }
      } else if root.observe(output) != .file(record.signature), let actual = sha256(output),
        actual != record.content.sha256
      {
        edited.append(output.text)
      }
    }
    let prefix = folder.text + "/"
    let here = edited.filter { $0.utf8.starts(with: prefix.utf8) }.sorted()
    guard !here.isEmpty else { return nil }
    return .filesModified(
      paths: here.prefix(Self.mostNamed).map { String(Substring($0.utf8.dropFirst(prefix.utf8.count))) },
      count: here.count)
  }

  /// The digest of a file; `nil` if there is none that can be read.
  private func sha256(_ path: RelativePath) -> HexDigest? {
    (try? root.open(path)).flatMap { try? Self.sha256($0) }
  }
}
