import Foundation
import SyncTestSupport

/// The actual files, compared with the expected ones.
struct FileComparison {
  var folder: TemporaryFolder
  /// The whole folder before the last run.
  var before: FileTree

  func problem(_ check: FileCheck) -> ScenarioProblem? {
    message(check.expectation).map { ScenarioProblem(line: check.line, message: $0) }
  }

  private func message(_ expectation: FileCheck.Expectation) -> String? {
    switch expectation {
    case .holds(let path, let bytes): return difference(path, bytes)
    case .looksLike(let path, let pattern):
      guard let text = folder.text(place(path)) else { return "\(path) cannot be read" }
      return pattern.matches(text) ? nil : "\(path) is not as wanted:\n" + pattern.difference(from: text)
    case .contains(let path, let text):
      return folder.text(place(path))?.contains(text) == true ? nil : "\(path) lacks \"\(text)\""
    case .absent(let path): return entry(path) == nil ? nil : "\(path) is there"
    case .present(let path): return entry(path) == nil ? "\(path) is not there" : nil
    case .mode(let path, let mode):
      let found = entry(path)?.mode
      return found == UInt32(mode) ? nil : "\(path) has mode \(found.map { String($0, radix: 8) } ?? "none")"
    case .time(let path, let time):
      let found = entry(path)?.modified
      return found == time.seconds * 1_000_000_000 ? nil : "\(path) has mtime \(found ?? -1) ns"
    case .isLink(let path): return entry(path)?.kind == UInt32(S_IFLNK) ? nil : "\(path) is no link"
    case .unchanged(let path):
      return entry(path) == before.entries[place(path)] ? nil : "\(path) is not what it was before the run"
    case .same(let path):
      var then = before.entries[place(path)]
      let now = entry(path)
      if let now { then?.changed = now.changed }
      return now != nil && now == then ? nil : "\(path) is not the same file as before the run"
    case .changed(let path):
      return entry(path) == before.entries[place(path)] ? "\(path) is what it was before the run" : nil
    case .treeUnchanged:
      let changes = now.changes(since: before.below("root"))
      return changes.isEmpty ? nil : "the run wrote: \(changes.joined(separator: "; "))"
    case .only(let names): return other(than: names)
    case .noLeftovers:
      let left = now.entries.keys.filter {
        $0.contains(".syncmake-") || $0.contains("/.syncmake/staging/")
      }
      return left.isEmpty ? nil : "left behind: \(left.sorted().joined(separator: ", "))"
    case .nowhere(let text):
      let holders = now.entries.keys.filter { folder.read($0)?.contains(Array(text.utf8)) == true }
      return holders.isEmpty ? nil : "\"\(text)\" is in \(holders.sorted().joined(separator: ", "))"
    }
  }

  private var now: FileTree { FileTree(folder.path).below("root") }

  private func entry(_ path: String) -> FileTree.Entry? { FileTree.Entry(folder.path(place(path))) }

  private func place(_ path: String) -> String { FileEditor.place(path) }

  private func difference(_ path: String, _ bytes: [UInt8]) -> String? {
    guard let found = folder.read(place(path)) else { return "\(path) cannot be read" }
    if found == bytes { return nil }
    let first = zip(found, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return "\(path) has \(found.count) bytes, wanted are \(bytes.count); they differ from "
      + "\(first ?? min(found.count, bytes.count)) on"
  }

  private func other(than names: [String]) -> String? {
    let found = now.entries
      .filter { $0.value.kind != UInt32(S_IFDIR) && !$0.key.hasPrefix("root/.syncmake/") }
      .keys.map { String($0.dropFirst("root/".count)) }.sorted()
    return found == names ? nil : "the files are: \(found.joined(separator: ", "))"
  }
}
