import Foundation
import LocalFiles
import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Back-pressure, flush and cancel.
@Suite struct FlowTests {
  /// A pool with one thread that is busy until it is released.
  private final class BlockedPool {
    let pool = WorkerPool(threads: 1)
    private let gate = DispatchSemaphore(value: 0)

    init() {
      let gate = gate
      pool.submit { _ = gate.wait(timeout: .now() + 60) }
    }

    func letGo() { gate.signal() }
    deinit { pool.shutDown() }
  }

  private let block = [UInt8](repeating: 7, count: Block.capacity)

  @Test func `a full queue refuses a piece and reports when it has room`() throws {
    let blocked = BlockedPool()
    let course = Course(PipelineSpec(), pool: blocked.pool)
    var taken = 0
    while block.withUnsafeBytes({ course.pipeline.push($0) }), taken < 100 { taken += 1 }
    #expect(taken == PipelineQueue.limit)
    #expect(course.pipeline.acceptedBytes == Int64(taken * block.count))
    #expect(course.log.all == [])
    blocked.letGo()
    try course.log.waitForDrained(number: 1)
    try course.push([1])
    #expect(try course.finish().get().download.size == Int64(taken * block.count + 1))
    #expect(course.log.drainedCount == 1)
  }

  @Test func `a body with many waiting pieces lets another body have its turn`() throws {
    let blocked = BlockedPool()
    let long = Course(PipelineSpec(), pool: blocked.pool)
    let short = Course(PipelineSpec(), pool: blocked.pool)
    let order = Monitor<[String]>([])
    for _ in 0..<PipelineQueue.limit { try long.push(block) }
    long.pipeline.flush { order.withLock { $0.append("long") } }
    short.pipeline.flush { order.withLock { $0.append("short") } }
    blocked.letGo()
    blocked.pool.shutDown()
    #expect(order.withLock { $0 } == ["short", "long"])
  }

  @Test func `a piece larger than the whole queue is accepted`() throws {
    let blocked = BlockedPool()
    let course = Course(PipelineSpec(), pool: blocked.pool)
    let large = [UInt8](repeating: 3, count: 20 * Block.capacity + 5)
    #expect(block.withUnsafeBytes { course.pipeline.push($0) })
    #expect(!large.withUnsafeBytes { course.pipeline.push($0) })
    blocked.letGo()
    try course.log.waitForDrained(number: 1)
    try course.push(large)
    #expect(try course.finish().get().download == identity(block + large))
  }

  @Test func `a large body uses few blocks, whatever its size`() throws {
    let course = Course(PipelineSpec(steps: [.gunzip, .verifySize(100_000_000, step: 1)]))
    try course.push(GzipWriter.zeros(millions: 100), pieces: 20_000)
    #expect(try course.finish().get().output.size == 100_000_000)
    // Every used block is back: none is freed before the store is full.
    #expect(course.pool.blocks.spareCount < 23)
  }

  @Test(arguments: [false, true])
  func `a small body is handed on at its end, or after 64 KiB if it has a partial download`(
    isResumable: Bool
  ) throws {
    let workshop = try Workshop()
    let pool = WorkerPool(threads: 1)
    defer { pool.shutDown() }
    let partial = isResumable ? try workshop.newPartial() : nil
    let output = isResumable ? nil : try workshop.staged()
    let course = Course(PipelineSpec(), output: output, partial: partial, pool: pool)
    func sizeWhenIdle() -> Int64? {
      let idle = DispatchSemaphore(value: 0)
      pool.submit { idle.signal() }
      guard idle.wait(timeout: .now() + 60) == .success else { return nil }
      return output?.size ?? partial?.size
    }
    try course.push([UInt8](repeating: 1, count: 65_535))
    #expect(sizeWhenIdle() == 0)
    try course.push([1])
    #expect(sizeWhenIdle() == (isResumable ? 65_536 : 0))
    #expect(try course.finish().get().output.size == 65_536)
    #expect((output?.size ?? partial?.size) == 65_536)
  }

