import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Deflated data without a header, by each library.
@Suite struct RawInflaterTests {
  /// What is inflated, and why that ended; `unused` is the number of input bytes behind the end.
  private struct Answer: Equatable {
    var bytes: [UInt8] = []
    var ends = false
    var unused = 0
  }

  private static let texts = [
    [], Array("a".utf8), Array(repeating: UInt8(7), count: 100_000), TestData.random(70_000, seed: 3),
    Array(String(repeating: "many words, ", count: 9000).utf8),
  ]

  /// The deflated data of a gzip file without a name, and the CRC-32 in its trailer.
  private static func deflated(_ text: [UInt8]) throws -> (data: [UInt8], sum: UInt32) {
    let whole = try TestData.gzip(text)
    let sum = whole.suffix(8).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return (Array(whole.dropFirst(10).dropLast(8)), sum)
  }

  private static func inflate(
    _ data: [UInt8], by inflater: RawInflater, piece: Int, room: Int
  ) throws -> Answer {
    var (answer, place, used, waits) = (Answer(), 0, 0, 0)
    var output = [UInt8](repeating: 0, count: room)
    while true {
      let end = min(data.count, place + piece)
      let step = data.withUnsafeBytes { data in
        output.withUnsafeMutableBytes {
          inflater.step(UnsafeRawBufferPointer(rebasing: data[place..<end]), into: $0)
        }
      }
      answer.bytes += output[..<step.made]
      used += step.used
      switch step.status {
      case .ended:
        answer.ends = true
        answer.unused = data.count - used
        return answer
      case .damaged: return answer
      case .more:
        place += step.used
        waits = step.used == 0 && step.made == 0 ? waits + 1 : 0
        // The data have no end.
        if waits > 1 { return answer }
      }
    }
  }

  @Test(arguments: UnpackingLibrary.allCases) func `the data end where they end`(library: UnpackingLibrary)
    throws
  {
    let inflater = try RawInflater(library)
    for text in Self.texts {
      let (data, sum) = try Self.deflated(text)
      for (piece, room) in [(1, 1000), (7, 3), (4096, 70_000), (1 << 20, 200_000)]
      where text.count < 200 * room {
        for behind in [0, 1, 20] {
          inflater.restart()
          let answer = try Self.inflate(
            data + [UInt8](repeating: 0x55, count: behind), by: inflater, piece: piece, room: room)
          #expect(
            answer == Answer(bytes: text, ends: true, unused: behind), "\(text.count) in \(piece), \(room)")
          #expect(inflater.crc32 == sum)
        }
      }
    }
  }

  @Test(arguments: UnpackingLibrary.allCases) func `data that are cut have no end`(library: UnpackingLibrary)
    throws
  {
    let (data, _) = try Self.deflated(Self.texts[4])
    let inflater = try RawInflater(library)
    for size in 0..<data.count {
      inflater.restart()
      #expect(try !Self.inflate(Array(data[..<size]), by: inflater, piece: 1000, room: 5000).ends, "\(size)")
    }
  }

  @Test func `damaged data are either refused by both libraries, or the same for both`() throws {
    let (data, _) = try Self.deflated(Self.texts[4])
    let (one, other) = (try RawInflater(.fastest), try RawInflater(.zlib))
    for bit in 0..<(8 * min(data.count, 300)) {
      var damaged = data
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      one.restart()
      other.restart()
      let first = try Self.inflate(damaged, by: one, piece: 1 << 20, room: 50_000)
      let second = try Self.inflate(damaged, by: other, piece: 1 << 20, room: 50_000)
      #expect(first.ends == second.ends, "bit \(bit)")
      guard first.ends else { continue }
      #expect(first == second, "bit \(bit)")
      #expect(one.crc32 == other.crc32, "bit \(bit)")
    }
  }
}
