import SyncModel

/// Finds probable corrections, however many wrong names a manifest has.
struct NearestNameFinder {
  /// How many comparisons are still allowed; without an end to them 100,000 wrong names would take hours.
  private var budget = 1_000_000

  init() {}

  /// The nearest of `candidates`; `nil` if none is near or the budget is used up.
  mutating func find(_ text: String, among candidates: [String]) -> String? {
    guard candidates.count <= budget else { return nil }
    budget -= candidates.count
    return Self.find(text, among: candidates)
  }

  static func find(_ text: String, among candidates: [String]) -> String? {
    NearestName.find(text, among: candidates)
  }
}
