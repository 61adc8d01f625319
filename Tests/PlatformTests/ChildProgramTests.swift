import Foundation
import Platform
import SyncTestSupport
import Testing

@Suite struct `Another program` {
  private func run(
    _ script: String, input: [UInt8] = [], seconds: Double = 20, output: Int = 1 << 20,
    isInVain: () -> Bool = { false }
  ) throws(ChildProgram.Fault) -> ChildProgram.Ending {
    signal(SIGPIPE, SIG_IGN)
    return try ChildProgram.run(
      "/bin/sh", ["-c", script, "sh", "get"], environment: ["PATH=/usr/bin:/bin", "WORD=hello"], input: input,
      limits: .init(time: .seconds(seconds), output: output), isInVain: isInVain)
  }

  @Test func `gets arguments, variables and input, and gives output and status`() throws {
    let ending = try run("echo \"$1 $WORD\"; cat; echo no >&2; exit 3", input: Array("in".utf8))
    #expect(String(decoding: ending.output, as: UTF8.self) == "get hello\nin")
    #expect(String(decoding: ending.errors, as: UTF8.self) == "no\n")
    #expect(ending.status == 3)
  }

  @Test func `may take and give more than a pipe holds`() throws {
    let input = [UInt8](repeating: 7, count: 500_000)
    #expect(try run("cat", input: input).output == input)
  }

  @Test func `need not read its input`() throws {
    let ending = try run("exec <&-; echo out", input: [UInt8](repeating: 7, count: 500_000))
    #expect(ending.output == Array("out\n".utf8) && ending.status == 0)
  }

  @Test func `may be ended by a signal`() throws {
    #expect(try run("kill -9 $$").status == nil)
  }

  @Test func `is killed with what it has started when the time is up`() throws {
    let folder = try TemporaryFolder()
    let began = ContinuousClock.now
    #expect(throws: ChildProgram.Fault.late(errors: Array("wait\n".utf8))) {
      try run("echo wait >&2; sleep 60 & echo $! > '\(folder.path)/pid'; wait", seconds: 0.5)
    }
    #expect(ContinuousClock.now - began < .seconds(10))
    let text = try String(contentsOfFile: folder.path + "/pid", encoding: .utf8)
    let sleeper = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Killed, though perhaps nobody has taken note of it yet.
    let end = ContinuousClock.now + .seconds(5)
    while isRunning(sleeper), ContinuousClock.now < end { usleep(10_000) }
    #expect(!isRunning(sleeper))
  }

  private func isRunning(_ identifier: Int32) -> Bool {
    guard kill(identifier, 0) == 0 else { return false }
    let state = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
    return state?.contains(") Z ") != true
  }

  @Test func `is killed if it is in vain, or says too much`() throws {
    #expect(throws: ChildProgram.Fault.stopped) { try run("sleep 60", isInVain: { true }) }
    #expect(throws: ChildProgram.Fault.tooLong) { try run("while :; do echo word; done", output: 1000) }
  }

  @Test func `may not be there`() {
    #expect(throws: ChildProgram.Fault.unstartable(SystemError(ENOENT))) {
      try ChildProgram.run(
        "/no/such/program", [], environment: [], input: [], limits: .init(time: .seconds(1), output: 1),
        isInVain: { false })
    }
  }

  /// This process may block and ignore signals, but another program must not inherit that.
  @Test func `has no signal blocked or ignored`() throws {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    defer { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
    #expect(try run("kill -USR1 $$; echo alive").output.isEmpty)
  }
}
