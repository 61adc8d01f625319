import ContentPipeline
import Foundation
import SyncModel

/// A pipeline's events, with a bounded wait.
final class EventLog: @unchecked Sendable {
  // `events` and `flushes` are touched only while `condition` is held.
  private let condition = NSCondition()
  private var events: [PipelineEvent] = []
  private var flushes = 0

  struct TookTooLong: Error {}

  func add(_ event: PipelineEvent) { change { events.append(event) } }
  func addFlush() { change { flushes += 1 } }

  private func change(_ body: () -> Void) {
    condition.lock()
    body()
    condition.broadcast()
    condition.unlock()
  }

  var all: [PipelineEvent] {
    condition.lock()
    defer { condition.unlock() }
    return events
  }

  var drainedCount: Int { all.count { $0 == .drained } }

  func waitForFlush(number: Int = 1) throws { try wait { flushes >= number ? () : nil } }
  /// Returns at the end of the pipeline, too: after that there is always room.
  func waitForDrained(number: Int) throws {
    try wait { events.count { $0 == .drained } >= number || last != nil ? () : nil }
  }

  /// The result, or the failure.
  func waitForEnd() throws -> Result<PipelineResult, FailureCause> {
    try wait {
      switch events.last {
      case .finished(let result): .success(result)
      case .failed(let cause): .failure(cause)
      default: nil
      }
    }
  }

  /// The last event.
  func waitForLast() throws -> PipelineEvent { try wait { last } }

  /// The last event, as soon as it came; only under the lock.
  private var last: PipelineEvent? {
    switch events.last {
    case .finished, .refused, .failed: events.last
    default: nil
    }
  }

  /// The restored offset; `-1` if the pipeline failed instead.
  func waitForRestored() throws -> Int64 {
    try wait {
      for case .restored(let offset) in events { return offset }
      for case .failed in events { return -1 }
      return nil
    }
  }

  private func wait<Value>(_ value: () -> Value?) throws -> Value {
    let deadline = Date(timeIntervalSinceNow: 60)
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let value = value() { return value }
      guard condition.wait(until: deadline) else { throw TookTooLong() }
    }
  }
}
