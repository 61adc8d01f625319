import SyncModel

/// Finds the names that a pattern without a match may have meant.
struct NearestEntries {
  private static let most = 3
  /// Names beyond these are only compared for equal last parts, which takes little time.
  private static let mostCompared = 20_000

  private let pattern: PathPattern
  private let hint: String
  private var compared = 0
  /// The best first; earlier ones first among equals.
  private var best: [(name: String, distance: Int)] = []

  init(_ pattern: PathPattern) {
    self.pattern = pattern
    hint = pattern.nameHint
  }

  var names: [String] { best.map(\.name) }

  /// Takes the path of a file that does not match.
  mutating func take(_ path: [ArraySlice<UInt8>]) {
    guard let name = path.last, let distance = distance(to: name) else { return }
    guard best.count < Self.most || distance < best[best.count - 1].distance else { return }
    let place = best.firstIndex { distance < $0.distance } ?? best.count
    best.insert((String(decoding: EntryName.joined(path), as: UTF8.self), distance), at: place)
    if best.count > Self.most { best.removeLast() }
  }

  /// 0 for the same last part in another folder; `nil` for a name that is not near.
  private mutating func distance(to name: ArraySlice<UInt8>) -> Int? {
    if pattern.matchesName(name) { return 0 }
    // A pattern such as `*.x` is near to everything.
    guard hint.utf8.count > 1, compared < Self.mostCompared else { return nil }
    compared += 1
    return NearestName.distance(hint, comparable(name)).map { $0 + 1 }
  }

  /// What of a name is compared with the hint: of `*.tar.gz` only the last two endings are known.
  private func comparable(_ name: ArraySlice<UInt8>) -> String {
    let text = String(decoding: name, as: UTF8.self)
    guard pattern.hintsAtEnding, hint.hasPrefix(".") else { return text }
    let endings = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
    return endings.suffix(hint.count { $0 == "." }).map { ".\($0)" }.joined()
  }
}
