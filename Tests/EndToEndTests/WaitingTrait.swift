import Foundation
import Testing

/// Tests that mostly wait for other programs: they run on threads of their own, a few at a time. The threads that all
/// tests share are as many as there are processors, and are left to tests that compute.
struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTrait {
  /// Most of the time goes by in other programs.
  static var waits: Self { Self() }
}

/// The threads of ``WaitingTrait``.
///
/// They are none of libdispatch's, which are as few as those that all tests share.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = WaitingThreads()

  private let condition = NSCondition()
  /// Used only while `condition` is held.
  private var jobs: [UnownedJob] = []

  private init() {
    for _ in 0..<max(4, ProcessInfo.processInfo.activeProcessorCount) {
      Thread.detachNewThread { [self] in while true { next().runSynchronously(on: asUnownedTaskExecutor()) } }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  /// The job that has waited longest, once there is one.
  private func next() -> UnownedJob {
    condition.withLock {
      while jobs.isEmpty { condition.wait() }
      return jobs.removeFirst()
    }
  }
}