  @Test func `a flush writes the pushed bytes and adds a checkpoint, and nothing more is taken`() throws {
    let workshop = try Workshop()
    let partial = try workshop.newPartial()
    let course = Course(PipelineSpec(), partial: partial)
    try course.push(Array("hello".utf8))
    try course.flush()
    #expect(try workshop.partialContent() == Array("hello".utf8))
    #expect(partial.checkpoints == [.init(offset: 5, sha256: digest(Array("hello".utf8)))])
    try course.push(Array(" you".utf8))
    #expect(course.pipeline.acceptedBytes == 5 && course.log.all == [])
  }

  /// The end of a whole body has no checkpoint if nothing proves its length.
  @Test(arguments: [(false, false), (true, true), (true, false)])
  func `a flush keeps the download, and gives up what it unpacks to`(
    isWhole: Bool, lengthIsKnown: Bool
  ) throws {
    let packed = GzipWriter.zeros(millions: 3)
    let workshop = try Workshop()
    let (output, partial) = (try workshop.staged(), try workshop.newPartial())
    let blocked = BlockedPool()
    let course = Course(
      PipelineSpec(steps: [.gunzip]), output: output, partial: partial, pool: blocked.pool)
    try course.push(packed)
    if isWhole { course.pipeline.finish() }
    let log = course.log
    course.pipeline.flush(lengthIsKnown: lengthIsKnown) { log.addFlush() }
    blocked.letGo()
    try log.waitForFlush()
    #expect(output.size == 0 && log.all == [])
    #expect(try workshop.partialContent() == packed)
    let end = PartialDownload.Checkpoint(offset: Int64(packed.count), sha256: digest(packed))
    #expect(partial.checkpoints == (isWhole && !lengthIsKnown ? [] : [end]))
  }

  @Test func `a flush keeps every byte of the download, at any moment`() throws {
    let packed = GzipWriter.zeros(millions: 20)
    let workshop = try Workshop()
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    for size in stride(from: 9_000, to: packed.count, by: 9_000) {
      let (output, partial) = (try workshop.staged(), try workshop.newPartial())
      let course = Course(PipelineSpec(steps: [.gunzip]), output: output, partial: partial, pool: pool)
      try course.push(packed.prefix(size))
      try course.flush()
      course.pipeline.cancel()
      output.discard()
      #expect(partial.keep() == Int64(size))
      #expect(try workshop.partialContent() == Array(packed.prefix(size)))
    }
  }

  @Test func `after cancel there are no events, but a flush is still answered`() throws {
    let workshop = try Workshop()
    let output = try workshop.staged()
    let blocked = BlockedPool()
    let course = Course(PipelineSpec(), output: output, pool: blocked.pool)
    for _ in 0..<4 { try course.push(block) }
    course.pipeline.finish()
    course.pipeline.cancel()
    #expect(blocked.pool.blocks.spareCount == 4)
    try course.push(block)
    course.pipeline.finish()
    blocked.letGo()
    try course.flush()
    #expect(course.log.all == [])
    #expect(output.size == 0)
  }

  @Test func `after cancel has returned, at any moment, the files are not touched any more`() throws {
    let packed = GzipWriter.zeros(millions: 20)
    let workshop = try Workshop()
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    for size in stride(from: 0, to: packed.count, by: 9_000) {
      let output = try workshop.staged()
      let course = Course(PipelineSpec(steps: [.gunzip]), output: output, pool: pool)
      try course.push(packed.prefix(size))
      course.pipeline.flush {}
      course.pipeline.cancel()
      let events = course.log.all
      // Closes the descriptor: a later write would go into another file.
      output.discard()
      try course.flush()
      #expect(course.log.all == events)
    }
  }

  @Test func `many bodies share a small pool without a deadlock`() throws {
    var random = SeededGenerator(seed: 4)
    let bodies = (0..<12).map { _ in random.bytes(6 * Block.capacity) }
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    let courses = bodies.map { _ in Course(PipelineSpec(steps: [.gunzip]), pool: pool) }
    let packed = bodies.map { GzipWriter.member($0, .stored) }
    for start in stride(from: 0, to: packed[0].count, by: 200_000) {
      for (course, bytes) in zip(courses, packed) { try course.push(bytes.dropFirst(start).prefix(200_000)) }
    }
    for course in courses { course.pipeline.finish() }
    for (course, body) in zip(courses, bodies) {
      #expect(try course.log.waitForEnd().get().output == identity(body))
    }
  }
}
