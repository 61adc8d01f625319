/// A manifest's text in parts, with sums of their content, so that after an edit only the changed part is read
/// (docs/decisions/0012).
package struct ManifestOutline: Sendable, Equatable {
  /// Some lines of the manifest.
  package struct Part: Sendable, Equatable {
    /// In bytes.
    package var length: UInt32
    /// The sum of its bytes.
    package var sum: UInt64
    /// The sum of the content: the same for the same keys and values, whatever comments and blanks are between them.
    package var meaning: UInt64
    /// The sum of the target's key; 0 for other parts, and if the key alone does not determine the name.
    package var name: UInt64

    /// `length` is in bytes; `name` is 0 if the key alone does not determine the target's name.
    package init(length: UInt32, sum: UInt64, meaning: UInt64, name: UInt64) {
      self.length = length
      self.sum = sum
      self.meaning = meaning
      self.name = name
    }
  }

  /// The part before the first target; then the entries of `targets`, each from its key's line on; then, with
  /// ``hasTail``, everything from the first key after `targets` on.
  package var parts: [Part]
  /// Whether there is a key after `targets`; then the last part is not one of its entries.
  package var hasTail: Bool
  /// The column of the manifest's own keys, from 0.
  package var margin: Int
  /// The column of the targets' keys: the number of spaces before each of them; 0 if there is none.
  package var indent: Int

  /// How many entries `targets` has.
  package var entryCount: Int { parts.count - (hasTail ? 2 : 1) }

  /// An upper bound of the bytes that variables add to the manifest's values.
  package var expandedSize = 0

  /// The parts must cover the whole text in its order; see the fields for the rest.
  package init(parts: [Part], hasTail: Bool, margin: Int, indent: Int) {
    self.parts = parts
    self.hasTail = hasTail
    self.margin = margin
    self.indent = indent
  }
}
