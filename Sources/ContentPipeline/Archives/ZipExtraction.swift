import Archives
import Planning
import SyncModel

/// One file of a zip.
final class ZipExtraction: KeptExtraction {
  /// More entries that repeat others would take time without need.
  static let mostDuplicates = 1_000

  private let store: ArchiveStore
  private let isCancelled: () -> Bool
  private let content: ZipContent
  let isExecutable: Bool?

  /// Checks all members, and finds the wanted one; `library` inflates.
  init(
    _ rules: UnpackRules, _ store: ArchiveStore, by library: UnpackingLibrary, _ requireRoom: RoomDemand,
    _ isCancelled: @escaping () -> Bool
  ) throws(FailureCause) {
    self.store = store
    self.isCancelled = isCancelled
    let tools = try ZipTools(library)
    let strip = try Self.strip(rules, store)
    var selection = EntrySelection(rules, strip: strip, .directory)
    let reader = try ZipReader(store)
    var wanted: ZipMember?
    var duplicates: [ZipMember] = []
    while let member = try reader.next() {
      if isCancelled() { throw .internalError("cancelled") }
      let entry = try Self.withTarget(member, store, tools)
      do throws(ArchiveFault) {
        switch try selection.take(entry) {
        case .other, .replacesWanted: break
        case .wanted: wanted = member
        case .duplicate: duplicates.append(member)
        }
      } catch {
        throw .archive(error)
      }
      if duplicates.count > Self.mostDuplicates { throw .archive(.ambiguous("many names are there twice")) }
    }
    try Self.compare(duplicates, store, by: library, isCancelled)
    do throws(ArchiveFault) { try selection.finish() } catch { throw .archive(error) }
    guard let wanted else { throw .internalError("an entry was not found again") }
    try requireRoom(wanted.entry.size)
    isExecutable = wanted.entry.isExecutable
    content = ZipContent(wanted, store, tools)
  }

  func read(into output: Block) throws(FailureCause) {
    if isCancelled() { throw .internalError("cancelled") }
    _ = try unsafe output.fill { room throws(FailureCause) in try unsafe content.read(into: room) }
  }

  /// How many leading folders are removed.
  static func strip(_ rules: UnpackRules, _ store: ArchiveStore) throws(FailureCause) -> Int {
    guard case .auto = rules.strip else {
      if case .count(let count) = rules.strip { return count }
      return 0
    }
    var top = TopFolder()
    let reader = try ZipReader(store)
    while let member = try reader.next() { top.take(member.entry) }
    return top.strip
  }

  // MARK: Symbolic links and names that are there twice

  /// The target of a symbolic link is the member's content.
  static func withTarget(
    _ member: ZipMember, _ store: ArchiveStore, _ tools: ZipTools
  ) throws(FailureCause) -> ArchiveEntry {
    guard case .symbolicLink = member.entry.kind else { return member.entry }
    var entry = member.entry
    let unreadable = ArchiveFault(
      .damaged("the target of a link cannot be read", at: member.dataOffset), entry)
    guard entry.size <= 4_095 else { throw .archive(unreadable) }
    do throws(FailureCause) {
      entry.kind = .symbolicLink(target: try ZipContent(member, store, tools).all())
    } catch {
      // Nothing is wrong with the archive if the disk cannot read it.
      guard case .archive = error else { throw error }
      throw .archive(unreadable)
    }
    return entry
  }

  /// Throws unless each of `duplicates` has the same bytes as the first member of its name.
  static func compare(
    _ duplicates: [ZipMember], _ store: ArchiveStore, by library: UnpackingLibrary,
    _ isCancelled: () -> Bool
  ) throws(FailureCause) {
    guard !duplicates.isEmpty else { return }
    let (tools, others) = (try ZipTools(library), try ZipTools(library))
    var firsts: [[UInt8]: ZipMember] = [:]
    let names = Set(duplicates.map { key($0) })
    let reader = try ZipReader(store)
    while let member = try reader.next() {
      let key = key(member)
      if names.contains(key), firsts[key] == nil { firsts[key] = member }
    }
    for duplicate in duplicates {
      guard let first = firsts[key(duplicate)], first.crc32 == duplicate.crc32,
        first.entry.size == duplicate.entry.size,
        try ZipContent(first, store, tools).isEqual(to: ZipContent(duplicate, store, others), isCancelled)
      else { throw .archive(.duplicateFile, entry: duplicate.entry.shownName) }
    }
  }

  /// `a//b` and `./a/b` are the same file.
  private static func key(_ member: ZipMember) -> [UInt8] {
    Array(EntryName(unchecked: member.entry.name).parts.joined(separator: [UInt8(ascii: "/")]))
  }
}
