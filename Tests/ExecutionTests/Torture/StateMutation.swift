import Foundation
import SyncTestSupport

/// One way to damage a state file.
struct StateMutation {
  /// A description for a message.
  var text: String
  /// `nil` if it is not a file, or does not exist.
  var bytes: [UInt8]?
  var journal: [UInt8]?
  var special: Special?
  /// The state file as it was.
  var good: [UInt8] = []
  /// Whether it may contain whole rows of an earlier time, which no checksum can distinguish from present ones.
  var mayContradictFiles = false

  enum Special: CaseIterable {
    case missing, folder, fullFolder, link, danglingLink, fifo, journalFolder, folderGone
  }

  /// A mutation of the last of `earlier`, or of an older one.
  static func make(
    of earlier: [[UInt8]], _ random: inout SeededGenerator
  ) throws -> StateMutation {
    let good = earlier[earlier.count - 1]
    let old = random.pick(earlier)
    switch random.below(14) {
    case 0, 1, 2: return bytesChanged(good, &random)
    case 3: return truncated(good, &random)
    case 4: return StateMutation(text: "an older copy", bytes: old, mayContradictFiles: true)
    case 5: return olderPages(good, old, &random)
    case 6: return StateMutation(text: "zero length", bytes: [])
    case 7: return junk(good, &random)
    case 8: return newer(good, &random)
    case 9: return blockChanged(good, &random)
    case 10: return swappedPages(good, &random)
    case 11: return withJournal(good, old, &random)
    case 12: return headerChanged(good, &random)
    default:
      let special = random.pick(Special.allCases)
      return StateMutation(text: "\(special)", special: special, good: good)
    }
  }

  private static func bytesChanged(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    var bytes = good
    let count = 1 + random.below(random.oneIn(3) ? 200 : 3)
    for _ in 0..<count {
      let place = random.below(bytes.count)
      bytes[place] = random.oneIn(2) ? UInt8(random.below(256)) : bytes[place] ^ (1 << UInt8(random.below(8)))
    }
    return StateMutation(text: "\(count) bytes changed", bytes: bytes)
  }

  private static func truncated(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    let page = 4096
    let length = random.oneIn(2) ? random.below(good.count) : random.below(good.count / page) * page
    return StateMutation(text: "truncated to \(length)", bytes: Array(good.prefix(length)))
  }

  private static func olderPages(
    _ good: [UInt8], _ old: [UInt8], _ random: inout SeededGenerator
  ) -> StateMutation {
    var bytes = good
    for page in 0..<min(good.count, old.count) / 4096 where random.oneIn(2) {
      let range = page * 4096..<(page + 1) * 4096
      bytes.replaceSubrange(range, with: old[range])
    }
    return StateMutation(text: "pages of an older copy", bytes: bytes, mayContradictFiles: true)
  }

  private static func junk(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    var bytes = TestData.random(random.below(20_000), seed: random.next())
    if random.oneIn(2) { bytes = Array(good.prefix(random.below(200))) + bytes }
    return StateMutation(text: "junk", bytes: bytes)
  }

  /// `user_version` at 60, and SQLite's own marks of a newer format at 18 and 19.
  private static func newer(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    var bytes = good
    switch random.below(3) {
    case 0: bytes[63] = bytes[63] &+ 1 &+ UInt8(random.below(200))
    case 1: bytes[60] = 0x7f
    default: (bytes[18], bytes[19]) = (2, 2)
    }
    return StateMutation(text: "a newer version", bytes: bytes)
  }

  private static func blockChanged(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    var bytes = good
    let start = random.below(bytes.count)
    let end = min(start + random.below(9000), bytes.count)
    let filling = random.oneIn(2) ? [UInt8](repeating: 0, count: end - start) : nil
    bytes.replaceSubrange(start..<end, with: filling ?? TestData.random(end - start, seed: random.next()))
    return StateMutation(text: "bytes \(start) to \(end) overwritten", bytes: bytes)
  }

  private static func swappedPages(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    var bytes = good
    let pages = good.count / 4096
    let (first, second) = (random.below(pages) * 4096, random.below(pages) * 4096)
    bytes.replaceSubrange(first..<first + 4096, with: good[second..<second + 4096])
    bytes.replaceSubrange(second..<second + 4096, with: good[first..<first + 4096])
    return StateMutation(text: "pages at \(first) and \(second) exchanged", bytes: bytes)
  }

  /// A rollback journal: SQLite's header, valid or not, then an older page or random bytes.
  private static func withJournal(
    _ good: [UInt8], _ old: [UInt8], _ random: inout SeededGenerator
  ) -> StateMutation {
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    var journal = TestData.random(random.below(9000), seed: random.next())
    if !random.oneIn(3) { journal = magic + journal }
    if random.oneIn(4) { journal = [UInt8](repeating: 0, count: 512) }
    return StateMutation(text: "a journal beside it", bytes: good, journal: journal, mayContradictFiles: true)
  }

  private static func headerChanged(_ good: [UInt8], _ random: inout SeededGenerator) -> StateMutation {
    var bytes = good
    bytes[random.below(100)] = UInt8(random.below(256))
    return StateMutation(text: "the header changed", bytes: bytes)
  }

  func write(to bench: Workbench) throws {
    let path = bench.folder.path(".syncmake/state.db")
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.removeItem(atPath: path + "-journal")
    if let bytes { try bench.folder.write(bytes, to: ".syncmake/state.db") }
    if let journal { try bench.folder.write(journal, to: ".syncmake/state.db-journal") }
    switch special {
    case nil, .missing: break
    case .folder: mkdir(path, 0o755)
    case .fullFolder:
      mkdir(path, 0o755)
      try bench.folder.write("something\n", to: ".syncmake/state.db/inside")
    case .journalFolder:
      try bench.folder.write(good, to: ".syncmake/state.db")
      mkdir(path + "-journal", 0o755)
      try bench.folder.write("something\n", to: ".syncmake/state.db-journal/inside")
    case .link: symlink(bench.folder.path("etag"), path)
    case .danglingLink: symlink("nowhere", path)
    case .fifo: mkfifo(path, 0o644)
    case .folderGone: try FileManager.default.removeItem(atPath: bench.statePath)
    }
  }
}
