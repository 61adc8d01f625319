import SyncModel

/// What libarchive would allocate for a 7z: it allocates whatever the archive's directory says.
///
/// The directory is read as libarchive reads it; what libarchive would read in another way is refused. The format is described in 7zFormat.txt of the LZMA SDK.
struct SevenZipDirectory {
  /// In bytes, for the directory after decompression: a million entries with 268 bytes each.
  static let longest: Int64 = 256 << 20
  /// Entries, and parts that are compressed on their own. libarchive allocates some hundred bytes for each.
  private static let mostEntries: UInt64 = 4 << 20
  /// A part has at most four packed streams.
  private static let mostPacked: UInt64 = 4 * mostEntries
  /// Of one decoder; none has more than four.
  private static let mostStreams: UInt64 = 32
  /// In bytes. libarchive keeps a link's target in memory; later versions than 3.6 have this limit.
  private static let longestTarget: UInt64 = 1 << 20

  /// A part that is compressed on its own.
  private struct Folder {
    var outputs: UInt8 = 0
    var packed: UInt8 = 0
    var isBCJ2 = false
    var hasSum = false
    /// Which output is that of the last decoder, and its size in bytes.
    var last: UInt8?
    var size: UInt64 = 0
    var entries: UInt32 = 1
  }

  private let bytes: SevenZipBytes
  private var packedSizes: [UInt64] = []
  private var folders: [Folder] = []
  /// Of each entry with content, whether that is longer than a link's target may be.
  private var areLong: [Bool] = []
  /// Of all parts, the largest dictionary, in bytes.
  private var dictionary: UInt64 = 0
  /// The largest size of a decoder's output, in bytes.
  private(set) var largestOutput: UInt64 = 0

  /// The sum of the entries' sizes, in bytes.
  var totalOutput: UInt64 { folders.reduce(0) { $0.addingSaturated($1.size) } }

  /// Reads from `bytes`, which begin with the directory.
  init(_ bytes: SevenZipBytes) { self.bytes = bytes }

  /// Throws `archive` if libarchive would need too much memory for the directory or for an entry.
  mutating func check() throws(FailureCause) {
    try demand(0x01)
    var kind = try bytes.byte()
    if kind == 0x04 {
      kind = try streams()
      if kind == 0x08 {
        try entries()
        kind = try bytes.byte()
      }
      guard kind == 0x00 else { throw bytes.damaged }
      kind = try bytes.byte()
    }
    if kind == 0x00 { return }
    guard kind == 0x05 else { throw bytes.damaged }
    try files()
  }

  /// Reads the description of a packed directory behind its mark, up to where other things may follow; returns the
  /// mark of these.
  mutating func packedDirectory() throws(FailureCause) -> UInt8 {
    let next = try streams()
    guard folders.count == 1, !packedSizes.isEmpty else { throw bytes.damaged }
    return next
  }

  private func demand(_ mark: UInt8) throws(FailureCause) {
    guard try bytes.byte() == mark else { throw bytes.damaged }
  }

  /// Returns the mark behind the packed streams and their decoders.
  private mutating func streams() throws(FailureCause) -> UInt8 {
    var kind = try bytes.byte()
    if kind == 0x06 {
      try packed()
      kind = try bytes.byte()
    }
    if kind == 0x07 {
      try decoders()
      kind = try bytes.byte()
    }
    return kind
  }

  private mutating func packed() throws(FailureCause) {
    // Where they are.
    _ = try bytes.number()
    let count = try bytes.number(upTo: Self.mostPacked)
    try demand(0x09)
    for _ in 0..<count { packedSizes.append(try bytes.number()) }
    var kind = try bytes.byte()
    if kind == 0x0a {
      try skipSums(try defined(Int(count)))
      kind = try bytes.byte()
    }
    guard kind == 0x00 else { throw bytes.damaged }
  }

