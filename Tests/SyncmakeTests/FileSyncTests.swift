import Foundation
import SyncTestSupport
import Syncmake
import Testing

@Suite struct FileSyncTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ server: LoopbackServer, _ path: String, to destination: String) -> FileSync {
    FileSync(server.url(path), to: destination, in: folder.path)
  }

  @Test func `a file is fetched once, and again when it has changed`() async throws {
    let server = try LoopbackServer(["/a": [.file(Array("one".utf8), etag: "\"1\"")]])
    let sync = file(server, "/a", to: "data/a.txt")
    let first = try await sync.run()
    #expect(first.name == "data/a.txt")
    #expect(first.outcome == .updated && first.isChanged && first.bytesReceived == 3)
    let second = try await sync.run()
    #expect(second.outcome == .fresh && !second.isChanged)
    #expect(second.reason == "not-modified" && second.httpStatus == 304)
    server.on("/a", .file(Array("two".utf8), etag: "\"2\""))
    #expect(try await sync.plan().action == .update)
    #expect(folder.text("data/a.txt") == "one")
    #expect(try await sync.run().isChanged)
    #expect(folder.text("data/a.txt") == "two")
  }

  @Test func `a database with a published md5 is asked for, fetched, unpacked, and told of`() async throws {
    let packed = try TestData.gzip(Array("rows".utf8))
    let server = try LoopbackServer([
      "/db.gz": [.file(packed)], "/db.gz.md5": [.text(try TestData.digest("md5", packed) + "  db.gz\n")],
    ])
    var sync = file(server, "/db.gz", to: "db")
    sync.rule = .digest(Digest(.md5, at: server.url("/db.gz.md5")))
    sync.steps = [.gunzip]
    #expect(try await sync.plan().action == .update)
    #expect(try await sync.run().isChanged)
    #expect(folder.text("db") == "rows")
    #expect(try await sync.plan().action == .fresh)
    #expect(try await sync.run().reason == "digest-matches")
    #expect(server.requests(to: "/db.gz").count { $0.method == "GET" } == 1)
  }

  @Test func `a download that was cancelled goes on where it was`() async throws {
    let bytes = TestData.random(3_000_000, seed: 1)
    let whole = Reply.file(bytes, etag: "\"1\"")
    let server = try LoopbackServer(["/big": [whole.held(afterBody: 2_000_000, until: "gate"), whole]])
    let sync = file(server, "/big", to: "big")
    let task = Task(executorPreference: OwnQueue()) { try await sync.run() }
    #expect(await server.seen { $0.bytesSent(to: "/big") >= 2_000_000 })
    task.cancel()
    let error = try #require(await task.result.failure as? SyncError)
    #expect(error.code == .cancelled)
    #expect(!folder.exists("big"))
    let result = try await sync.run()
    #expect(result.bytesResumed > 0)
    #expect(result.bytesResumed + result.bytesReceived == 3_000_000)
    #expect(folder.read("big") == bytes)
  }

  @Test func `a failure leaves the old file and is thrown with its code`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    var sync = file(server, "/a", to: "a")
    sync.rule = .always
    _ = try await sync.run()
    server.on("/a", .status(404))
    let error = try await #require(throws: SyncError.self) { try await sync.run() }
    #expect(error.code.rawValue == "http-status")
    #expect(error.message.hasSuffix("; the old file is kept"))
    #expect(folder.text("a") == "one")
  }

  @Test(arguments: ["../a", "/tmp/a", "a/../../b", "../"])
  func `a destination outside the root is refused`(destination: String) async throws {
    let sync = FileSync("https://example.org/a", to: destination, in: folder.path)
    let error = try await #require(throws: SyncError.self) { try await sync.run() }
    #expect(error.code == .outsideRoot)
    #expect(!folder.exists(".syncmake"))
  }

  @Test(arguments: ["", ".", ".git/a", "syncmake.lock", ".syncmake/x"])
  func `a destination that no output may have is invalid`(destination: String) async throws {
    let sync = FileSync("https://example.org/a", to: destination, in: folder.path)
    let error = try await #require(throws: SyncError.self) { try await sync.run() }
    #expect(error.code == .invalid)
    #expect(!error.problems.isEmpty)
  }

  @Test func `a link that leads out of the root is not followed`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    let outside = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("out"), withDestinationPath: outside.path)
    let error = try await #require(throws: SyncError.self) {
      try await file(server, "/a", to: "out/a").run()
    }
    #expect(error.code.rawValue == "output-unwritable")
    #expect(!outside.exists("a"))
  }

  @Test func `two files with one destination are refused, and nothing is done`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")], "/b": [.text("two")]])
    let error = try await #require(throws: SyncError.self) {
      try await FileSync.run([file(server, "/a", to: "x"), file(server, "/b", to: "./x")])
    }
    #expect(error.code == .takenDestination)
    #expect(server.requests.isEmpty)
  }

  @Test func `two runs of one destination at once come one after the other`() async throws {
    let server = try LoopbackServer(["/a": [.file(Array("one".utf8), etag: "\"1\"")]])
    let sync = file(server, "/a", to: "a")
    let results = try await withThrowingTaskGroup(of: TargetResult.self) { group in
      for _ in 1...5 { group.addTask { try await sync.run() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0.isChanged } == 1)
    #expect(results.count { $0.outcome == .fresh } == 4)
    #expect(folder.text("a") == "one")
  }

  @Test func `many files are one run, and the failure of one is its own`() async throws {
    let server = try LoopbackServer(["/b": [.status(404)], "*": [.text("x")]])
    let other = try TemporaryFolder()
    var files = ["/a", "/b", "/c d"].map { path in
      FileSync(server.url(path == "/c d" ? "/c" : path), to: String(path.dropFirst()), in: folder.path)
    }
    files.append(FileSync(server.url("/e"), to: "a", in: other.path))
    var options = RunOptions()
    options.keepsGoing = true
    let results = try await FileSync.run(files, options: options)
    #expect(results.map(\.name) == ["a", "b", "c d", "a"])
    #expect(results.map(\.isChanged) == [true, false, true, true])
    #expect(results.map(\.error?.code.rawValue) == [nil, "http-status", nil, nil])
    #expect(other.text("a") == "x")
  }

  @Test func `what was done before a task was cancelled is in the results`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")], "/b": [.text("two").held(until: "gate")]])
    let files = [file(server, "/a", to: "a"), file(server, "/b", to: "b"), file(server, "/c", to: "c")]
    var options = RunOptions()
    // The second file is asked for when the first one has ended.
    options.jobs = 1
    let task = Task(executorPreference: OwnQueue()) { [options] in
      try await FileSync.run(files, options: options)
    }
    #expect(await server.seen { !$0.requests(to: "/b").isEmpty })
    task.cancel()
    let results = try await task.value
    #expect(results.map(\.outcome) == [.updated, .skipped, .skipped])
    #expect(results.map(\.isChanged) == [true, false, false])
    #expect(results.map(\.error?.code) == [nil, .cancelled, .cancelled])
  }

  @Test func `a root that cannot be run takes nothing from the one before it`() async throws {
    let server = try LoopbackServer(["/held": [.text("x").held(until: "gate")], "*": [.text("one")]])
    let other = try TemporaryFolder()
    let held = FileSync(server.url("/held"), to: "held", in: other.path)
    let holder = Task(executorPreference: OwnQueue()) { try await held.run() }
    #expect(await server.seen { !$0.requests(to: "/held").isEmpty })
    var options = RunOptions()
    options.waits = false
    let refused = FileSync(server.url("/b"), to: "b", in: other.path)
    let results = try await FileSync.run([file(server, "/a", to: "a"), refused], options: options)
    #expect(results.map(\.name) == ["a", "b"])
    #expect(results.map(\.isChanged) == [true, false])
    #expect(results.map(\.error?.code) == [nil, .busy])
    let error = try await #require(throws: SyncError.self) {
      try await FileSync.run([refused], options: options)
    }
    #expect(error.code == .busy)
    server.release("gate")
    _ = try await holder.value
  }

  @Test func `warnings are in the result of the file that they are about`() async throws {
    let server = try LoopbackServer([
      "/a": [.file(Array("a".utf8))], "/b": [.file(Array("b".utf8), etag: "\"1\"")],
    ])
    let results = try await FileSync.run([file(server, "/a", to: "x y"), file(server, "/b", to: "b")])
    #expect(results[0].warnings.map(\.target) == ["x y"])
    #expect(results[0].warnings.first?.message.contains("sends no ETag") == true)
    #expect(results[0].warnings.first?.isError == false)
    #expect(results[1].warnings == [])
  }

  @Test func `destinations that cannot be names of targets are told apart`() async throws {
    let server = try LoopbackServer(["*": [.file(Array("one".utf8), etag: "\"1\"")]])
    let names = ["file-2", "c d", "c_d", "file_c_20d", "ä", "file-3"]
    let files = names.enumerated().map { file(server, "/\($0)", to: $1) }
    #expect(try await FileSync.run(files).map(\.isChanged) == names.map { _ in true })
    #expect(names.allSatisfy { folder.text($0) == "one" })
    // A call of other files, in another order, has the same records.
    #expect(try await FileSync.run([files[4], files[1]]).map(\.httpStatus) == [304, 304])
    let new = try await file(server, "/1", to: "e f").plan()
    #expect(new.reason == "output-missing")
  }

  @Test func `a file has one root and one state folder, however they are spelled`() async throws {
    let server = try LoopbackServer(["*": [.text("one")]])
    var other = file(server, "/b", to: "x")
    for root in ["/", "/.", "//"] {
      other.root = folder.path + root
      let error = try await #require(throws: SyncError.self) {
        try await FileSync.run([file(server, "/a", to: "x"), other])
      }
      #expect(error.code == .takenDestination)
    }
    other.state = folder.path("state")
    let twice = try await #require(throws: SyncError.self) {
      try await FileSync.run([file(server, "/a", to: "x"), other])
    }
    #expect(twice.code == .takenDestination)
    var inner = FileSync(server.url("/b"), to: "b", in: folder.path("sub"))
    inner.state = folder.path("state")
    let nested = try await #require(throws: SyncError.self) {
      try await FileSync.run([file(server, "/a", to: "sub/b"), inner])
    }
    #expect(nested.code == .takenDestination)
    #expect(server.requests.isEmpty)
  }

  @Test func `headers can be made at run time`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    var sync = file(server, "/a", to: "a")
    sync.headers = ["X-One": "1"]
    for number in 2...3 { sync.headers.append("X-\(number)", "${\(number)}") }
    _ = try await sync.run()
    let request = try #require(server.requests.first)
    #expect(["X-One", "X-2", "X-3"].map { request.header($0) } == ["1", "${2}", "${3}"])
  }

  @Test func `files of another call keep their records`() async throws {
    let server = try LoopbackServer([
      "/a": [.file(Array("a".utf8), etag: "\"1\"")], "/b": [.file(Array("b".utf8), etag: "\"1\"")],
    ])
    _ = try await file(server, "/a", to: "a").run()
    _ = try await file(server, "/b", to: "b").run()
    #expect(try await file(server, "/a", to: "a").run().httpStatus == 304)
    #expect(try await file(server, "/b", to: "b").run().httpStatus == 304)
  }

  @Test func `a lock in the root is that of a manifest`() async throws {
    let server = try LoopbackServer(["/a": [.text("one")]])
    try folder.write("lockfile: nonsense", to: "syncmake.lock")
    #expect(try await file(server, "/a", to: "a").run().isChanged)
  }

  @Test func `an edited file is kept unless the caller says so`() async throws {
    let server = try LoopbackServer(["/a": [.file(Array("one".utf8), etag: "\"1\"")]])
    var sync = file(server, "/a", to: "a")
    _ = try await sync.run()
    try folder.write("mine", to: "a")
    let error = try await #require(throws: SyncError.self) { try await sync.run() }
    #expect(error.code.rawValue == "output-modified")
    #expect(folder.text("a") == "mine")
    sync.localChanges = .overwrite
    #expect(try await sync.run().isChanged)
    #expect(folder.text("a") == "one")
  }

  @Test func `proxies come from the environment that is passed`() async throws {
    let proxy = try LoopbackServer(["*": [.text("by proxy")]])
    let sync = FileSync("http://example.invalid/a", to: "a", in: folder.path)
    let result = try await sync.run(environment: ["http_proxy": proxy.url()])
    #expect(result.isChanged)
    #expect(folder.text("a") == "by proxy")
    #expect(proxy.requests.first?.header("User-Agent")?.hasPrefix("syncmake/") == true)
  }
}

extension Result {
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
