/// The URLs that the same bytes can be had from, tried in order: one at least.
///
/// Nearly every target has one, which needs no list of its own.
package struct Mirrors: Sendable, Equatable, RandomAccessCollection, ExpressibleByArrayLiteral {
  private var main: SourceURL
  private var others: [SourceURL]

  /// `main` is tried first.
  package init(_ main: SourceURL, others: [SourceURL] = []) {
    self.main = main
    self.others = others
  }

  /// A literal must not be empty.
  package init(arrayLiteral elements: SourceURL...) {
    self.init(elements[0], others: Array(elements.dropFirst()))
  }

  /// The place of the first one.
  package var startIndex: Int { 0 }

  /// How many there are.
  package var endIndex: Int { 1 + others.count }

  /// The one that is tried after `index` others.
  package subscript(index: Int) -> SourceURL { index == 0 ? main : others[index - 1] }
}
