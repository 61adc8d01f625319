import Platform
import SyncModel

/// The links of a live folder that stay in it when a new tree takes its place, and where they lead then.
///
/// An archive's links are checked when it is unpacked. One of an earlier archive, or of nobody's, may have passed a folder
/// that is a link in the new tree: then `..` after it is another place, perhaps outside (contract, section 10).
struct StayingLinks {
  /// What Linux follows before it gives up; a longer chain counts as leading outside.
  private static let mostFollowed = 40

  private let ignoresCase: Bool
  private let staying: [[UInt8]]
  /// The targets of all links of the new tree, by ``key(of:)``.
  private var targets: [[UInt8]: [UInt8]] = [:]
  /// The paths of those that the new archive brings, by the same.
  private var brought: [[UInt8]: [UInt8]] = [:]

  /// `nil` if the new tree has no link that is not there yet.
  init?(_ tree: StagedTree, _ survey: TreeSurvey, in live: OpenFolder) {
    let ignoresCase = tree.ignoresCase
    self.ignoresCase = ignoresCase
    // Before anything is read: many files may stay, and few archives bring a link.
    for place in tree.made.files {
      guard case .link(let target) = tree.entries.kind(at: place) else { continue }
      let path = tree.entries.path(at: place)
      if survey.isKept(path) { continue }
      let key = Self.key(of: path, ignoresCase)
      targets[key] = target
      if tree.made.isStaged(place) { brought[key] = path }
    }
    guard !brought.isEmpty else { return nil }
    var walker = TreeWalker(live)
    var staying: [[UInt8]] = []
    for item in survey.carried where !item.isFolder {
      // A file has no target.
      guard let (folder, name) = try? walker.place(of: survey.place(of: item.path)),
        let target = try? folder.target(of: name)
      else { continue }
      staying.append(item.path)
      targets[Self.key(of: item.path, ignoresCase)] = target
    }
    self.staying = staying
    guard !staying.isEmpty else { return nil }
  }

  /// Throws `.archive` if a new link is why one of these leads outside. One that does so by itself is somebody's own.
  func requireInside() throws(FailureCause) {
    for path in staying.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let link = misleading(path) else { continue }
      throw .archive(
        .misleadsOldLink(
          link: String(decoding: link, as: UTF8.self), old: String(decoding: path, as: UTF8.self)))
    }
  }

  /// The first new link that leads the one at `path` outside; `nil` if none does.
  private func misleading(_ path: [UInt8]) -> [UInt8]? {
    var place: [[UInt8]] = []
    var rest: [[UInt8]] = Self.parts(path).reversed()
    var passed: [UInt8]?
    /// The links on the way that are not passed yet, and how many parts follow each.
    var open: [(link: [UInt8], following: Int)] = []
    var followed = 0
    while let part = rest.popLast() {
      open.removeAll { $0.following > rest.count }
      if part.elementsEqual("..".utf8) {
        guard place.popLast() != nil else { return passed }
        continue
      }
      place.append(part)
      let link = key(of: Array(place.joined(separator: [UInt8(ascii: "/")])))
      guard let target = targets[link] else { continue }
      // A circle leads nowhere.
      if open.contains(where: { $0.link == link }) { return nil }
      open.append((link, rest.count))
      place.removeLast()
      followed += 1
      if Self.leadsOutside(target, from: place.count) { return nil }
      passed = passed ?? brought[link]
      guard followed <= Self.mostFollowed else { return passed }
      rest += Self.parts(target).reversed()
    }
    return nil
  }

  /// By the names alone, from so many folders down.
  private static func leadsOutside(_ target: [UInt8], from depth: Int) -> Bool {
    var depth = depth
    for part in parts(target) {
      depth += part.elementsEqual("..".utf8) ? -1 : 1
      if depth < 0 { return true }
    }
    return target.first == UInt8(ascii: "/")
  }

  private static func parts(_ path: [UInt8]) -> [[UInt8]] {
    path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }.map { Array($0) }
  }

  private func key(of path: [UInt8]) -> [UInt8] { Self.key(of: path, ignoresCase) }

  private static func key(of path: [UInt8], _ ignoresCase: Bool) -> [UInt8] {
    ignoresCase ? Array(FoldedPath.key(of: path).utf8) : path
  }
}
