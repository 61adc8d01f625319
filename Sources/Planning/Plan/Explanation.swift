import SyncModel

/// Why one target is fresh or stale, line by line of the table in SPEC section 3.
package struct Explanation: Sendable {
  /// One line of the table.
  package struct Line: Sendable, Equatable {
    package enum Finding: Sendable, Equatable {
      /// This line decided.
      case decides
      /// Its condition does not hold.
      case passes
      /// An earlier line decided first.
      case notReached
    }

    /// 1 to 8, as in the contract.
    package var number: Int
    package var finding: Finding

    package init(number: Int, finding: Finding) {
      self.number = number
      self.finding = finding
    }
  }

  package var target: Target
  package var record: TargetRecord?
  package var lines: [Line]
  package var planned: PlannedTarget

  package init(target: Target, record: TargetRecord?, lines: [Line], planned: PlannedTarget) {
    self.target = target
    self.record = record
    self.lines = lines
    self.planned = planned
  }

  /// All eight lines, as a decision at `line` leaves them.
  package static func lines(decidedAt line: Int) -> [Line] {
    (1...8).map { number in
      Line(number: number, finding: number < line ? .passes : number == line ? .decides : .notReached)
    }
  }
}
