/// What a list said when a snapshot was made.
package struct ListSum: Sendable, Equatable {
  /// A name for the list's URL, its format, and whether it was asked with headers or credentials.
  package var name: String
  /// The sum of all its pages, under the key of the manifest's sum.
  package var sum: ByteSum.Value

  /// `sum` must be of all pages.
  package init(name: String, sum: ByteSum.Value) {
    self.name = name
    self.sum = sum
  }
}
