import Platform

/// Runs a job to its end, once or on several threads at once.
package typealias WorkSharing = (_ job: @escaping @Sendable () -> Void) -> Void

/// Work on the numbers below a count that several threads may do, a stretch each at a time.
struct SharedWork<Part: Sendable, Failure: Error>: Sendable {
  private struct Progress {
    var next = 0
    /// In the order of the stretches; `nil` before they end.
    var parts: [Part?]
    /// That of the lowest stretch.
    var failure: (start: Int, Failure)?
  }

  private let progress: Monitor<Progress>
  private let count: Int
  private let stretch: Int

  /// What `body` returns, in the order of the stretches, each of at most `stretch` numbers.
  ///
  /// After a failure no further stretch begins. One stretch is not shared.
  static func parts(
    of count: Int, by stretch: Int, _ sharing: WorkSharing,
    _ body: @escaping @Sendable (Range<Int>) throws(Failure) -> Part
  ) throws(Failure) -> [Part] {
    guard count > stretch else { return count == 0 ? [] : [try body(0..<count)] }
    let work = Self(count: count, stretch: stretch)
    sharing { work.run(body) }
    let done = work.progress.withLock { $0 }
    if let failure = done.failure { throw failure.1 }
    return done.parts.compactMap { $0 }
  }

  private init(count: Int, stretch: Int) {
    self.count = count
    self.stretch = stretch
    progress = Monitor(Progress(parts: Array(repeating: nil, count: (count + stretch - 1) / stretch)))
  }

  private func run(_ body: (Range<Int>) throws(Failure) -> Part) {
    while let range = take() {
      do throws(Failure) {
        let part = try body(range)
        progress.withLock { $0.parts[range.lowerBound / stretch] = part }
      } catch {
        progress.withLock { progress in
          if range.lowerBound < progress.failure?.start ?? .max {
            progress.failure = (range.lowerBound, error)
          }
        }
      }
    }
  }

  private func take() -> Range<Int>? {
    progress.withLock { progress in
      guard progress.failure == nil, progress.next < count else { return nil }
      let start = progress.next
      progress.next = min(count, start + stretch)
      return start..<progress.next
    }
  }
}
