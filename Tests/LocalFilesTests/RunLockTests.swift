import Foundation
import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import LocalFiles

@Suite struct RunLockTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  private func acquire(
    sharedFor purpose: String? = nil, wait: Bool = false, onWait: (String) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws -> RunLock? {
    try RunLock.acquire(
      in: box.state, sharedFor: purpose, wait: wait, now: Timestamp(seconds: 1_795_255_200), onWait: onWait,
      isCancelled: isCancelled)
  }

  private var lockText: String? { box.text(atPath: box.statePath + "/lock") }

  @Test func `the lock names its holder, and names nobody once it is free`() throws {
    var lock = try acquire()
    #expect(lock != nil)
    let text = try #require(lockText)
    #expect(text.hasPrefix("process \(getpid()) on "))
    #expect(text.hasSuffix(" since 2026-11-21T10:00:00Z\n"))
    #expect(RunLock.holder(in: box.state).map { $0 + "\n" } == text)
    lock = nil
    #expect(lockText == "")
    #expect(RunLock.holder(in: box.state) == nil)
    // A program that another test is about to start may still have it.
    var polls = 0
    let next = try acquire(
      wait: true,
      isCancelled: {
        polls += 1
        return polls > 100
      })
    #expect(next != nil)
  }

  @Test func `a second run is refused, or waits and is told once who holds the lock`() throws {
    var first = try acquire()
    #expect(first != nil)
    #expect(try acquire() == nil)
    var told: [String] = []
    var polls = 0
    let second = try acquire(
      wait: true, onWait: { told.append($0) },
      isCancelled: {
        polls += 1
        if polls == 2 { first = nil }
        return polls > 100
      })
    #expect(second != nil)
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("process \(getpid()) on ") == true)
    #expect(lockText?.isEmpty == false)
  }

  @Test func `who waits is told of each further holder`() throws {
    var first = try acquire()
    #expect(first != nil)
    var (told, polls): ([String], Int) = ([], 0)
    _ = try acquire(
      wait: true, onWait: { told.append($0) },
      isCancelled: {
        polls += 1
        // Another run has the lock now.
        if polls == 2 { try? Data("process 7 on x".utf8).write(to: URL(filePath: box.statePath + "/lock")) }
        return polls > 4
      })
    first = nil
    #expect(told.count == 2)
    #expect(told.last == "process 7 on x")
  }

  @Test func `those that share the lock hold it together, and keep out who does not`() throws {
    var first = try acquire(sharedFor: "16 shards")
    var second = try acquire(sharedFor: "16 shards")
    #expect(first != nil)
    #expect(second != nil)
    #expect(try acquire() == nil)
    first = nil
    #expect(try acquire() == nil)
    second = nil
    let alone = try acquire()
    #expect(alone != nil)
    #expect(try acquire(sharedFor: "16 shards") == nil)
  }

  @Test func `it is not shared for two purposes, whoever holds it longest`() throws {
    var first = try acquire(sharedFor: "16 shards")
    #expect(lockText?.hasPrefix("process \(getpid()) (16 shards) on ") == true)
    #expect(try acquire(sharedFor: "6 shards") == nil)
    #expect(try acquire(sharedFor: "8 shards") == nil)
    var second = try acquire(sharedFor: "16 shards")
    first = nil
    #expect(try acquire(sharedFor: "8 shards") == nil)
    #expect(try acquire(sharedFor: "16 shards") != nil)
    #expect(second != nil)
    second = nil
    #expect(first == nil)
    #expect(try acquire(sharedFor: "8 shards") != nil)
  }

  @Test func `a long name of a host does not hide the purpose, nor stands for one`() throws {
    var first = try acquire(sharedFor: "16 shards")
    for (text, isOurs) in [
      ("process 1 (16 shards) on \(String(repeating: "h", count: 400)) since then\n", true),
      ("process 1 (8 shards) on h (16 shards) on h since then, 16 shards\n", false), ("", false),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: box.statePath + "/lock"))
      #expect(try (acquire(sharedFor: "16 shards") != nil) == isOurs, "\(text)")
    }
    #expect(first != nil)
    first = nil
  }

  @Test func `many that ask for two purposes at once never hold the lock for both`() {
    let state = box.state
    let holders = Monitor<[String: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let purpose = number % 2 == 0 ? "16 shards" : "8 shards"
      for _ in 0..<300 {
        let lock = try? RunLock.acquire(
          in: state, sharedFor: purpose, wait: true, now: Timestamp(seconds: 1), onWait: { _ in },
          isCancelled: { true })
        guard let lock else { continue }
        holders.withLock { $0[purpose, default: 0] += 1 }
        let both = holders.withLock { $0.values.count { $0 > 0 } }
        #expect(both == 1)
        holders.withLock { $0[purpose, default: 0] -= 1 }
        _ = consume lock
      }
    }
  }

  @Test func `waiting ends when it is cancelled`() throws {
    let first = try acquire()
    var polls = 0
    let second = try acquire(
      wait: true,
      isCancelled: {
        polls += 1
        return polls == 2
      })
    #expect(second == nil)
    #expect(first != nil)
  }

  @Test func `another process that holds the lock keeps us out until it is killed`() throws {
    let holder = try Holder(box.statePath + "/lock", saying: "process 7 on\\e[31m elsewhere\\n")
    #expect(try acquire() == nil)
    var told: [String] = []
    var polls = 0
    let lock = try acquire(
      wait: true, onWait: { told.append($0) },
      isCancelled: {
        polls += 1
        if polls == 1 { holder.kill() }
        return polls > 200
      })
    #expect(lock != nil)
    #expect(told == ["process 7 on[31m elsewhere"])
  }

  @Test func `we keep another process out, and a child process does not keep the lock`() throws {
    var lock = try acquire()
    #expect(lock != nil)
    #expect(try Holder.tryLock(box.statePath + "/lock") == false)
    // Any long-lived child will do; it must not have inherited the lock.
    let child = try Holder(box.path + "/another", saying: "")
    lock = nil
    #expect(try Holder.tryLock(box.statePath + "/lock"))
    child.kill()
  }

  @Test func `a lock file that is a link is refused`() throws {
    try box.put("precious", at: "file")
    try FileManager.default.createSymbolicLink(
      atPath: box.statePath + "/lock", withDestinationPath: box.at("file"))
    #expect(throws: FailureCause.self) { try acquire() }
    #expect(box.text("file") == "precious")
  }
}

/// Another process that holds an `flock`.
private final class Holder {
  private let process: RunningProcess

  /// Returns once it holds the lock on `path`.
  init(_ path: String, saying text: String) throws {
    let script = """
      use Fcntl ":flock"; $| = 1; open(my $f, "+>>", $ARGV[0]) or die; flock($f, LOCK_EX) or die;
      syswrite($f, "\(text)"); syswrite(STDERR, "locked\\n"); sleep 60;
      """
    process = try startProcess("/usr/bin/perl", ["-e", script, path])
    guard process.waitForStandardError(until: { $0 == "locked\n" }) else { throw POSIXError(.EIO) }
  }

  deinit { kill() }

  /// As `kill -9` does: the process can do nothing more.
  func kill() {
    process.send(SIGKILL)
    _ = process.wait()
  }

  /// Whether another process gets the lock at once.
  static func tryLock(_ path: String) throws -> Bool {
    let script =
      #"use Fcntl ":flock"; open(my $f, "+>>", $ARGV[0]) or die; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)"#
    return try run("/usr/bin/perl", "-e", script, path) == 0
  }
}
