import SyncModel

/// What is made of the entries of an archive, by path and in little memory for each.
struct MadeTree: Sendable {
  /// The entries. Those that stay in the live folder have the signature that they have there, and all others are staged;
  /// so are empty folders, which are there once the tree is complete.
  private(set) var entries = TreeEntries()
  /// The archive's mode and time by entry, for hard links; dropped once the tree is complete.
  private var properties: [(mode: UInt16, modified: Timestamp?)] = []
  /// Entries that another one of their path is to replace.
  private var dropped: Set<Int> = []
  private var places = PlaceTable()

  /// Of no entries yet.
  init() {}

  /// What would be made of sorted `entries`, whose own signatures do not count; `live` gives the signature of those that stay
  /// in the live folder, by their places.
  init(of entries: TreeEntries, live: (Int) -> FileSignature?) {
    self.entries = entries
    for place in entries.indices {
      self.entries.set(entries.isFolder(at: place) ? nil : live(place), at: place)
    }
    note()
  }

  /// The number of files and links.
  var count: Int { places.count - dropped.count }

  /// The place of the file or link with that path; `nil` if there is none.
  func place(of path: [UInt8]) -> Int? {
    unsafe path.withUnsafeBytes { unsafe places.place(of: $0, in: entries) }
      .flatMap { dropped.contains($0) ? nil : $0 }
  }

  /// The file or link with that path; `nil` if there is none.
  subscript(path: [UInt8]) -> StagedTree.Made? { place(of: path).map { self[$0] } }

  /// The file or link at that place.
  subscript(place: Int) -> StagedTree.Made {
    let (mode, modified) = properties.isEmpty ? (0, nil) : properties[place]
    return StagedTree.Made(
      kind: entries.kind(at: place), size: entries.size(at: place), mode: mode, modified: modified,
      source: live(place).map { .live($0) } ?? .staged)
  }

  /// The signature that the file or link at that place has in the live folder; `nil` if it is staged.
  func live(_ place: Int) -> FileSignature? { entries.signature(at: place) }

  /// Whether the bytes of the file or link at that place are in the staged folder.
  func isStaged(_ place: Int) -> Bool { live(place) == nil && !entries.isFolder(at: place) }

  /// The same by path; `nil` if there is none.
  func isStaged(_ path: [UInt8]) -> Bool? { place(of: path).map { isStaged($0) } }

  /// The places of the files and links.
  var files: some Sequence<Int> { entries.indices.lazy.filter { !entries.isFolder(at: $0) } }

  // MARK: Changes

  /// Adds a file or link; ``drop(_:)`` has made room for it.
  mutating func add(_ path: [UInt8], _ made: StagedTree.Made) {
    var live: FileSignature?
    if case .live(let signature) = made.source { live = signature }
    if let place = unsafe path.withUnsafeBytes({ unsafe places.place(of: $0, in: entries) }) {
      entries.replace(place, made.kind, size: made.size, live)
      properties[place] = (made.mode, made.modified)
      dropped.remove(place)
    } else {
      entries.append(TreeListing.Entry(path: path, kind: made.kind, size: made.size, signature: live))
      properties.append((made.mode, made.modified))
      places.add(entries.count - 1, in: entries)
    }
  }

  /// Drops the file or link of that path, if there is one; returns it.
  mutating func drop(_ path: [UInt8]) -> StagedTree.Made? {
    guard let place = place(of: path) else { return nil }
    dropped.insert(place)
    return self[place]
  }

  /// Gives what stays in the live folder another signature.
  mutating func set(live signature: FileSignature, at place: Int) { entries.set(signature, at: place) }

  /// There are no more entries but these empty folders. From now on the entries are in the order of their paths.
  mutating func complete(with emptyFolders: some Sequence<[UInt8]>) {
    properties = []
    for folder in emptyFolders { entries.append(TreeListing.Entry(path: folder, kind: .folder)) }
    entries = entries.sorted(without: dropped)
    dropped = []
    note()
  }

  private mutating func note() {
    places = PlaceTable(reserving: entries.count)
    for place in files { places.add(place, in: entries) }
  }
}

/// Finds entries by their paths: a hash table of their places.
private struct PlaceTable: Sendable {
  /// Places from 1; 0 where there is none. Their number is a power of two.
  private var slots: [UInt32]
  private(set) var count = 0

  /// With room for so many.
  init(reserving count: Int = 0) {
    var size = 16
    while size * 2 < count * 3 { size *= 2 }
    slots = Array(repeating: 0, count: size)
  }

  /// The place of the entry with that path; `nil` if there is none.
  func place(of path: UnsafeRawBufferPointer, in entries: TreeEntries) -> Int? {
    let slot = unsafe slot(of: path, in: entries)
    return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
  }

  /// Adds the entry at `place`, whose path none has yet.
  mutating func add(_ place: Int, in entries: TreeEntries) {
    // A third of the slots is free, so that few are looked at.
    if slots.count * 2 < (count + 1) * 3 {
      let places = slots.filter { $0 != 0 }
      slots = Array(repeating: 0, count: slots.count * 2)
      for place in places { put(place, in: entries) }
    }
    put(UInt32(place + 1), in: entries)
    count += 1
  }

  private mutating func put(_ place: UInt32, in entries: TreeEntries) {
    let slot = unsafe entries.withPath(at: Int(place) - 1) { path in unsafe self.slot(of: path, in: entries) }
    slots[slot] = place
  }

  /// The slot of the entry with that path, or the free one where it belongs.
  private func slot(of path: UnsafeRawBufferPointer, in entries: TreeEntries) -> Int {
    // With a seed of this process: nobody can make an archive whose paths are all in one slot.
    var hasher = Hasher()
    unsafe hasher.combine(bytes: path)
    var slot = hasher.finalize() & (slots.count - 1)
    while slots[slot] != 0, unsafe !entries.hasPath(path, at: Int(slots[slot]) - 1) {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }
}
