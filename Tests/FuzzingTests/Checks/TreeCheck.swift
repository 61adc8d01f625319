import Planning
import SyncModel

@testable import ContentPipeline
@testable import LocalFiles

/// An archive that becomes a folder: nothing appears elsewhere, the listing is what is on the disk, no limit of the size
/// is passed, and the same archive in other pieces, or over the folder that it has become, has the same tree.
///
/// The input's first byte chooses the format and what `strip` is, the second one the other rules, the third one the number
/// of pieces. The rest is the archive, or the list of entries of a tar that ``TreeScript`` makes.
enum TreeCheck {
  /// Of all files together, in bytes, if there is one.
  private static let limit: Int64 = 20_000

  private enum Outcome: Equatable {
    case tree(listing: [UInt8])
    case refused(FailureCode)

    var isRefused: Bool { if case .refused = self { true } else { false } }
  }

  private struct Task {
    var rules: UnpackRules
    var maxSize: Int64?
    var publishes: Bool
    var archive: [UInt8]
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    var choices = Choices(input)
    let (kind, flags, parts) = (choices.byte(), choices.byte(), 1 + Int(choices.byte() & 63))
    let task = task(kind, flags, choices.rest())
    let piece = task.archive.count / parts + 1
    let world = try TreeWorld.shared.get()
    defer { world.clear() }
    let first = try unpack(task, piece: task.archive.count, old: nil, world)
    let old = task.publishes ? world.published : nil
    let second = try unpack(task, piece: piece, old: old, world)
    // Damage of compressed data may be found before or after that of the archive.
    let isSame = first == second || task.rules.format == .tarGzip && first.isRefused && second.isRefused
    try demand(isSame, "in pieces of \(piece): \(second), but at once \(first)")
  }

  private static func task(_ kind: UInt8, _ flags: UInt8, _ rest: [UInt8]) -> Task {
    var tree = TreeRules()
    tree.keepsModes = flags & 1 != 0
    tree.keepsTimes = flags & 2 != 0
    if flags & 4 != 0, let pattern = try? PathPattern("[a-y]*") { tree.include = [pattern] }
    var rules = UnpackRules(.folder(tree))
    if flags & 8 != 0, let pattern = try? PathPattern("x*") { rules.exclude = [pattern] }
    if flags & 16 != 0 { rules.mostEntries = 3 }
    rules.strip = kind & 8 != 0 ? .auto : .count(Int(kind >> 4) % 3)
    let formats: [ArchiveFormat] = [.tar, .zip, .sevenZip, .xar, .tarGzip]
    let isScript = Int(kind & 7) >= formats.count
    rules.format = isScript ? .tar : formats[Int(kind & 7)]
    return Task(
      rules: rules, maxSize: flags & 32 != 0 ? limit : nil, publishes: flags & 64 != 0,
      archive: isScript ? TreeScript.tar(rest) : rest)
  }

  // MARK: Unpacking

  /// `old` is the listing of the folder that the same archive has become.
  private static func unpack(
    _ task: Task, piece: Int, old: TreeListing?, _ world: TreeWorld
  ) throws(Violation) -> Outcome {
    guard let rules = task.rules.tree else { throw Violation("no folder") }
    let tree: StagedTree
    do throws(FailureCause) { tree = try world.tree(rules, old: old) } catch { throw Violation("\(error)") }
    defer { tree.discard() }
    let outcome: Outcome
    do throws(FailureCause) {
      outcome = .tree(listing: try extract(task, piece: piece, to: tree, world))
    } catch {
      outcome = .refused(error.code)
      let isExpected = [.archiveUnsafe, .archiveCorrupt, .entryMissing, .tooLarge].contains(error.code)
      if case .libraryMissing = error { return outcome }
      try demand(isExpected, "\(error)")
    }
    if let limit = task.maxSize {
      let size = TreeEntries(try TreeWorld.look(at: tree.staged.top)).size
      try demand(size <= limit, "\(size) bytes were written")
    }
    guard case .tree(let listing) = outcome else {
      try world.checkSurroundings(staged: tree)
      return outcome
    }
    if task.publishes {
      if old != nil { try demand(tree.changes.total == 0, "the same archive: \(tree.changes)") }
      try world.publish(tree)
    }
    try world.checkSurroundings(staged: task.publishes ? nil : tree)
    let text = try TreeWorld.look(at: task.publishes ? world.live() : tree.staged.top).reduce(into: []) {
      $0 += $1.line
    }
    try demand(
      text == listing,
      "\(String(decoding: text, as: UTF8.self)) but listed \(String(decoding: listing, as: UTF8.self))")
    return outcome
  }

  private static let pool = WorkerPool(threads: 1)

  /// Passes the archive as a pipeline does; returns what comes out.
  private static func extract(
    _ task: Task, piece: Int, to tree: StagedTree, _ world: TreeWorld
  ) throws(FailureCause) -> [UInt8] {
    let extractor = EntryExtractor(
      task.rules, into: TreeWriter(tree, maxSize: task.maxSize, pool: pool, isCancelled: { false }),
      name: "archive",
      keptAt: .scratch(world.state), decoding: { Decoding($0) }, isCancelled: { false })
    defer { extractor.stop() }
    let block = Block()
    var output: [UInt8] = []
    func pass(_ bytes: ArraySlice<UInt8>, isLast: Bool) throws(FailureCause) {
      // In its own memory, so that reading beyond its end is detected.
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      defer { memory.deallocate() }
      memory.copyBytes(from: bytes)
      var place = 0
      repeat {
        block.clear()
        place += try extractor.unpack(
          UnsafeRawBufferPointer(rebasing: memory[place...]), into: block, isLast: isLast)
        output += block.bytes
      } while block.isFull
    }
    for start in stride(from: 0, to: task.archive.count, by: max(piece, 1)) {
      try pass(task.archive[start..<min(task.archive.count, start + piece)], isLast: false)
    }
    try pass([], isLast: true)
    try extractor.finish()
    return output
  }
}
