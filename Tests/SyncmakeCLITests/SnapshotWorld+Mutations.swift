import Foundation
import StateStore
import SyncModel
import SyncTestSupport

@testable import Execution

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SnapshotWorld {
  /// Something that may happen to a root between two runs.
  enum Mutation: String, CaseIterable {
    case nothing, touched, edited, editedAtOnce, rewritten, removed, linked, folderLinked, folderMoved,
      modeChanged
    case replacedByFolder, swapped, hardLinked
    case treeMoved, treeLinked, addedToTree, listingFlipped, listingCut, listingGone, listingSwapped
    case commented, commentedWithin, reordered, sameSizeManifest, retargeted, added, manifestTouched,
      manifestReplaced
    case settingEdited, targetEdited, targetDoubled
    case stateFlipped, stateOlder, stateGone, stateJournal, stateCopied
    case snapshotFlipped, snapshotCut, snapshotJunk, snapshotOlder, snapshotForeign, snapshotGone
    case outlineFlipped, outlineCut, outlineJunk, outlineOlder, outlineHuge, outlineGone
    case lockFile
    case sourceChanged, sourceGone, sourceForgetful
    case valueChanged, valueAway, valueReplaced
    case includedTouched, includedCommented, includedEdited, includedGone, includedAdded
  }

  /// Performs it; `memory` has earlier files for those that restore one.
  func mutate(_ mutation: Mutation, _ random: inout SeededGenerator, _ memory: inout [String: [UInt8]]) throws
  {
    let output = random.pick(outputs)
    let path = folder.path(output)
    let files = FileManager.default
    switch mutation {
    case .nothing: break
    case .touched: utimes(path, nil)
    case .edited: try folder.write("an edit\n", to: output)
    case .editedAtOnce: try inPlace(output, at: 0) { $0 ^ 1 }
    case .rewritten: if let bytes = folder.read(output) { try folder.write(bytes, to: output) }
    case .removed: try files.removeItem(atPath: path)
    case .linked:
      try? files.removeItem(atPath: path + ".away")
      try files.moveItem(atPath: path, toPath: path + ".away")
      symlink(path + ".away", path)
    case .folderLinked:
      try files.moveItem(atPath: folder.path("deep/er"), toPath: folder.path("elsewhere"))
      symlink("../elsewhere", folder.path("deep/er"))
    case .folderMoved: try files.moveItem(atPath: folder.path("deep/er"), toPath: folder.path("deep/away"))
    case .modeChanged: chmod(path, 0o600)
    case .replacedByFolder:
      try files.removeItem(atPath: path)
      mkdir(path, 0o755)
    case .swapped: if let bytes = folder.read("once") { try folder.write(bytes, to: output) }
    case .hardLinked: link(path, folder.path("another-name"))
    case .treeMoved: try files.moveItem(atPath: folder.path("deep/tree"), toPath: folder.path("elsewhere"))
    case .treeLinked:
      try files.moveItem(atPath: folder.path("deep/tree"), toPath: folder.path("elsewhere"))
      symlink("../elsewhere", folder.path("deep/tree"))
    case .addedToTree: try folder.write("mine\n", to: random.pick(["deep/tree/mine", "deep/tree/in/mine"]))
    case .listingFlipped:
      let name = random.pick(try listings())
      let size = folder.read(name)?.count ?? 1
      try inPlace(name, at: random.below(size)) { $0 ^ (1 << UInt8(random.below(8))) }
    case .listingCut:
      let name = random.pick(try listings())
      truncate(folder.path(name), off_t(random.below(folder.read(name)?.count ?? 1)))
    case .listingGone: try files.removeItem(atPath: folder.path(random.pick(try listings())))
    case .listingSwapped:
      // That of another folder, or its own as that of an interrupted publication.
      if let bytes = folder.read(random.pick(try listings())) {
        try folder.write(bytes, to: random.pick(try listings()) + random.pick(["", ".next"]))
      }
    case .commented: try append("# nothing more\n", to: "syncmake.yaml")
    case .commentedWithin:
      var lines = String(decoding: folder.read("syncmake.yaml") ?? [], as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      lines.insert(random.pick(["# a note", "", "  # a note"]), at: random.below(lines.count))
      try folder.write(lines.joined(separator: "\n"), to: "syncmake.yaml")
    case .reordered:
      var lines = String(decoding: folder.read("syncmake.yaml") ?? [], as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      lines.swapAt(headLines, headLines + random.below(6))
      try folder.write(lines.joined(separator: "\n"), to: "syncmake.yaml")
    case .sameSizeManifest:
      let text = try manifest().replacing("interval: 1d", with: "interval: \(1 + random.below(9))d")
      try folder.write(text, to: "syncmake.yaml")
    case .retargeted:
      let text = try manifest().replacing("source/once", with: "source/aged")
      try folder.write(text, to: "syncmake.yaml")
    case .added:
      try append("  more: {url: source/once, output: more, freshness: once}\n", to: "syncmake.yaml")
    case .settingEdited:
      let setting = random.pick(["retries: 4", "tags: [x]", "description: x", "optional: true"])
      try editTarget(&random) { $0.replacing("}\n", with: ", \(setting)}\n") }
    case .targetEdited:
      let (old, new) = random.pick([
        ("}\n", ", local_changes: keep}\n"), ("}\n", ", mode: \"0600\"}\n"), ("}\n", ", needs: [sums]}\n"),
        ("}\n", ", after: [sums]}\n"), ("}\n", ", steps: [gunzip]}\n"), ("}\n", ", matrix: {a: [b]}}\n"),
        ("freshness: once", "freshness: {interval: \(1 + random.below(3))h}"),
        ("freshness: once", "freshness: mtime"), (": {url", "x: {url"), ("x: [a]", "x: [b]"),
        ("x: [a]", "x: [er]"), ("{merged:", "{other:"), ("output: deep/", "output: deep/er/"),
        ("output: deep/", "output: deeper/"), ("{url: source/", "{url: \"${env:NOWHERE:-source}/"),
        ("}\n", ", headers: {X: y}}\n"), ("}\n", ", auth: {bearer: \"${secret:PATH}\"}}\n"),
      ])
      try editTarget(&random) { $0.replacing(old, with: new) }
    case .targetDoubled:
      // It replaces another one, so that their number does not change.
      let lines = String(decoding: folder.read("syncmake.yaml") ?? [], as: UTF8.self).split(separator: "\n")
      let other = random.pick(Array(lines.dropFirst(headLines)))
      try editTarget(&random) { _ in "\(other)\n" }
    case .manifestTouched: utimes(manifestPath, nil)
    case .manifestReplaced: try folder.write(folder.read("syncmake.yaml") ?? [], to: "syncmake.yaml")
    case .stateFlipped:
      let size = folder.read(".syncmake/state.db")?.count ?? 1
      try inPlace(".syncmake/state.db", at: random.below(size)) { $0 ^ 0x10 }
    case .stateOlder: if let old = memory["state.db"] { try folder.write(old, to: ".syncmake/state.db") }
    case .stateGone: try files.removeItem(atPath: folder.path(".syncmake/state.db"))
    case .stateJournal: try folder.write([1, 2, 3], to: ".syncmake/state.db-journal")
    case .stateCopied:
      if let bytes = folder.read(".syncmake/state.db") { try folder.write(bytes, to: ".syncmake/state.db") }
    case .snapshotFlipped:
      let size = size(".syncmake/snapshot")
      try inPlace(".syncmake/snapshot", at: random.below(size)) { $0 ^ (1 << UInt8(random.below(8))) }
    case .snapshotCut:
      let size = size(".syncmake/snapshot")
      truncate(folder.path(".syncmake/snapshot"), off_t(random.below(size)))
    case .snapshotJunk:
      try folder.write(TestData.random(random.below(4000), seed: random.next()), to: ".syncmake/snapshot")
    case .snapshotOlder: if let old = memory["snapshot"] { try folder.write(old, to: ".syncmake/snapshot") }
    case .snapshotForeign:
      let other = try SnapshotWorld()
      if try other.settle(), let bytes = other.folder.read(".syncmake/snapshot") {
        try folder.write(bytes, to: ".syncmake/snapshot")
      }
    case .snapshotGone: try files.removeItem(atPath: folder.path(".syncmake/snapshot"))
    case .outlineFlipped:
      let size = size(".syncmake/outline")
      try inPlace(".syncmake/outline", at: random.below(size)) { $0 ^ (1 << UInt8(random.below(8))) }
    case .outlineCut:
      let size = size(".syncmake/outline")
      truncate(folder.path(".syncmake/outline"), off_t(random.below(size)))
    case .outlineJunk:
      try folder.write(TestData.random(random.below(4000), seed: random.next()), to: ".syncmake/outline")
    case .outlineOlder: if let old = memory["outline"] { try folder.write(old, to: ".syncmake/outline") }
    case .outlineHuge: truncate(folder.path(".syncmake/outline"), 1 << 43)
    // A manifest that includes others, or has values, has none.
    case .outlineGone: if !isJoined { try files.removeItem(atPath: folder.path(".syncmake/outline")) }
    case .lockFile: try folder.write("", to: "syncmake.lock")
    case .sourceChanged: server?.on("/tagged", .file(Array("new\n".utf8), etag: "\"2\""))
    case .sourceGone: server?.on("/dated", .status(404))
    // The same bytes are sent: nothing changes, but the answer is not a 304.
    case .sourceForgetful: server?.on("/tagged", .text("tagged\n", headers: [HeaderField("ETag", "\"1\"")]))
    case .valueChanged: server?.on("/word", .file(Array("aged\n".utf8), etag: "\"x\""))
    case .valueAway: server?.on("/word", .status(503))
    case .valueReplaced: try folder.write("aged\n", to: random.pick(["latest", "part/inner"]))
    case .includedTouched: try folder.write(folder.read("part/syncmake.yaml") ?? [], to: "part/syncmake.yaml")
    case .includedCommented: try append("# a note\n", to: "part/syncmake.yaml")
    case .includedEdited:
      let (old, new) = random.pick([
        ("freshness: once", "freshness: mtime"), ("named:", "other:"), ("named-", "other-"),
        ("source/word", "source/once"), ("interval: 1d", "interval: 2d"), ("^(.*)$", "^(o.*)$"),
      ])
      let text = String(decoding: folder.read("part/syncmake.yaml") ?? [], as: UTF8.self)
      try folder.write(text.replacing(old, with: new), to: "part/syncmake.yaml")
    case .includedGone: try? files.removeItem(atPath: folder.path("part/syncmake.yaml"))
    case .includedAdded:
      try folder.write("version: 1\ntargets: {more: {url: ../source/once}}\n", to: "party/syncmake.yaml")
    }
  }

  /// The lines of the manifest before its targets.
  private var headLines: Int { isJoined ? 5 : 3 }

  /// Of the file, in bytes; 1 if there is none. It may be huge, and is not read.
  private func size(_ path: String) -> Int {
    var info = stat()
    return stat(folder.path(path), &info) == 0 ? max(1, Int(info.st_size)) : 1
  }

  /// Restores what no run would restore.
  func repair() throws {
    let files = FileManager.default
    serveAsEver()
    for name in ["deep/tree", "deep/er"] + outputs {
      var status = stat()
      guard lstat(folder.path(name), &status) == 0 else { continue }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      if status.st_mode & S_IFMT == S_IFLNK || isFolder && !["deep/er", "deep/tree"].contains(name) {
        try files.removeItem(atPath: folder.path(name))
      }
    }
    // Without the state an edit cannot be detected, and `once` keeps the file: the list stays without its line.
    if folder.read("sums") != folder.read("source/sums") {
      try? files.removeItem(atPath: folder.path("sums"))
    }
    // Without its listing, `once` keeps a folder of which nothing is known, and that is no fact for a snapshot.
    let output = try RelativePath("deep/tree")
    if TreeShelf(stateFolder: folder.path(".syncmake")).read(TreeOutputs.key(of: output)).isEmpty {
      try? files.removeItem(atPath: folder.path(output.text))
    }
    for name in [
      "elsewhere", "deep/tree/mine", "deep/tree/in/mine", "deep/away", "syncmake.lock", "another-name",
      "party",
    ] {
      try? files.removeItem(atPath: folder.path(name))
    }
    try writeManifests()
  }

  /// The files with the listings of the folders; fails if there are none.
  private func listings() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(".syncmake/trees")).sorted()
    if names.isEmpty { throw CocoaError(.fileNoSuchFile) }
    return names.map { ".syncmake/trees/" + $0 }
  }

  /// Replaces one target's line.
  private func editTarget(_ random: inout SeededGenerator, _ edit: (String) -> String) throws {
    var lines = String(decoding: folder.read("syncmake.yaml") ?? [], as: UTF8.self).split(separator: "\n")
      .map { "\($0)\n" }
    guard lines.count > headLines else { return }
    let place = headLines + random.below(lines.count - headLines)
    lines[place] = edit(lines[place])
    try folder.write(lines.joined(), to: "syncmake.yaml")
  }

  private func append(_ text: String, to name: String) throws {
    try folder.write((folder.read(name) ?? []) + text.utf8, to: name)
  }

  /// Changes one byte in place, and restores the file's times as well as possible.
  private func inPlace(_ name: String, at offset: Int, _ change: (UInt8) -> UInt8) throws {
    let descriptor = open(folder.path(name), O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    var byte: UInt8 = 0
    pread(descriptor, &byte, 1, off_t(offset))
    byte = change(byte)
    pwrite(descriptor, &byte, 1, off_t(offset))
    #if canImport(Darwin)
      let times = [status.st_atimespec, status.st_mtimespec]
    #else
      let times = [status.st_atim, status.st_mtim]
    #endif
    futimens(descriptor, times)
  }
}
