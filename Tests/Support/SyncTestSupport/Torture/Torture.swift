import Foundation

/// The number of cases of a long test: few in `swift test`, all of them from `scripts/torture`.
package enum Torture {
  /// The value of SYNCMAKE_TORTURE_CASES, else `usual`.
  package static func cases(usually usual: Int) -> Int {
    ProcessInfo.processInfo.environment["SYNCMAKE_TORTURE_CASES"].flatMap { Int($0) } ?? usual
  }

  /// The value of SYNCMAKE_TORTURE_SEED, else 1; the same seed gives the same cases.
  package static var seed: UInt64 {
    ProcessInfo.processInfo.environment["SYNCMAKE_TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
  }

  /// Whether the long form of a test is wanted, as for `.ci/run --full`: SYNCMAKE_FULL is set.
  package static var isFull: Bool { ProcessInfo.processInfo.environment["SYNCMAKE_FULL"] != nil }

  /// The first case, from 0: with SYNCMAKE_TORTURE_CASES=1 a failed case can be replayed alone.
  package static var first: Int {
    ProcessInfo.processInfo.environment["SYNCMAKE_TORTURE_FIRST"].flatMap { Int($0) } ?? 0
  }
}

extension Torture {
  /// Plays the cases in shares of `share` cases, several shares at once, since small runs mostly wait.
  ///
  /// `body` gets the numbers of its share, and may be called on any thread.
  package static func play(
    usually usual: Int, share: Int = 20, width: Int = 6,
    _ body: @escaping @Sendable (Range<Int>) throws -> Void
  ) throws {
    let range = first..<first + cases(usually: usual)
    let next = Monitor((number: range.lowerBound, fault: (any Error)?.none))
    DispatchQueue.concurrentPerform(iterations: width) { _ in
      while true {
        let mine = next.withLock { next -> Range<Int> in
          let start = next.fault == nil ? next.number : range.upperBound
          next.number = min(start + share, range.upperBound)
          return start..<next.number
        }
        if mine.isEmpty { return }
        do { try body(mine) } catch { next.withLock { $0.fault = error } }
      }
    }
    if let fault = next.withLock({ $0.fault }) { throw fault }
  }
}

/// Counts cases and violations, and prints the line that `scripts/torture` looks for.
package final class TortureTally: Sendable {
  private struct State {
    var cases = 0
    var violations: [String] = []
  }

  private let name: String
  private let state = Monitor(State())

  package init(_ name: String) { self.name = name }

  package func count(_ cases: Int = 1) { state.withLock { $0.cases += cases } }

  package func violation(_ text: String) { state.withLock { $0.violations.append(text) } }

  package var cases: Int { state.withLock { $0.cases } }

  /// The violations, at most the first ten, for a test to show.
  package var firstViolations: [String] { state.withLock { Array($0.violations.prefix(10)) } }

  /// Prints `NAME: N cases, N violations`; whether there were none.
  package func close() -> Bool {
    let (cases, violations) = state.withLock { ($0.cases, $0.violations.count) }
    print("\(name): \(cases) cases, \(violations) violations")
    return violations == 0
  }
}
