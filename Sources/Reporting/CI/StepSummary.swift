package import SyncModel

/// A run's part of the summary of a GitHub step: Markdown, one row per target.
///
/// Problems come first. If not all rows fit, fresh targets are left out first.
package struct StepSummary {
  /// The limit for one step, in bytes.
  package static let limit = 1 << 20
  /// Room for the sentence that says what was left out.
  private static let reserve = 200

  private let end: RunEnd
  private let manifest: Manifest
  private let shard: Shard?
  private var secrets: SecretMask { manifest.secrets }

  /// The summary of a finished run and its manifest, whose secrets are masked.
  ///
  /// - shard: the part of the targets that the run is about; `nil` for all that are selected.
  package init(_ end: RunEnd, manifest: Manifest, shard: Shard? = nil) {
    self.end = end
    self.manifest = manifest
    self.shard = shard
  }

  /// For a run with nothing to do; `first` is the name of any target.
  package static func allFresh(
    _ count: Int, first: TargetName?, kept: [TargetName] = [], shard: Shard? = nil,
    secrets: SecretMask = SecretMask()
  ) -> String {
    let text = SummaryText.allFresh(count, first: first, kept: kept, shard: shard, secrets: secrets)
    return "### syncmake\n\n\(escaped(text, beginsLine: true))\n\n"
  }

  /// At most `room` bytes; empty if not even the headline fits.
  package func markdown(room: Int = limit) -> String {
    if end.status == .ok, end.results.allSatisfy({ $0.outcome == .fresh }) {
      let text = Self.allFresh(
        end.results.count, first: end.results.first?.name,
        kept: end.results.filter { ResultWord($0) == .kept }.map(\.name), shard: shard, secrets: secrets)
      return text.utf8.count <= room ? text : ""
    }
    let start = end.status == .interrupted ? "interrupted: " : ""
    var text =
      "### syncmake: \(start)\(SummaryText.counts(end.results))\n\n\(trouble)"
      + "| target | outcome | size | time | why |\n|---|---|--:|--:|---|\n"
    guard text.utf8.count + Self.reserve <= room else { return "" }
    var leftOut: [ResultWord: Int] = [:]
    var used = text.utf8.count
    for outcome in [Outcome.failed, .updated, .skipped, .fresh] {
      for result in end.results where result.outcome == outcome {
        let row = row(result)
        guard leftOut.isEmpty, used + row.utf8.count + Self.reserve <= room else {
          leftOut[ResultWord(result), default: 0] += 1
          continue
        }
        used += row.utf8.count
        text += row
      }
    }
    let missing = ResultWord.allCases.compactMap { word in
      leftOut[word].map { "\($0) \(word.rawValue)" }
    }
    if !missing.isEmpty {
      text += "\nLeft out because of the size limit: \(missing.joined(separator: ", ")).\n"
    }
    return text + "\n"
  }

  /// A failure that belongs to no target.
  private var trouble: String {
    guard let failure = end.failure else { return "" }
    let message = "\(failure.code.rawValue): \(FailureText.message(failure, secrets: secrets))"
    return "failed: \(Self.escaped(CleanText.clean(message)))\n\n"
  }

  private func row(_ result: TargetResult) -> String {
    let size = result.content.map { Quantity.size($0.size) } ?? ""
    let time = result.outcome == .skipped ? "" : Quantity.duration(result.duration)
    let cells = [secrets.mask(result.name.text), outcome(result), size, time, why(result)]
    return "| " + cells.map { Self.escaped(CleanText.clean($0)) }.joined(separator: " | ") + " |\n"
  }

  private func outcome(_ result: TargetResult) -> String {
    if result.outcome == .failed, result.isOptional { return "failed (optional)" }
    return ResultWord(result).rawValue
  }

  private func why(_ result: TargetResult) -> String {
    if let failure = result.failure {
      let hint = FailureText.hint(failure, target: manifest[result.id], of: manifest)
      return "\(failure.code.rawValue): \(FailureText.message(failure, secrets: secrets))"
        + (hint.map { "; hint: \($0)" } ?? "")
    }
    // A new target needs no reason; the headline covers fresh targets.
    if result.outcome == .updated { return ChangeText.text(result.reason, secrets: secrets) ?? "" }
    return ResultWording.detail(result, secrets: secrets) ?? ""
  }

  /// Whatever Markdown could take for its own, a link's colon included, with a backslash before it; if it `beginsLine`, the
  /// dot of a list's number, too.
  private static func escaped(_ text: String, beginsLine: Bool = false) -> String {
    var out = ""
    var isNumber = beginsLine
    for scalar in text.unicodeScalars {
      if special.contains(scalar) || isNumber && scalar == "." { out += "\\" }
      isNumber = isNumber && "0"..."9" ~= scalar
      out.unicodeScalars.append(scalar)
    }
    return out
  }

  private static let special = Set("\\`*_{}[]<>()#!|~&:$^@".unicodeScalars)
}
