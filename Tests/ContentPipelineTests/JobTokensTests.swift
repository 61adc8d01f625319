import Foundation
import Platform
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Workers under a make that limits its jobs.
@Suite struct JobTokensTests {
  /// A make's pipe with tokens in it.
  private final class Make {
    private(set) var ends: [Int32] = [-1, -1]

    init(tokens: String) {
      #expect(pipe(&ends) == 0)
      #expect(write(ends[1], tokens, tokens.utf8.count) == tokens.utf8.count)
    }

    deinit { for end in ends { close(end) } }

    var flags: String { "s -j4 --jobserver-auth=\(ends[0]),\(ends[1])" }

    /// Everything in the pipe, taken out of it.
    func drain() -> String {
      var bytes: [UInt8] = []
      var entry = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      while poll(&entry, 1, 0) == 1 {
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1)
        bytes.append(byte)
      }
      return String(decoding: bytes.sorted(), as: UTF8.self)
    }
  }

  /// The number of running jobs, and its maximum.
  private struct Count: Sendable {
    var now = 0
    var most = 0
    var done = 0
  }

  @Test(
    arguments: [
      ("", nil), ("kw -j8", nil), ("--jobserver-auth=3,4", .pipe(read: 3, write: 4)),
      (" -j2 --jobserver-fds=5,6 -j", .pipe(read: 5, write: 6)),
      ("--jobserver-auth=3,4 --jobserver-auth=fifo:/tmp/a", .fifo(path: "/tmp/a")),
      ("--jobserver-auth=-2,-2", nil), ("--jobserver-auth=3", nil), ("--jobserver-auth=x,y", nil),
      ("n -- X=--jobserver-auth=3,4", nil), ("-- --jobserver-auth=3,4", nil),
    ] as [(String, JobserverAddress?)])
  func `MAKEFLAGS tells where the tokens are`(flags: String, address: JobserverAddress?) {
    #expect(JobserverAddress(makeFlags: flags) == address)
  }

  #if !canImport(Darwin)
    @Test(arguments: [0, 1, 2]) func `as many threads work at once as there are tokens, and one more`(
      tokens: Int
    )
      throws
    {
      let make = Make(tokens: String("abc".prefix(tokens)))
      let lent = try #require(JobTokens(makeFlags: make.flags))
      let pool = WorkerPool(threads: 8, tokens: lent)
      let count = Monitor(Count())
      let places = tokens + 1
      for index in 0..<40 {
        pool.submit {
          count.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          count.wakeAll()
          // The first ones stay until all job slots are taken: with fewer slots they would stay for ever.
          if index < places { count.wait { $0.most >= places ? () : nil } }
          count.withLock {
            $0.now -= 1
            $0.done += 1
          }
        }
      }
      pool.shutDown()
      #expect(count.withLock { $0.most } == places)
      #expect(count.withLock { $0.done } == 40)
      #expect(lent.mostAtWork == places)
      #expect(make.drain() == String("abc".prefix(tokens)))
    }

    @Test func `a job is wanted elsewhere as long as make limits the jobs`() throws {
      let make = Make(tokens: "")
      let lent = try #require(JobTokens(makeFlags: make.flags))
      let pool = WorkerPool(threads: 2, tokens: lent)
      let wanted = Monitor<Bool?>(nil)
      pool.submit { wanted.withLock { $0 = pool.isWanted } }
      pool.shutDown()
      #expect(wanted.withLock { $0 } == true)
    }

    @Test func `two pools share the job slots, and a long job makes way`() throws {
      let make = Make(tokens: "")
      let lent = try #require(JobTokens(makeFlags: make.flags))
      let (pool, readers) = (WorkerPool(threads: 2, tokens: lent), WorkerPool(threads: 2, tokens: lent))
      let count = Monitor(Count())
      readers.submit {
        count.withLock { $0.now = 1 }
        count.wakeAll()
        // Ends only after the other pool's job, which can only use this one's slot.
        while count.withLock({ $0.done }) == 0 { lent.pause() }
      }
      count.wait { $0.now == 1 ? () : nil }
      pool.submit { count.withLock { $0.done += 1 } }
      readers.shutDown()
      pool.shutDown()
      #expect(lent.mostAtWork == 1)
    }

    @Test func `a process that ends at once returns its tokens and takes no more`() throws {
      let make = Make(tokens: "xy")
      let lent = try #require(JobTokens(makeFlags: make.flags))
      #expect(lent.begin() && lent.begin())
      #expect(make.drain() == "y")
      lent.close()
      #expect(make.drain() == "x")
      #expect(!lent.begin())
      lent.end()
      lent.end()
      #expect(lent.begin() && make.drain() == "")
    }

    @Test func `a jobserver that has ended is ignored`() throws {
      let make = Make(tokens: "x")
      #expect(JobTokens(makeFlags: "--jobserver-auth=\(make.ends[1]),\(make.ends[0])") == nil)
      #expect(JobTokens(makeFlags: "--jobserver-auth=\(make.ends[0]),2") == nil)
      #expect(JobTokens(makeFlags: "--jobserver-auth=9998,9999") == nil)
    }
  #endif

  @Test func `a named pipe works as well`() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path("tokens"), 0o600) == 0)
    let end = open(folder.path("tokens"), O_RDWR | O_NONBLOCK)
    defer { close(end) }
    #expect(write(end, "t", 1) == 1)
    let lent = try #require(JobTokens(makeFlags: "--jobserver-auth=fifo:\(folder.path("tokens"))"))
    #expect(lent.begin() && lent.begin() && !lent.begin())
    lent.end()
    lent.end()
    var byte: UInt8 = 0
    #expect(read(end, &byte, 1) == 1 && byte == UInt8(ascii: "t"))
    #expect(read(end, &byte, 1) == -1)
    #expect(JobTokens(makeFlags: "--jobserver-auth=fifo:\(folder.path("nothing"))") == nil)
    try folder.write("x", to: "file")
    #expect(JobTokens(makeFlags: "--jobserver-auth=fifo:\(folder.path("file"))") == nil)
  }
}
