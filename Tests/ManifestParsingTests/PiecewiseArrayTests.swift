import Testing

@testable import ManifestParsing

@Suite("Piecewise arrays")
struct PiecewiseArrayTests {
  @Test("elements of several pieces are read, changed and dropped from the front")
  func pieces() {
    var array: PiecewiseArray<String> = ["first"]
    for number in 1..<10_000 { array.append("\(number)") }
    #expect(array.count == 10_000)
    #expect(array[0] == "first" && array[4095] == "4095" && array[4096] == "4096" && array[9999] == "9999")
    array[4096] = "changed"
    #expect(array.elementsEqual(["first"] + (1..<10_000).map { $0 == 4096 ? "changed" : "\($0)" }))
    for index in array.indices { array.dropPiece(before: index) }
    #expect(array[8192] == "8192" && array[9999] == "9999")
  }

  @Test("an element is taken out in place, and a dropped piece is freed")
  func inPlace() {
    final class Counted {
      static nonisolated(unsafe) var released = 0
      deinit { Self.released += 1 }
    }
    var array = PiecewiseArray<Counted?>()
    for _ in 0..<5000 { array.append(Counted()) }
    #expect(array[0].take() != nil && array[0] == nil)
    array.dropPiece(before: 4095)
    #expect(Counted.released == 1)
    array.dropPiece(before: 4096)
    #expect(Counted.released == 4096)
    #expect(array[4999] != nil)
  }
}
