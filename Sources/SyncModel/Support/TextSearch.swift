/// Searches for a part of a text by its bytes.
///
/// The functions of that kind in Swift's library of regular expressions compare characters; bytes are enough here.
extension String {
  /// Where `part` is for the first time; `nil` if it is nowhere or empty.
  package func firstPlace(of part: String) -> Range<Index>? {
    guard let first = part.utf8.first else { return nil }
    var start = utf8.startIndex
    while let found = utf8[start...].firstIndex(of: first) {
      if utf8[found...].starts(with: part.utf8) {
        return found..<utf8.index(found, offsetBy: part.utf8.count)
      }
      start = utf8.index(after: found)
    }
    return nil
  }

  /// Whether `part` is somewhere in it.
  package func holds(_ part: String) -> Bool { firstPlace(of: part) != nil }

  /// The text with `other` in each place of `part`.
  package func with(_ other: String, for part: String) -> String {
    var out = ""
    var rest = self
    while let place = rest.firstPlace(of: part) {
      out += rest[..<place.lowerBound] + other
      rest = String(rest[place.upperBound...])
    }
    return out + rest
  }
}
