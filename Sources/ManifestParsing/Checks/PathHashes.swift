/// Tells by hashes alone that no two of many paths conflict: 8 bytes for each path, and a few times as many for each folder.
///
/// Equal hashes of different paths are as good as impossible, and only cost a comparison of the paths themselves.
struct PathHashes {
  /// Outputs have the lowest bit, folders do not; the next bit is set in all, so that 0 is free as a mark.
  private var hashes: [UInt64] = []
  private var folders: Set<UInt64> = []
  /// Those that were met last, each at the place of its hash: outputs of one folder mostly are close together.
  private var recent = [UInt64](repeating: 0, count: 1 << 10)

  /// Makes room for so many paths, and an eighth as many folders; more can be added.
  init(capacity: Int) { hashes.reserveCapacity(capacity + capacity / 8) }

  /// Adds a normal path and the folders above it.
  mutating func add(_ path: UnsafeRawBufferPointer) {
    unsafe hashes.append(Self.hash(path) | 1)
    var rest = unsafe path
    while let slash = unsafe rest.lastIndex(of: UInt8(ascii: "/")) {
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[..<slash])
      let folder = unsafe Self.hash(rest) & ~1
      let place = Int(truncatingIfNeeded: folder >> 2) & (recent.count - 1)
      // Those above it were added with it.
      guard recent[place] != folder, folders.insert(folder).inserted else { break }
      recent[place] = folder
      hashes.append(folder)
    }
  }

  /// Whether two paths have one hash, or a path and a folder of another.
  var mayConflict: Bool {
    // One table of all would miss the processor's caches with each hash. A part of those that begin alike fits.
    let parts = Parts(hashes, of: 1 << 12)
    var table: [UInt64] = []
    return parts.ranges.contains { Self.mayConflict(parts.numbers[$0], &table) }
  }

  /// `table` is room that all parts use.
  private static func mayConflict(_ hashes: ArraySlice<UInt64>, _ table: inout [UInt64]) -> Bool {
    var size = 16
    while size < 2 * hashes.count { size *= 2 }
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(0, count: size))
    for hash in hashes {
      var place = Int(truncatingIfNeeded: hash >> 2) & (size - 1)
      while table[place] != 0, (table[place] ^ hash) >> 1 != 0 { place = (place + 1) & (size - 1) }
      // Two folders that are the same are none of an output.
      guard table[place] == 0 || (table[place] | hash) & 1 == 0 else { return true }
      table[place] = hash
    }
    return false
  }

  /// The hash has another seed in each process, so that nobody can choose paths with the same hash.
  private static func hash(_ path: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: path)
    return UInt64(bitPattern: Int64(hasher.finalize())) | 2
  }

  /// Numbers in parts by their upper bits.
  private struct Parts {
    let numbers: [UInt64]
    let ranges: [Range<Int>]

    /// Parts of about so many numbers, if their upper bits are spread evenly.
    init(_ numbers: [UInt64], of size: Int) {
      var bits = 0
      while numbers.count >> bits > size { bits += 1 }
      func part(_ number: UInt64) -> Int { Int(number >> UInt64(64 - bits)) }
      var places = [Int](repeating: 0, count: 1 << bits)
      for number in numbers { places[part(number)] += 1 }
      var end = 0
      ranges = places.map { count in
        defer { end += count }
        return end..<end + count
      }
      places = ranges.map(\.lowerBound)
      self.numbers = unsafe [UInt64](unsafeUninitializedCapacity: numbers.count) { buffer, count in
        for number in numbers {
          let part = part(number)
          unsafe (buffer.baseAddress! + places[part]).initialize(to: number)
          places[part] += 1
        }
        count = numbers.count
      }
    }
  }
}
