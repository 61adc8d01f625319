import SyncModel
import Testing

@testable import Execution

/// When files wait for company, by a clock that the test moves.
@Suite struct CommitQueueTests {
  private let clock = ManualClock()

  private func body() throws -> PendingOutput {
    let now = clock.now()
    let signature = FileSignature(size: 0, modified: now, changed: now, inode: 0)
    let record = TargetRecord(
      name: TargetName("t"), output: try RelativePath("t"), definition: [], signature: signature,
      content: ContentIdentity(size: 0, digests: [:]), download: nil, validators: nil, inputs: [],
      checkedAt: now, updatedAt: now)
    let body = MemoryFinishedBody([], key: nil, in: MemoryOutputs(clock))
    return PendingOutput(PublishJob(body: body, record: record, over: .missing), Ticket(number: 0))
  }

  private func queue() -> CommitQueue {
    var queue = CommitQueue(longestWait: .milliseconds(20), clock: clock, fault: nil)
    queue.expectsCompany = true
    return queue
  }

  @Test func `the first file does not wait`() throws {
    var queue = queue()
    #expect(queue.timeToLook == nil && !queue.begin())
    queue.add(try body())
    #expect(queue.begin() == true)
    #expect(queue.take()?.changes?.isEmpty == true)
    #expect(queue.take() == nil && queue.rest())
    #expect(queue.timeToLook == nil)
  }

  @Test func `a file waits as long as stated after the group before it, and no longer`() throws {
    var queue = queue()
    queue.groupEnded = clock.monotonic()
    queue.add(try body())
    #expect(!queue.begin() && queue.take() == nil)
    #expect(queue.timeToLook == .milliseconds(20))
    clock.advance(by: .milliseconds(15))
    // The time of day has no influence.
    clock.set(Timestamp(seconds: 0))
    #expect(!queue.begin() && queue.timeToLook == .milliseconds(5))
    clock.advance(by: .microseconds(4999))
    #expect(!queue.begin() && queue.timeToLook == .milliseconds(1))
    clock.advance(by: .microseconds(1))
    #expect(queue.begin() == true)
    #expect(queue.take()?.bodies.count == 1)
  }

  @Test func `a file does not wait if none will come`() throws {
    var queue = queue()
    queue.groupEnded = clock.monotonic()
    queue.add(try body())
    queue.expectsCompany = false
    #expect(queue.begin() == true)
  }

  @Test func `records of published files wait for the next group, and no longer than a second`() throws {
    var queue = queue()
    queue.groupEnded = clock.monotonic()
    queue.hasUnrecorded = true
    // The next file may come also if no target is at work in this moment.
    queue.expectsCompany = false
    #expect(queue.begin() == false)
    // It would not wait as long, and must be noticed.
    #expect(queue.timeToLook == .milliseconds(20))
    clock.advance(by: .milliseconds(999))
    #expect(queue.begin() == false)
    clock.advance(by: .milliseconds(1))
    #expect(queue.begin() == true)
    #expect(queue.take()?.changes != nil)
  }

  @Test func `records of published files do not delay the next group`() throws {
    var queue = queue()
    queue.groupEnded = clock.monotonic()
    queue.hasUnrecorded = true
    queue.add(try body())
    #expect(queue.timeToLook == .milliseconds(20))
    clock.advance(by: .milliseconds(20))
    #expect(queue.begin() == true)
    #expect(queue.take()?.bodies.count == 1)
  }
}
