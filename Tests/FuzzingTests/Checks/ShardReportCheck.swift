import Reporting
import SyncModel

/// Any bytes as the report of the only shard: what `merge` makes of it is harmless, and JSON if it is to be.
enum ShardReportCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    guard let report = try? ShardReport(input, path: "1.json") else { return }
    let merged: MergedReports
    do throws(MergedReports.Fault) { merged = try MergedReports([report]) } catch {
      try harmless(MergeText.wording(error).message)
      return
    }
    let document = merged.json()
    try demand((try? JSONValue(Array(document.utf8))) != nil, "no JSON: \(document)")
    for text in [document, merged.junit(), merged.table(TextStyle()), merged.problems(TextStyle())] {
      if let harm = Harm.found(in: text) { throw Violation(harm) }
    }
  }

  private static func harmless(_ message: String) throws(Violation) {
    if let harm = Harm.found(in: MessageText.error(message, style: TextStyle())) { throw Violation(harm) }
  }
}
