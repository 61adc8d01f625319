/// Mutated copies of seeds, the same for the same number: the first steps of a fuzzer.
struct Mutations {
  private let seeds: [[UInt8]]
  private var state: UInt64

  /// Bytes that parsers look for.
  private static let telling =
    Array("\n\r\t \"'#%&*+,-./0189:;<=>?@[\\]_`{|}~\0".utf8) + [0x7F, 0x80, 0xC2, 0xFF]

  /// `seeds` must not be empty.
  init(of seeds: [[UInt8]], seed: UInt64) {
    self.seeds = seeds
    state = seed
  }

  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0...below(4) { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let place = below(bytes.count + 1)
    let length = min(bytes.count - place, 1 + below(8))
    switch below(6) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
    case 1 where place < bytes.count: bytes[place] = UInt8(below(256))
    case 2: bytes.removeSubrange(place..<(place + length))
    case 3: bytes.insert(contentsOf: bytes[place..<(place + length)], at: place)
    case 4:
      let other = seeds[below(seeds.count)]
      let start = below(other.count + 1)
      bytes.replaceSubrange(
        place..<(place + length), with: other[start..<min(other.count, start + below(32))])
    default: bytes.insert(Self.telling[below(Self.telling.count)], at: place)
    }
  }

  /// 0 or more and less than `limit`: SplitMix64, by its author's constants.
  private mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (z ^ (z >> 31)) >> 1) % limit
  }
}
