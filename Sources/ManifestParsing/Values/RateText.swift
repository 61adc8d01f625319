import SyncModel

/// Rates as manifests write them: `3/s`, `100/m`.
enum RateText {
  static let most = 1_000_000

  /// `nil` for anything else, and for a number that is not from 1 to ``most``.
  static func parse(_ text: String) -> RequestRate? {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int(Substring(parts[0])), (1...most).contains(count)
    else { return nil }
    switch String(Substring(parts[1])) {
    case "s": return RequestRate(count: count, period: .seconds(1))
    case "m": return RequestRate(count: count, period: .seconds(60))
    default: return nil
    }
  }
}
