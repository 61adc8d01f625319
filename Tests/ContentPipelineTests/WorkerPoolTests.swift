import Foundation
import Platform
import Testing

@testable import ContentPipeline

@Suite struct WorkerPoolTests {
  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    func add() { lock.withLock { value += 1 } }
    var count: Int { lock.withLock { value } }
  }

  @Test(arguments: [1, 2, 5]) func `shutdown runs every submitted job`(threads: Int) {
    let pool = WorkerPool(threads: threads)
    let counter = Counter()
    for _ in 0..<1000 { pool.submit { counter.add() } }
    pool.shutDown()
    #expect(counter.count == 1000)
  }

  @Test func `jobs submitted by jobs are run before shutdown ends`() {
    let pool = WorkerPool(threads: 2)
    let counter = Counter()
    for _ in 0..<100 { pool.submit { pool.submit { pool.submit { counter.add() } } } }
    pool.shutDown()
    #expect(counter.count == 100)
  }

  @Test func `a job submitted after shutdown is run by the caller`() {
    let pool = WorkerPool(threads: 2)
    pool.shutDown()
    let counter = Counter()
    pool.submit { counter.add() }
    #expect(counter.count == 1)
  }

  @Test func `two threads run two jobs at once`() {
    let pool = WorkerPool(threads: 2)
    // Each waits for the other: a single thread could end neither.
    let first = DispatchSemaphore(value: 0)
    let second = DispatchSemaphore(value: 0)
    let met = Counter()
    pool.submit {
      first.signal()
      if second.wait(timeout: .now() + 60) == .success { met.add() }
    }
    pool.submit {
      second.signal()
      if first.wait(timeout: .now() + 60) == .success { met.add() }
    }
    pool.shutDown()
    #expect(met.count == 2)
  }

  @Test func `a job is wanted elsewhere if another job waits and no thread is free`() {
    let pool = WorkerPool(threads: 1)
    let wanted = Monitor<[Bool]>([])
    pool.submit {
      wanted.withLock { $0.append(pool.isWanted) }
      pool.submit { wanted.withLock { $0.append(pool.isWanted) } }
      wanted.withLock { $0.append(pool.isWanted) }
    }
    pool.shutDown()
    #expect(wanted.withLock { $0 } == [false, true, false])
  }

  @Test func `a pool that is released without shutdown still runs its jobs`() {
    let done = DispatchSemaphore(value: 0)
    do {
      let pool = WorkerPool(threads: 1)
      for _ in 0..<10 { pool.submit { done.signal() } }
    }
    for _ in 0..<10 { #expect(done.wait(timeout: .now() + 60) == .success) }
  }
}
