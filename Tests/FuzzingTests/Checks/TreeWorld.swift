import SyncModel

@testable import ContentPipeline
@testable import LocalFiles
@testable import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A root and a state folder, in memory if the system has a place for that, with files around them that nobody may touch.
///
/// One is used for all inputs of a process, and is as new after ``clear()``.
final class TreeWorld: @unchecked Sendable {
  static let shared = Result { () throws(Violation) in
    do { return try TreeWorld() } catch { throw Violation("no folder to unpack to: \(error)") }
  }

  private static let output = RelativePath.lockFile
  /// A name that archives of the seeds have.
  private static let victim = "want"

  let state: StateFolder
  private let root: RootFolder
  /// The folder that contains everything else, and the ones in it down to the root.
  private let outer: [OpenFolder]
  private let victims: [FileSignature]
  /// The folders in which nothing may come or go, and what they were like at first.
  private let untouched: [OpenFolder]
  private let signatures: [FileSignature]
  private let stateSignature: FileSignature
  /// Of the folder that was published last.
  private(set) var published: TreeListing?

  private init() throws {
    let base =
      access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    Self.path = "\(base)/syncmake-fuzz-\(getpid())"
    for path in [Self.path, Self.path + "/a", Self.path + "/a/b", Self.path + "/a/b/root"] {
      guard mkdir(path, 0o700) == 0 else { throw SystemError(errno) }
    }
    atexit { TreeWorld.remove() }
    outer = try ["", "/a", "/a/b", "/a/b/root"].map { try OpenFolder(path: Self.path + $0) }
    for folder in outer { try folder.create(Self.victim).write(Array("safe".utf8)) }
    victims = try outer.map { try $0.status(of: Self.victim).signature }
    root = try RootFolder(path: Self.path + "/a/b/root")
    state = try StateFolder(path: Self.path + "/a/b/root/.syncmake")
    untouched = Array(outer.dropLast()) + [state.partial]
    stateSignature = try state.top.status().signature
    signatures = try untouched.map { try $0.status().signature }
  }

  /// Set once, before anything is in it.
  private nonisolated(unsafe) static var path = ""

  /// Leaves nothing behind.
  private static func remove() {
    guard let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      let parent = try? OpenFolder(path: String(path[..<cut]))
    else { return }
    parent.removeAll(FileName(path[cut...].dropFirst().utf8))
  }

  func clear() {
    if published != nil { root.top.removeAll(FileName(Self.output.text.utf8)) }
    published = nil
  }

  // MARK: The tree

  func tree(_ rules: TreeRules, old: TreeListing?) throws(FailureCause) -> StagedTree {
    try StagedTree(
      StagedTree.Order(output: Self.output, key: "key", rules: rules, old: old, edits: .refuse), in: state,
      root: root)
  }

  /// Publishes without waiting for the disk.
  func publish(_ tree: StagedTree) throws(Violation) {
    do throws(FailureCause) {
      _ = try tree.prepare()
      let seen = root.observe(tree: Self.output, by: published.map { [$0] } ?? [], keepingEdits: false).0
      published = try tree.publish(over: seen) { _ in }
    } catch {
      throw Violation("publishing: \(error)")
    }
  }

  func live() throws(Violation) -> OpenFolder {
    do { return try OpenFolder(Self.output.text, in: root.top) } catch {
      throw Violation("no folder: \(error)")
    }
  }

  // MARK: What is there

  /// Everything in `folder`, as a listing has it, by another way than the code that makes listings.
  static func look(at folder: OpenFolder) throws(Violation) -> [TreeListing.Entry] {
    var found: [TreeListing.Entry] = []
    do throws(SystemError) { try visit(folder, [], &found) } catch { throw Violation("looking: \(error)") }
    return found.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  private static func visit(
    _ folder: OpenFolder, _ path: [UInt8], _ found: inout [TreeListing.Entry]
  ) throws(SystemError) {
    let names = try folder.entries()
    if names.isEmpty, !path.isEmpty { found.append(TreeListing.Entry(path: path, kind: .folder)) }
    for name in names {
      let entry = path.isEmpty ? name.bytes : path + [UInt8(ascii: "/")] + name.bytes
      let status = try folder.status(of: name)
      switch status.kind {
      case .folder: try visit(try OpenFolder(name, in: folder), entry, &found)
      case .link:
        found.append(TreeListing.Entry(path: entry, kind: .link(target: try folder.target(of: name))))
      case .file:
        let bytes = try folder.open(name, O_RDONLY).readAll(limit: 1 << 30)
        let digest = Digester.digest(bytes, .sha256)
        found.append(
          TreeListing.Entry(
            path: entry, kind: .file(sha256: CompactDigest(digest), isExecutable: status.mode & 0o111 != 0),
            size: Int64(bytes.count)))
      case .other: throw SystemError(EINVAL)
      }
    }
  }

  /// Throws unless all is as it was, but for `staged` and the folder that was published.
  func checkSurroundings(staged: StagedTree?) throws(Violation) {
    for (place, folder) in untouched.enumerated() {
      // A folder has the time at which the last name in it came or went.
      try demand((try? folder.status())?.signature == signatures[place], "folder \(place) was changed")
    }
    for (place, folder) in outer.enumerated() {
      let isSafe = (try? folder.status(of: Self.victim))?.signature == victims[place]
      try demand(isSafe, "a file \(place) folders down was changed")
    }
    try Self.check(root.top, published == nil ? own : own + [Self.output.text])
    if (try? state.top.status())?.signature != stateSignature {
      // Where two folders cannot be exchanged, there was a journal.
      try Self.check(state.top, [".gitignore", "partial", "staging"], besides: "trees")
    }
    try Self.check(state.staging, staged.map { [$0.name.text] } ?? [])
  }

  /// What is in the root before and after each input.
  private let own = [".syncmake", victim]

  private static func check(
    _ folder: OpenFolder, _ names: [String], besides other: String? = nil
  ) throws(Violation) {
    let found = ((try? folder.names()) ?? []).filter { $0 != other }
    try demand(found.sorted() == names.sorted(), "\(found) instead of \(names)")
  }
}
