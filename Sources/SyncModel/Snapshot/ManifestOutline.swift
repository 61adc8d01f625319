/// A manifest's text in parts, with what each of them says, so that after an edit only what was touched is read
/// (docs/decisions/0012).
package struct ManifestOutline: Sendable, Equatable {
  /// Some lines of the manifest.
  package struct Part: Sendable, Equatable {
    /// In bytes.
    package var length: UInt32
    /// Of its bytes.
    package var sum: UInt64
    /// Of what they say: the same for the same keys and values, whatever comments and blanks stand between them.
    package var meaning: UInt64
    /// Of the target's key; 0 for what is no target, and where the key alone does not tell the name.
    package var name: UInt64

    package init(length: UInt32, sum: UInt64, meaning: UInt64, name: UInt64) {
      self.length = length
      self.sum = sum
      self.meaning = meaning
      self.name = name
    }
  }

  /// What stands before the first target; then the entries of `targets`, each from its key's line on; then, where
  /// ``hasTail``, everything from the first key behind `targets` on.
  package var parts: [Part]
  /// Whether a key stands behind `targets`; the last part is then not one of its entries.
  package var hasTail: Bool
  /// The column of the manifest's own keys, from 0.
  package var margin: Int
  /// The column of the targets' keys, which is the number of spaces before each of them; 0 where there is none.
  package var indent: Int

  /// How many entries `targets` has.
  package var entryCount: Int { parts.count - (hasTail ? 2 : 1) }

  /// How many bytes variables make of the manifest's values, at the most.
  package var expandedSize = 0

  package init(parts: [Part], hasTail: Bool, margin: Int, indent: Int) {
    self.parts = parts
    self.hasTail = hasTail
    self.margin = margin
    self.indent = indent
  }
}
