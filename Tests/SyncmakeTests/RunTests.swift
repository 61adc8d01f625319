import Foundation
import SyncTestSupport
import Syncmake
import Testing

@Suite struct RunTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the events of a run end with its result`() async throws {
    let server = try LoopbackServer(["/a": [.file(Array("one".utf8), etag: "\"1\"")], "/b": [.status(404)]])
    let manifest = try Manifest(
      [Target("a", url: server.url("/a")), Target("b", url: server.url("/b"))], root: folder.path)
    var options = RunOptions()
    options.keepsGoing = true
    var names: [String] = []
    var finished: [String] = []
    for await event in manifest.run(options: options) {
      switch event {
      case .started(let count): names.append("started \(count)")
      case .finished(let result): finished.append(result.name)
      case .ended(let result):
        names.append("ended")
        #expect(result.status == .failed)
        #expect(result.error == nil)
        #expect(result.targets.map(\.outcome) == [.updated, .failed])
        #expect(result.targets[1].error?.code.rawValue == "http-status")
        #expect(result.targets[1].httpStatus == 404)
        #expect(result.targets[1].error?.isTemporary == false)
      default: names.append("\(event)")
      }
    }
    #expect(names == ["started 2", "ended"])
    #expect(finished.sorted() == ["a", "b"])
    #expect(folder.text("a") == "one")
  }

  @Test func `a plan asks and writes nothing`() async throws {
    let server = try LoopbackServer(["/a": [.file(Array("one".utf8), etag: "\"1\"")]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    let plan = try await manifest.plan()
    #expect(plan.hasWork)
    #expect(plan.targets.map(\.reason) == ["output-missing"])
    #expect(!folder.exists(".syncmake") && !folder.exists("a"))
    _ = try await manifest.run().result()
    let second = try await manifest.plan()
    #expect(!second.hasWork)
    #expect(second.targets.map(\.action) == [.fresh])
  }

  @Test func `each run of a manifest is a new one`() async throws {
    let server = try LoopbackServer(["/a": [.file(Array("one".utf8), etag: "\"1\"")]])
    let run = try Manifest([Target("a", url: server.url("/a"))], root: folder.path).run()
    #expect(await ended(run)?.targets.map(\.outcome) == [.updated])
    #expect(try await run.result().targets.map(\.outcome) == [.fresh])
  }

  @Test func `a cancelled task gets the result after the run has ended`() async throws {
    let server = try LoopbackServer(["/a": [.text("one").held(until: "gate")]])
    let run = try Manifest([Target("a", url: server.url("/a"))], root: folder.path).run()
    let task = Task(executorPreference: OwnQueue()) { await ended(run) }
    #expect(await server.seen { !$0.requests.isEmpty })
    task.cancel()
    let result = await task.value
    #expect(result?.status == .cancelled)
    #expect(result?.error?.code == .cancelled)
    // Nobody holds the state folder any more.
    var options = RunOptions()
    options.waits = false
    server.on("/a", .text("two"))
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    #expect(try await manifest.run(options: options).result().status == .ok)
  }

  @Test func `a task that is cancelled before its run does nothing`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await manifest.run().result()
    }
    let error = try #require(await task.result.failure as? SyncError)
    #expect(error.code == .cancelled)
    #expect(!folder.exists("a"))
  }

  @Test func `dropped events stop the run`() async throws {
    let server = try LoopbackServer(["/a": [.text("one").held(until: "gate")]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    for await event in manifest.run() {
      if case .started = event { break }
    }
    // Waits for the first run's end.
    server.on("/a", .text("two"))
    #expect(try await manifest.run().result().status == .ok)
  }

  @Test func `of two runs in one root the second waits, or is refused`() async throws {
    let server = try LoopbackServer(["/a": [.text("one").held(until: "gate")]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    let first = Task(executorPreference: OwnQueue()) { await ended(manifest.run()) }
    #expect(await server.seen { !$0.requests.isEmpty })
    var options = RunOptions()
    options.waits = false
    let refused = await ended(manifest.run(options: options))
    #expect(refused?.error?.code == .busy)
    #expect(refused?.error?.isTemporary == true)
    let second = Task {
      var holders: [String] = []
      for await event in manifest.run() {
        if case .waiting(let holder) = event {
          holders.append(holder)
          server.release("gate")
        }
      }
      return holders
    }
    let holders = await second.value
    #expect(holders.count == 1 && holders[0].contains("process \(getpid())"))
    #expect(await first.value?.status == .ok)
  }

  @Test func `progress counts the bytes of the body`() async throws {
    let body = String(repeating: "0123456789", count: 30_000)
    let server = try LoopbackServer(["/a": [.text(body)]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    var options = RunOptions()
    options.reportsProgress = true
    var last: (received: Int64, total: Int64?) = (0, nil)
    for await event in manifest.run(options: options) {
      if case .progress("a", let received, let total) = event {
        #expect(received >= last.received)
        last = (received, total)
      }
    }
    #expect(last.received == 300_000)
    #expect(last.total == 300_000)
  }

  @Test func `a lock decides, and must be there if it is required`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    var options = RunOptions()
    options.requiresLock = true
    let missing = await ended(manifest.run(options: options))
    #expect(missing?.error?.code == .invalidLock)
    try folder.write("nonsense", to: "syncmake.lock")
    let invalid = await ended(manifest.run())
    #expect(invalid?.error?.code == .invalidLock)
    #expect(invalid?.error?.problems.isEmpty == false)
    #expect(!folder.exists("a"))
  }

  @Test func `values and lists are known before the targets`() async throws {
    let server = try LoopbackServer([
      "/latest": [.text("v7\n")], "/v7/a": [.text("seven")],
      "/list/sums": [.text("\(try TestData.digest("md5", Array("x".utf8)))  x.gz\n")],
      "/list/x.gz": [.text("x")],
    ])
    let manifest = try Manifest(
      text: """
        version: 1
        vars: {stamp: {target: latest, line: 1}}
        targets:
          latest: {url: "\(server.url("/latest"))"}
          a: {url: "\(server.url(""))/${stamp}/a"}
          db/${entry.name}:
            list: {url: "\(server.url("/list/sums"))", format: checksums}
            output: db/${entry.name}
        """, root: folder.path)
    let plan = try await manifest.plan()
    #expect(plan.targets.map(\.name).sorted() == ["a", "db/x.gz", "latest"])
    #expect(!folder.exists(".syncmake"))
    let result = try await manifest.run().result()
    #expect(result.status == .ok)
    #expect(folder.text("a") == "seven" && folder.text("db/x.gz") == "x")
    var offline = RunOptions()
    offline.isOffline = true
    offline.keepsGoing = true
    let second = try await manifest.run(options: offline).result()
    // The stored list has the digest of its file.
    let known = second.targets.map { $0.error?.code.rawValue ?? $0.reason }
    #expect(known.sorted { $0 ?? "" < $1 ?? "" } == ["list-unchanged", "offline", "offline"])
  }

  /// A manifest with a value of the output of `latest`, whose first mirror fails.
  private func withValue(_ server: LoopbackServer) throws -> Manifest {
    try Manifest(
      text: """
        version: 1
        vars: {stamp: {target: latest, line: 1}}
        targets:
          latest: {url: ["\(server.url("/gone"))", "\(server.url("/latest"))"]}
          a: {url: "\(server.url(""))/${stamp}/a"}
        """, root: folder.path)
  }

  @Test func `what is done to know a value is told, and its target ends once`() async throws {
    let server = try LoopbackServer([
      "/gone": [.status(404)], "/latest": [.text("v7\n")], "/v7/a": [.text("seven")],
    ])
    var events: [String] = []
    for await event in try withValue(server).run() {
      switch event {
      case .started(let count): events.append("started \(count)")
      case .nextMirror(let target, _, _): events.append("mirror \(target)")
      case .finished(let result): events.append("finished \(result.name)")
      case .warning(let problem): events.append("warning \(problem.target ?? "")")
      case .ended(let result):
        events.append("ended")
        #expect(result.targets.map(\.isChanged) == [true, true])
        #expect(result.warnings.map(\.target) == ["latest", "a"])
        #expect(result.targets.map(\.warnings.count) == [1, 1])
      default: break
      }
    }
    #expect(
      events == [
        "mirror latest", "warning latest", "started 2", "finished latest", "warning a", "finished a", "ended",
      ])
  }

  @Test func `a run that ends after its values has the targets that ended`() async throws {
    let server = try LoopbackServer(["/gone": [.status(404)]])
    let run = try withValue(server).run()
    /// Performs `work`, and breaks the lock while the value is fetched.
    func breaking<Value: Sendable>(_ gate: String, _ work: @escaping @Sendable () async throws -> Value)
      async throws -> Value
    {
      server.clearLog()
      server.on("/latest", .text("v7\n").held(until: gate))
      let task = Task(executorPreference: OwnQueue()) { try await work() }
      #expect(await server.seen { !$0.requests(to: "/latest").isEmpty })
      try folder.write("nonsense", to: "syncmake.lock")
      server.release(gate)
      let value = try await task.value
      try FileManager.default.removeItem(atPath: folder.path("syncmake.lock"))
      return value
    }
    let finished = try await breaking("first") {
      var finished: [String] = []
      for await event in run {
        if case .finished(let result) = event { finished.append(result.name) }
        if case .ended(let result) = event {
          #expect(result.error?.code == .invalidLock)
          #expect(result.targets.map(\.isChanged) == [true])
        }
      }
      return finished
    }
    #expect(finished == ["latest"])
    // Something was done, so it is not thrown.
    let second = try await breaking("second") { try await run.result() }
    #expect(second.status == .failed && second.error?.code == .invalidLock)
    #expect(second.targets.map(\.name) == ["latest"])
  }

  @Test func `if a lock is required and missing, nothing is started for a value`() async throws {
    let server = try LoopbackServer(["/gone": [.status(404)], "/latest": [.text("v7\n")]])
    var options = RunOptions()
    options.requiresLock = true
    let error = try await #require(throws: SyncError.self) {
      try await withValue(server).run(options: options).result()
    }
    #expect(error.code == .invalidLock)
    #expect(server.requests.isEmpty && !folder.exists("latest"))
  }

  @Test func `a run whose targets are those of a lock that has changed begins again`() async throws {
    let server = try LoopbackServer([
      "/held": [.text("held").held(until: "gate")], "/x.gz": [.text("x")],
      "/sums": [.text("\(try TestData.digest("md5", Array("x".utf8)))  x.gz\n")],
    ])
    let holder = try Manifest([Target("held", url: server.url("/held"))], root: folder.path).run()
    let manifest = try Manifest(
      text: """
        version: 1
        targets:
          db/${entry.name}:
            list: {url: "\(server.url("/sums"))", format: checksums}
            output: db/${entry.name}
        """, root: folder.path)
    let first = Task(executorPreference: OwnQueue()) { await ended(holder) }
    #expect(await server.seen { !$0.requests(to: "/held").isEmpty })
    var warnings: [String] = []
    var result: RunResult?
    for await event in manifest.run() {
      switch event {
      case .waiting:
        // The lock comes while the run waits, which has read that there is none.
        try folder.write("version: 1\ntargets: {}\n", to: "syncmake.lock")
        server.release("gate")
      case .warning(let problem): warnings.append(problem.message)
      case .ended(let end): result = end
      default: break
      }
    }
    #expect(await first.value?.status == .ok)
    #expect(result?.status == .ok && result?.error == nil)
    #expect(folder.text("db/x.gz") == "x")
    #expect(warnings.count { $0.contains("not locked") } == 1)
    #expect(result?.warnings.map(\.message) == warnings)
    #expect(server.requests(to: "/sums").count == 2)
  }

  @Test func `a cancelled run has the result of what ended`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")], "/b": [.text("two").held(until: "gate")]])
    let manifest = try Manifest(
      [Target("a", url: server.url("/a")), Target("b", url: server.url("/b"))], root: folder.path)
    var options = RunOptions()
    options.jobs = 1
    let task = Task(executorPreference: OwnQueue()) { [options] in
      try await manifest.run(options: options).result()
    }
    #expect(await server.seen { !$0.requests(to: "/b").isEmpty })
    task.cancel()
    let result = try await task.value
    #expect(result.status == .cancelled && result.error?.code == .cancelled)
    #expect(result.targets.map(\.outcome) == [.updated, .skipped])
    #expect(result.targets.map(\.error?.code) == [nil, .cancelled])
  }

  @Test func `secrets are in no text`() async throws {
    let server = try LoopbackServer(["/a": [.status(404)]])
    var target = Target("a", url: server.url("/a") + "?key=geheim")
    target.credentials = .bearer("geheim")
    let manifest = try Manifest([target], root: folder.path)
    let result = try await manifest.run().result()
    #expect(!"\(result)".contains("geheim"))
    #expect(result.targets[0].error?.message.contains("***") == true)
    #expect(server.requests.first?.header("Authorization") == "Bearer geheim")
    #expect(manifest.text?.contains("Bearer") == false)
  }

  @Test func `a run changes no action for a signal`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    let manifest = try Manifest([Target("a", url: server.url("/a"))], root: folder.path)
    let before = await settledSignalActions()
    _ = try await manifest.run().result()
    #expect(await settledSignalActions() == before)
  }
}

extension LoopbackServer {
  /// As `wait`, on a thread of its own: tasks need the one of the test.
  func seen(_ isTrue: @escaping @Sendable (ServerLog) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.wait(until: isTrue)) }
    }
  }
}

/// The same once SIGPIPE is not ignored: libcurl ignores it while it closes connections, perhaps those of another test.
private func settledSignalActions() async -> [String] {
  for _ in 0..<100 {
    let actions = signalActions()
    if actions.contains(where: { $0.hasPrefix("\(SIGPIPE): [0, 0") }) { return actions }
    try? await Task.sleep(for: .milliseconds(50))
  }
  return signalActions()
}

/// What the process does at each signal, as far as it can be compared.
private func signalActions() -> [String] {
  (Int32(1)..<32).map { number in
    var action = sigaction()
    sigaction(number, nil, &action)
    return withUnsafeBytes(of: action) { "\(number): \(Array($0.prefix(8)))" }
  }
}
