/// An array that gives back its memory from the front, piece by piece: one array goes back as a whole.
///
/// What is made of a million elements needs no room besides them, if each piece is dropped once its elements are used.
struct PiecewiseArray<Element>: MutableCollection, RandomAccessCollection, ExpressibleByArrayLiteral {
  /// A power of two, so that a place is found by a shift and a mask.
  private static var pieceSize: Int { 1 << pieceBits }
  private static var pieceBits: Int { 12 }

  /// Each has ``pieceSize`` elements but for the last one, and those that were dropped.
  private var pieces: [[Element]] = []
  private(set) var count = 0

  init() {}

  init(arrayLiteral elements: Element...) {
    for element in elements { append(element) }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Element {
    // Lent, not handed out: for one field of a large element, all of it would be copied.
    _read { yield pieces[index >> Self.pieceBits][index & (Self.pieceSize - 1)] }
    _modify { yield &pieces[index >> Self.pieceBits][index & (Self.pieceSize - 1)] }
  }

  mutating func append(_ element: consuming Element) {
    if count & (Self.pieceSize - 1) == 0 { appendPiece() }
    pieces[pieces.count - 1].append(consume element)
    count += 1
  }

  /// Only the first piece may stay small.
  private mutating func appendPiece() {
    var piece: [Element] = []
    if count > 0 { piece.reserveCapacity(Self.pieceSize) }
    pieces.append(piece)
  }

  /// Drops the elements of the piece that ends before `index`, if one does. They must not be used again.
  mutating func dropPiece(before index: Int) {
    guard index > 0, index & (Self.pieceSize - 1) == 0 else { return }
    pieces[index >> Self.pieceBits - 1] = []
  }
}
