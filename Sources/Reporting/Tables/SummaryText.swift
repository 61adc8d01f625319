package import SyncModel

/// The line that summarizes the state of all targets.
package enum SummaryText {
  /// For a run or a plan with nothing to do; `first` is the name of any target, `kept` are those whose edited
  /// outputs are kept, `gone` those that have left their lists, `shard` is whose run it is.
  package static func allFresh(
    _ count: Int, first: TargetName?, kept: [TargetName] = [], gone: [TargetName] = [], shard: Shard? = nil,
    secrets: SecretMask = SecretMask()
  ) -> String {
    let text =
      switch (count, first) {
      case (0, _): "nothing to do: \(nothing(shard))"
      case (1, let name?): "\(shown(name, secrets)) is up to date"
      default: "all \(count) targets are up to date"
      }
    return text + edits(kept, of: count, secrets) + departed(gone, of: count, secrets)
  }

  private static func edits(_ kept: [TargetName], of count: Int, _ secrets: SecretMask) -> String {
    switch kept.count {
    case 0: ""
    case 1 where count == 1: "; its edit is kept"
    case 1: "; the edit of \(shown(kept[0], secrets)) is kept"
    default: "; \(kept.count) edits are kept"
    }
  }

  private static func departed(_ gone: [TargetName], of count: Int, _ secrets: SecretMask) -> String {
    switch gone.count {
    case 0: ""
    case 1 where count == 1: "; its list no longer has it"
    case 1: "; \(shown(gone[0], secrets)) has left its list"
    default: "; \(gone.count) have left their lists"
    }
  }

  /// `2 new, 998 unchanged, 1 failed`, in the words of single lines.
  ///
  /// - confirmed: how many targets more are unchanged.
  static func counts(_ results: [TargetResult], confirmed: Int = 0) -> String {
    var numbers: [ResultWord: Int] = confirmed > 0 ? [.unchanged: confirmed] : [:]
    for result in results { numbers[ResultWord(result), default: 0] += 1 }
    let counts = ResultWord.allCases.compactMap { word in numbers[word].map { "\($0) \(word.rawValue)" } }
    return counts.isEmpty ? "nothing done" : counts.joined(separator: ", ")
  }

  private static func nothing(_ shard: Shard?) -> String {
    switch shard?.part {
    case nil: "no target is selected"
    case .seed: "the shards share no target"
    case .number: "shard \(shard?.text ?? "") has no target"
    }
  }

  private static func shown(_ name: TargetName, _ secrets: SecretMask) -> String {
    TextWidth.cutMiddle(secrets.shown(name), to: 60)
  }
}
