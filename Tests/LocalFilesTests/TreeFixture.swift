import Foundation
import SyncModel
import Testing

@testable import LocalFiles
@testable import Platform

/// A folder output, its listing, and archives for it.
final class TreeFixture {
  /// An entry of an archive.
  enum Item {
    case file(String, mode: UInt16 = 0o644, modified: Int64? = nil)
    case link(String)
    case hardLink(String)
    case folder
  }

  let box: Sandbox
  let output = RelativePath.path("vendor/docs")
  var rules = TreeRules()
  var edits = LocalChanges.refuse
  /// As the last publication returned it.
  var listing: TreeListing?
  /// Whether the system is taken for one that cannot exchange folders.
  var byJournal: Bool
  /// Who else writes small files.
  var helper: Helper?
  /// Who else takes part in a publication.
  var sharing: WorkSharing = { $0() }
  private(set) var changes = TreeChanges()

  init(byJournal: Bool = false, box: Sandbox? = nil) throws {
    self.box = try box ?? Sandbox()
    self.byJournal = byJournal
  }

  static let key = String(repeating: "0a", count: 16)

  /// A text's stand-in for a sha256, which only must differ between texts.
  static func digest(_ bytes: some Sequence<UInt8>) -> HexDigest {
    var (one, other): (UInt64, UInt64) = (1, 7)
    for byte in bytes {
      one = (one ^ UInt64(byte)) &* 0x100_0000_01B3
      other = other &* 31 &+ UInt64(byte)
    }
    return withUnsafeBytes(of: (one, other, one ^ 5, other ^ 9)) { HexDigest(bytes: Array($0)) }
  }

  func at(_ path: String) -> String { box.at("vendor/docs/" + path) }
  func text(_ path: String) -> String? { box.text("vendor/docs/" + path) }
  func put(_ text: String, _ path: String) throws { try box.put(text, at: "vendor/docs/" + path) }

  var order: StagedTree.Order {
    .init(output: output, key: Self.key, rules: rules, old: listing, edits: edits)
  }

  /// A tree with these entries, in their order.
  func staged(_ items: [(String, Item)]) throws -> StagedTree {
    let tree = try StagedTree(order, in: box.state, root: box.root)
    if let helper { tree.use(helper) }
    try fill(tree, items)
    return tree
  }

  func fill(_ tree: StagedTree, _ items: [(String, Item)]) throws {
    for (path, item) in items {
      let path = Array(path.utf8)
      switch item {
      case .file(let text, let mode, let modified):
        try tree.add(
          path, Array(text.utf8), mode: mode, modified: modified.map { Timestamp(seconds: $0) })
      case .link(let target): try tree.addLink(path, target: Array(target.utf8))
      case .hardLink(let earlier): try tree.addHardLink(path, to: Array(earlier.utf8)) { false }
      case .folder: try tree.addFolder(path)
      }
    }
    _ = try tree.finish()
  }

  /// Unpacks and publishes, and remembers the listing.
  @discardableResult
  func publish(_ items: [(String, Item)]) throws -> TreeListing {
    let tree = try staged(items)
    let prepared = try tree.prepare()
    try tree.sync()
    changes = tree.changes
    var stored: TreeListing?
    let listing = try tree.publish(over: observed(), byJournal: byJournal, sharing: sharing) { stored = $0 }
    #expect(prepared.signature == listing.signature)
    #expect(stored?.signature == listing.signature)
    #expect(listing.entries.map(\.path) == prepared.entries.map(\.path))
    self.listing = listing
    return listing
  }

  func observed() -> OutputObservation {
    box.root.observe(tree: output, by: listing.map { [$0] } ?? [], keepingEdits: edits == .keep).0
  }

  /// Whether the folder is seen as it was published.
  var isInOrder: Bool { listing.map { observed() == .file($0.signature) } ?? false }

  /// The paths of files and links in the folder, with their texts or targets, and of empty folders.
  func content() -> [String: String] {
    var content: [String: String] = [:]
    func visit(_ path: String) {
      let names = box.names("vendor/docs" + path)
      if names.isEmpty, !path.isEmpty { content[String(path.dropFirst())] = "/" }
      for name in names {
        let place = path + "/" + name
        var status = stat()
        lstat(at(String(place.dropFirst())), &status)
        switch status.st_mode & S_IFMT {
        case S_IFDIR: visit(place)
        case S_IFLNK:
          let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: at(String(place.dropFirst())))
          content[String(place.dropFirst())] = "-> " + (target ?? "?")
        default: content[String(place.dropFirst())] = text(String(place.dropFirst()))
        }
      }
    }
    visit("")
    return content
  }

  /// What a journal says of a file that is removed.
  func removal(_ path: String) throws -> TreeJournal.Removal {
    let status = try #require(try? FileStatus(at(path), in: AT_FDCWD))
    return TreeJournal.Removal(path: Array(path.utf8), signature: status.signature)
  }

  func replaced(_ path: String) throws -> TreeJournal.Replaced {
    TreeJournal.Replaced(path: Array(path.utf8), signature: try removal(path).signature)
  }

  /// Inode and mtime: what stays for a file that is not written again.
  func identity(_ path: String) throws -> String {
    let status = try #require(try? FileStatus(at(path), in: AT_FDCWD))
    return "\(status.signature.inode) \(status.signature.modified)"
  }
}

extension StagedTree {
  func add(_ path: [UInt8], _ bytes: [UInt8], mode: UInt16 = 0o644, modified: Timestamp? = nil) throws {
    try beginFile(path, size: Int64(bytes.count), mode: mode, modified: modified)
    var failure: FailureCause?
    bytes.withUnsafeBytes { all in
      // In pieces, as they come from an archive.
      for start in stride(from: 0, to: all.count, by: 300_007) {
        let piece = UnsafeRawBufferPointer(rebasing: all[start..<min(all.count, start + 300_007)])
        do throws(FailureCause) { if failure == nil { try write(piece) } } catch { failure = error }
      }
    }
    if let failure { throw failure }
    try endFile(sha256: TreeFixture.digest(bytes))
  }
}