  private mutating func decoders() throws(FailureCause) {
    try demand(0x0b)
    let count = try bytes.number(upTo: Self.mostEntries)
    // Nothing is elsewhere.
    try demand(0x00)
    for _ in 0..<count { folders.append(try folder()) }
    try demand(0x0c)
    var first = 0
    for index in folders.indices {
      try outputs(of: index, packed: first)
      first += Int(folders[index].packed)
    }
    var kind = try bytes.byte()
    if kind == 0x0a {
      let defined = try defined(folders.count)
      for index in folders.indices { folders[index].hasSum = defined[index] }
      try skipSums(defined)
      kind = try bytes.byte()
    }
    guard kind == 0x00 else { throw bytes.damaged }
  }

  private mutating func folder() throws(FailureCause) -> Folder {
    var folder = Folder()
    var (inputs, outputs): (UInt64, UInt64) = (0, 0)
    for _ in 0..<(try bytes.number(upTo: 4)) {
      let flags = try bytes.byte()
      guard flags & 0xc0 == 0, flags & 0x0f <= 8 else { throw bytes.damaged }
      var method: UInt64 = 0
      for _ in 0..<flags & 0x0f { method = method << 8 | UInt64(try bytes.byte()) }
      inputs += flags & 0x10 == 0 ? 1 : try bytes.number(upTo: Self.mostStreams)
      outputs += flags & 0x10 == 0 ? 1 : try bytes.number(upTo: Self.mostStreams)
      let properties = flags & 0x20 == 0 ? [] : try properties()
      dictionary = max(dictionary, Self.memory(of: method, properties))
      try require(dictionary)
      folder.isBCJ2 = folder.isBCJ2 || method == 0x0303_011b
    }
    guard outputs > 0, inputs >= outputs - 1 else { throw bytes.damaged }
    var bound: Set<UInt64> = []
    for _ in 0..<outputs - 1 {
      _ = try bytes.number()
      bound.insert(try bytes.number())
    }
    folder.last = (0..<outputs).last { !bound.contains($0) }.map { UInt8($0) }
    let packed = inputs - (outputs - 1)
    if packed != 1 { for _ in 0..<packed { _ = try bytes.number() } }
    (folder.outputs, folder.packed) = (UInt8(clamping: outputs), UInt8(clamping: packed))
    return folder
  }

  private func properties() throws(FailureCause) -> [UInt8] {
    var properties: [UInt8] = []
    // libarchive keeps them all; no decoder has more than a few bytes.
    for _ in 0..<(try bytes.number(upTo: 1 << 10)) { properties.append(try bytes.byte()) }
    return properties
  }

  /// What a decoder keeps of the earlier output, in bytes.
  private static func memory(of method: UInt64, _ properties: [UInt8]) -> UInt64 {
    switch method {
    // LZMA and PPMd
    case 0x03_0101, 0x03_0401:
      guard properties.count >= 5 else { return 0 }
      return properties[1...4].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    // LZMA2
    case 0x21:
      guard let bits = properties.first.map({ UInt64($0 & 0x3f) }) else { return 0 }
      return bits >= 40 ? 4 << 30 : (2 | bits & 1) << (bits / 2 + 11)
    // Delta, BCJ, Deflate and bzip2 need little.
    default: return 0
    }
  }

  private func require(_ memory: UInt64) throws(FailureCause) {
    guard memory > UInt64(Compression.largestDictionary) else { return }
    let limit = Compression.largestDictionary >> 20
    throw bytes.damaged("it needs \(memory >> 20) MiB of memory, but \(limit) MiB are allowed")
  }

  /// Reads the sizes of a part's outputs; `packed` is the index of its first packed stream.
  private mutating func outputs(of index: Int, packed first: Int) throws(FailureCause) {
    let folder = folders[index]
    var sizes: [UInt64] = []
    for _ in 0..<folder.outputs { sizes.append(try bytes.number(upTo: 1 << 62)) }
    largestOutput = max(largestOutput, sizes.max() ?? 0)
    if let last = folder.last { folders[index].size = sizes[Int(last)] }
    guard folder.isBCJ2 else { return }
    // Of a BCJ2's four inputs libarchive keeps three in memory, compressed by themselves or not.
    let inner = sizes.sorted().dropLast(2)
    let outer = packedSizes.dropFirst(first).prefix(Int(folder.packed)).dropFirst()
    var needed = dictionary
    for size in inner + outer {
      needed = needed.addingReportingOverflow(size).overflow ? .max : needed + size
    }
    try require(needed)
  }

