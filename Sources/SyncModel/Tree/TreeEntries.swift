/// The entries of a folder in columns: some 130 bytes for each, and no memory of its own for any of them.
///
/// A folder may have a million entries, and all are known until it is published. A value of ``TreeListing/Entry`` is made
/// where one is asked for.
package struct TreeEntries: RandomAccessCollection, Sendable {
  package typealias Entry = TreeListing.Entry

  private enum Mark: UInt8 { case file, executable, link, folder }

  /// All paths, one after the other.
  private var names: [UInt8] = []
  /// Where each path ends.
  private var ends: [Int] = []
  private var marks: [Mark] = []
  private var sizes: [Int64] = []
  /// Of links and folders it is zero.
  private var digests: [CompactDigest] = []
  /// Of the links.
  private var targets: [Int: [UInt8]] = [:]
  /// As long as no entry has one, there are none.
  private var signatures: [FileSignature?] = []

  /// No entries.
  package init() {}

  /// Those of `entries`, in their order.
  package init(_ entries: some Sequence<Entry>) { for entry in entries { append(entry) } }

  /// Makes room for so many more entries, and for so many bytes of their paths.
  package mutating func reserve(_ count: Int, pathBytes: Int) {
    names.reserveCapacity(names.count + pathBytes)
    ends.reserveCapacity(ends.count + count)
    marks.reserveCapacity(marks.count + count)
    sizes.reserveCapacity(sizes.count + count)
    digests.reserveCapacity(digests.count + count)
  }

  /// Adds an entry behind all others.
  package mutating func append(_ entry: Entry) {
    unsafe entry.path.withUnsafeBytes { path in
      unsafe append(path, entry.kind, size: entry.size, entry.signature)
    }
  }

  /// The same with a path in the memory of something else.
  package mutating func append(
    _ path: UnsafeRawBufferPointer, _ kind: Entry.Kind, size: Int64, _ signature: FileSignature?
  ) {
    unsafe names.append(contentsOf: path)
    ends.append(names.count)
    marks.append(.folder)
    sizes.append(size)
    digests.append(.zero)
    if !signatures.isEmpty { signatures.append(nil) }
    replace(count - 1, kind, size: size, signature)
  }

  // MARK: The entries

  package var startIndex: Int { 0 }
  package var endIndex: Int { ends.count }

  package subscript(place: Int) -> Entry {
    Entry(path: path(at: place), kind: kind(at: place), size: sizes[place], signature: signature(at: place))
  }

  /// See ``TreeListing/Entry/path``.
  package func path(at place: Int) -> [UInt8] { Array(names[range(at: place)]) }

  /// The paths in the order of the entries.
  package var paths: some Sequence<[UInt8]> { indices.lazy.map { path(at: $0) } }

  /// The number of bytes of all paths.
  package var pathBytes: Int { names.count }

  /// Calls `body` with the bytes of a path.
  package func withPath<Value>(at place: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    let range = range(at: place)
    return unsafe names.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// Whether the entry has that path.
  package func hasPath(_ path: UnsafeRawBufferPointer, at place: Int) -> Bool {
    unsafe withPath(at: place) { unsafe $0.count == path.count && Self.compare($0, path) == 0 }
  }

  private func range(at place: Int) -> Range<Int> { (place == 0 ? 0 : ends[place - 1])..<ends[place] }

  /// See ``TreeListing/Entry/kind``.
  package func kind(at place: Int) -> Entry.Kind {
    switch marks[place] {
    case .file: .file(sha256: digests[place], isExecutable: false)
    case .executable: .file(sha256: digests[place], isExecutable: true)
    case .link: .link(target: targets[place] ?? [])
    case .folder: .folder
    }
  }

  /// See ``TreeListing/Entry/size``.
  package func size(at place: Int) -> Int64 { sizes[place] }

  /// Whether the entry is an empty folder.
  package func isFolder(at place: Int) -> Bool { marks[place] == .folder }

  /// See ``TreeListing/Entry/signature``.
  package func signature(at place: Int) -> FileSignature? { signatures.isEmpty ? nil : signatures[place] }

  /// The number of files and links.
  package var fileCount: Int { marks.count { $0 != .folder } }

  /// The sum of the files' sizes, in bytes; the largest number if it is more.
  package var size: Int64 {
    sizes.reduce(0) { sum, size in
      let (total, isTooMuch) = sum.addingReportingOverflow(size)
      return isTooMuch ? .max : total
    }
  }

  // MARK: Changes

  /// Gives an entry another signature; `nil` takes it away.
  package mutating func set(_ signature: FileSignature?, at place: Int) {
    if signatures.isEmpty {
      guard signature != nil else { return }
      signatures = Array(repeating: nil, count: count)
    }
    signatures[place] = signature
  }

  /// Puts another file, link or folder in the place of an entry, at the same path.
  package mutating func replace(
    _ place: Int, _ kind: Entry.Kind, size: Int64, _ signature: FileSignature?
  ) {
    if marks[place] == .link { targets[place] = nil }
    (sizes[place], digests[place]) = (size, .zero)
    switch kind {
    case .file(let sha256, let isExecutable):
      marks[place] = isExecutable ? .executable : .file
      digests[place] = sha256
    case .link(let target):
      marks[place] = .link
      targets[place] = target
    case .folder: marks[place] = .folder
    }
    set(signature, at: place)
  }

  /// The same entries without signatures.
  package var withoutSignatures: Self {
    var entries = self
    entries.signatures = []
    return entries
  }

  // MARK: Their order

  /// The same entries in the order of their paths' bytes, without those at `dropped` places.
  package func sorted(without dropped: Set<Int> = []) -> Self {
    if dropped.isEmpty, isSorted { return self }
    let order = indices.filter { !dropped.contains($0) }.sorted { isPath(at: $0, before: $1) }
    var entries = Self()
    entries.reserve(order.count, pathBytes: names.count)
    for place in order {
      unsafe withPath(at: place) { path in
        unsafe entries.append(path, kind(at: place), size: sizes[place], signature(at: place))
      }
    }
    return entries
  }

  private var isSorted: Bool {
    indices.dropFirst().allSatisfy { !isPath(at: $0, before: $0 - 1) }
  }

  private func isPath(at place: Int, before other: Int) -> Bool {
    unsafe withPath(at: place) { path in unsafe withPath(at: other) { unsafe Self.compare(path, $0) < 0 } }
  }

  /// The place of the entry with that path, if the entries are sorted; `nil` if there is none.
  package func place(of path: UnsafeRawBufferPointer) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let order = unsafe withPath(at: middle) { unsafe Self.compare($0, path) }
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Below zero if `a` comes before `b` by its bytes, zero if both are equal.
  private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = Swift.min(a.count, b.count)
    var offset = 0
    while offset + 8 <= shared {
      let one = unsafe UInt64(bigEndian: a.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let other = unsafe UInt64(bigEndian: b.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if one != other { return one < other ? -1 : 1 }
      offset += 8
    }
    while offset < shared {
      let (one, other) = unsafe (a[offset], b[offset])
      if one != other { return one < other ? -1 : 1 }
      offset += 1
    }
    return a.count - b.count
  }
}

extension TreeEntries: Equatable {
  /// Whether both have equal entries in one order.
  package static func == (a: Self, b: Self) -> Bool {
    a.names == b.names && a.ends == b.ends && a.marks == b.marks && a.sizes == b.sizes
      && a.digests == b.digests && a.targets == b.targets
      && (a.signatures == b.signatures || a.indices.allSatisfy { a.signature(at: $0) == b.signature(at: $0) })
  }
}
