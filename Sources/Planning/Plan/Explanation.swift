package import SyncModel

/// Why one target is fresh or stale, line by line of the table in the contract, section 3.
package struct Explanation: Sendable {
  /// One line of the table.
  package struct Line: Sendable, Equatable {
    /// The line's effect on the verdict.
    package enum Finding: Sendable, Equatable {
      /// This line decided.
      case decides
      /// Its condition is false.
      case passes
      /// An earlier line decided first.
      case notReached
    }

    /// Its question.
    package var asks: TableLine
    /// What this line did to the verdict.
    package var finding: Finding

    /// What the line that `asks` this did.
    package init(_ asks: TableLine, finding: Finding) {
      self.asks = asks
      self.finding = finding
    }
  }

  /// The target in question.
  package var target: Target
  /// The value of ``Decision/record``; `nil` also if the check failed before any decision.
  package var record: TargetRecord?
  /// All eight, in their order.
  package var lines: [Line]
  /// The target's line in a plan of it and its dependencies.
  package var planned: PlannedTarget
  /// Whether the lock took the place of the rule.
  package var isPinned = false
  /// The URL of the list that names it, or no longer does, and the entry's key; `nil` for a target without `list`.
  package var list: (url: String, key: String)?
  /// What the user's configuration has asked instead of its first URL; `nil` if that is asked itself.
  package var mirror: String?
  /// The variables with the value of an output that it uses.
  package var values: [ManifestValue] = []
  /// The shards of a partition, and which of them owns it; `nil` if nobody asked.
  package var owner: (partition: ShardPartition, owner: ShardPartition.Owner)?
  /// The other targets that it is published together with.
  package var fellows: [TargetName] = []

  /// `lines` must have all eight in order, of which at most one decides.
  package init(target: Target, record: TargetRecord?, lines: [Line], planned: PlannedTarget) {
    self.target = target
    self.record = record
    self.lines = lines
    self.planned = planned
  }

  /// All eight lines, as a decision at `line` leaves them; `nil`: none was reached.
  ///
  /// `byLock`: the output matches the lock, so that only lines 1, 2 and 4 were checked before.
  package static func lines(decidedAt line: TableLine?, byLock: Bool = false) -> [Line] {
    TableLine.allCases.map { asked in
      let isAsked = !byLock || [.assumedFresh, .output, .forced].contains(asked)
      let isPassed = line.map { asked < $0 } ?? false
      return Line(
        asked,
        finding: asked == line ? .decides : isPassed && isAsked ? .passes : .notReached)
    }
  }
}