  /// The entries in each part.
  private mutating func entries() throws(FailureCause) {
    var kind = try bytes.byte()
    if kind == 0x0d {
      var total: UInt64 = 0
      for index in folders.indices {
        let count = try bytes.number(upTo: Self.mostEntries)
        total += count
        guard total <= Self.mostEntries else { throw bytes.damaged }
        folders[index].entries = UInt32(count)
      }
      kind = try bytes.byte()
    }
    for folder in folders where folder.entries > 0 {
      var rest = folder.size
      if folder.entries > 1 {
        guard kind == 0x09 else { throw bytes.damaged }
        for _ in 1..<folder.entries {
          let size = try bytes.number()
          areLong.append(size > Self.longestTarget)
          rest &-= size
        }
      }
      areLong.append(rest > Self.longestTarget)
    }
    if kind == 0x09 { kind = try bytes.byte() }
    if kind == 0x0a {
      let count = folders.reduce(0) { $0 + ($1.entries == 1 && $1.hasSum ? 0 : Int($1.entries)) }
      try skipSums(try defined(count))
      kind = try bytes.byte()
    }
    guard kind == 0x00 else { throw bytes.damaged }
  }

  /// Which of `count` things have a sum.
  private func defined(_ count: Int) throws(FailureCause) -> [Bool] {
    if try bytes.byte() != 0 { return [Bool](repeating: true, count: count) }
    return try bits(count)
  }

  private func bits(_ count: Int) throws(FailureCause) -> [Bool] {
    var found: [Bool] = []
    var eight: UInt8 = 0
    for index in 0..<count {
      if index % 8 == 0 { eight = try bytes.byte() }
      found.append(eight & 0x80 >> UInt8(index % 8) != 0)
    }
    return found
  }

  private func skipSums(_ defined: [Bool]) throws(FailureCause) {
    for isDefined in defined where isDefined { try bytes.skip(4) }
  }

  // MARK: Files

  private func files() throws(FailureCause) {
    let count = Int(try bytes.number(upTo: Self.mostEntries))
    var areEmpty = [Bool](repeating: false, count: count)
    var areLinks: [Bool] = []
    while true {
      let kind = try bytes.byte()
      if kind == 0 { break }
      let size = try bytes.number(upTo: UInt64(Self.longest))
      let start = bytes.place
      switch kind {
      case 0x0e: areEmpty = try bits(count)
      // Which empty entries are files, and which are marks of deletion.
      case 0x0f, 0x10:
        let count = areEmpty.count { $0 }
        if count == 0 { try bytes.skip(Int64(size)) } else { _ = try bits(count) }
      // Times
      case 0x12, 0x13, 0x14:
        let defined = try defined(count)
        try demand(0x00)
        try bytes.skip(8 * Int64(defined.count { $0 }))
      case 0x15: areLinks = try links(count)
      // Names, and what libarchive ignores.
      default: try bytes.skip(Int64(size))
      }
      guard bytes.place - start == Int64(size) else { throw bytes.damaged }
    }
    try checkTargets(areEmpty, areLinks)
  }

  /// Whether the attributes make an entry a symbolic link.
  private func links(_ count: Int) throws(FailureCause) -> [Bool] {
    let areAll = try bytes.byte() != 0
    try demand(0x00)
    var found: [Bool] = []
    for hasAttributes in areAll ? [Bool](repeating: true, count: count) : try bits(count) {
      guard hasAttributes else {
        found.append(false)
        continue
      }
      try bytes.skip(3)
      found.append(try bytes.byte() >> 4 == 0xa)
    }
    return found
  }

  private func checkTargets(_ areEmpty: [Bool], _ areLinks: [Bool]) throws(FailureCause) {
    var stream = 0
    for (isEmpty, isLink) in zip(areEmpty, areLinks) where !isEmpty {
      if isLink, stream < areLong.count, areLong[stream] {
        throw bytes.damaged("the target of a symbolic link is longer than \(Self.longestTarget >> 20) MiB")
      }
      stream += 1
    }
  }
}
