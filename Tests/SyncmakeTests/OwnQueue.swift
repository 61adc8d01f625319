import Foundation

/// Runs a task on a queue of its own: while other tests run, the usual threads are busy for minutes.
final class OwnQueue: TaskExecutor {
  private let queue = DispatchQueue(label: "task of a test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
