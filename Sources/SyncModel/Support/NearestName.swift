/// Finds the name that was probably meant.
package enum NearestName {
  /// Longer texts have no neighbours: comparing them costs the product of their lengths.
  private static let longest = 200

  /// The first candidate that is `text` in a folder; else the one with the fewest edits to it, if that is at most a third
  /// of its length, where the first wins ties.
  package static func find(_ text: String, among candidates: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    let ending = "/" + text
    for candidate in candidates where candidate != text {
      if !text.isEmpty, candidate.hasSuffix(ending) { return candidate }
      guard let distance = distance(text, candidate) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
  }

  /// The number of edits between the two, if it is at most a third of the length of `text`; else `nil`.
  package static func distance(_ text: String, _ candidate: String) -> Int? {
    let (length, other) = (text.unicodeScalars.count, candidate.unicodeScalars.count)
    let limit = max(1, length / 3)
    // The number of edits is at least the difference of the lengths; a name without common characters is not a
    // misspelling.
    guard length <= longest, other <= longest, abs(other - length) <= limit else { return nil }
    let distance = editDistance(text, candidate)
    return distance <= limit && distance < max(length, other) ? distance : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours, in Unicode scalars.
  static func editDistance(_ a: String, _ b: String) -> Int {
    let a = Array(a.lowercased().unicodeScalars)
    let b = Array(b.lowercased().unicodeScalars)
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], beforeLast[j - 2] + 1)
        }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
