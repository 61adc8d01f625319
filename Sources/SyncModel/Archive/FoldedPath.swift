/// What is left of a path without the case of its letters, for file systems that ignore case.
///
/// It is equal for paths that differ by simple case folding only, in Unicode's composed form.
package enum FoldedPath {
  /// Two spellings of one letter are equal as strings. `path` may have slashes, and bytes that are no text.
  package static func key(of path: [UInt8]) -> String {
    guard let text = String(validating: path, as: UTF8.self) else {
      // Of bytes that are no text only those of ASCII have a case; each byte stays one, since U+FFFD would stand for many.
      let scalars = path.map { $0 < 0x80 ? lower(Unicode.Scalar($0)) : Unicode.Scalar($0) }
      return String(String.UnicodeScalarView(scalars)) + "\u{0}"
    }
    var folded = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { folded.append(lower(upper(scalar))) }
    return String(folded)
  }

  /// The name of one file without case, and without what some file systems do not see: format characters, and dots and
  /// spaces at its end.
  package static func plainName(_ name: some Collection<UInt8>) -> String {
    var folded = key(of: Array(name))
    if folded.utf8.contains(where: { $0 >= 0x80 }) {
      folded = String(
        String.UnicodeScalarView(folded.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
    }
    while let last = folded.utf8.last, last == UInt8(ascii: " ") || last == UInt8(ascii: ".") {
      folded.removeLast()
    }
    return folded
  }

  private static func upper(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    // The dotless i shares its capital with "i", but is no other case of it.
    scalar == "\u{131}" ? scalar : single(scalar.properties.uppercaseMapping) ?? scalar
  }

  private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    single(scalar.properties.lowercaseMapping) ?? scalar
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
  }
}
