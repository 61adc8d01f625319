import ContentPipeline
import Foundation
import Platform
import Testing

@testable import Execution

/// What every runner of jobs does, whether threads take them or the caller.
@Suite struct JobRunnerTests {
  enum Kind: CaseIterable {
    case inline, oneThread, twoThreads

    var runner: any JobRunner {
      switch self {
      case .inline: InlineJobs()
      case .oneThread: WorkerPool(threads: 1)
      case .twoThreads: WorkerPool(threads: 2)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `each job runs once, and has ended when the runner is shut down`(kind: Kind) {
    let runner = kind.runner
    let ran = Monitor([Int]())
    for number in 0..<100 { runner.submit { ran.withLock { $0.append(number) } } }
    runner.shutDown()
    #expect(ran.withLock { $0.sorted() } == Array(0..<100))
  }

  @Test(arguments: Kind.allCases)
  func `jobs may come from several threads`(kind: Kind) {
    let runner = kind.runner
    let ran = Monitor(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 { runner.submit { ran.withLock { $0 += 1 } } }
    }
    runner.shutDown()
    #expect(ran.withLock { $0 } == 400)
  }
}
