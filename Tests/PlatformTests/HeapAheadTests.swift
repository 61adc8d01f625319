import Platform
import Testing

@Suite struct HeapAheadTests {
  @Test(arguments: [0, 1, 64 << 10, 3 << 20, 64 << 20, Int.max >> 6])
  func `reserved memory can be used, freed and used again`(size: Int) {
    HeapAhead.expect(manifestOf: size)
    for round in 0..<3 {
      var pieces: [[UInt8]] = []
      for length in stride(from: 1, to: 3 << 20, by: 77_777) {
        pieces.append([UInt8](repeating: UInt8(truncatingIfNeeded: length &+ round), count: length))
      }
      for piece in pieces {
        // One byte of each page.
        for place in stride(from: 0, to: piece.count, by: 4096) {
          #expect(piece[place] == UInt8(truncatingIfNeeded: piece.count &+ round))
        }
      }
    }
  }
}
