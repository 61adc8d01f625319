import Foundation
import SyncTestSupport
import Testing

/// Each example does what its README says.
@Suite struct ExamplesTests {
  static let names = [
    "quickstart", "only-if-updated", "once-a-day", "changing-pictures", "large-docsets", "app-database",
    "in-ci", "with-make",
  ]

  @Test func `every folder under examples is one of those tested here`() throws {
    let entries = try FileManager.default.contentsOfDirectory(atPath: "\(ExampleFolder.project)/examples")
    #expect(Set(entries).subtracting(["README.md"]) == Set(Self.names))
  }

  @Test(arguments: names)
  func `has a README that says when one wants this, and a valid manifest`(name: String) throws {
    let example = try ExampleFolder(name)
    let readme = try #require(example.folder.text("README.md"))
    #expect(readme.hasPrefix("# \(name)\n\n**When you want this:**"))
    let result = try example.syncmake("validate")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(!example.folder.exists(".syncmake"))
  }

  @Test(arguments: names)
  func `what is fetched is not for version control`(name: String) throws {
    let server = try LoopbackServer(["*": [.text("something\n")]])
    let example = try ExampleFolder(name, server: server)
    // Whatever the targets think of these replies, what they leave must be ignored.
    let line = """
      git init -q . && git add -A && git -c user.name=t -c user.email=t@localhost commit -qm t \
      && { syncmake -k > log 2>&1; rm -f log; git status --porcelain; }
      """
    let result = try example.shell(line)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout == "")
    #expect(example.folder.exists(".syncmake"))
  }
}

@Suite struct `examples/quickstart` {
  @Test func `runs without a network, and again without a change`() throws {
    let example = try ExampleFolder("quickstart")
    let first = try example.run()
    #expect(first.targets.map(\.name) == ["genes", "index", "chr1", "chr2", "chr3", "chrX"])
    #expect(first.summary == ["updated": 6, "fresh": 0, "failed": 0, "skipped": 0])
    let genes = try #require(example.folder.text("data/genes.tsv"))
    #expect(genes.hasPrefix("gene\tchromosome\tstart"))
    #expect(example.folder.read("data/chrX.fa") == example.folder.read("source/chrX.fa"))
    let before = try example.listing("data")
    let second = try example.syncmake()
    #expect(second.status == 0)
    #expect(second.stdout.contains("up to date"))
    #expect(try example.listing("data") == before)
  }

  @Test func `a source that changes is fetched, alone`() throws {
    let example = try ExampleFolder("quickstart")
    _ = try example.run()
    try example.folder.write(">chr1 changed\n", to: "source/chr1.fa")
    let updated = try example.run().targets.filter { $0.outcome == "updated" }
    #expect(updated.map(\.name) == ["chr1"])
    #expect(example.folder.text("data/chr1.fa") == ">chr1 changed\n")
  }

  @Test func `the index follows the table that it needs`() throws {
    let example = try ExampleFolder("quickstart")
    _ = try example.run()
    let packed = try TestData.gzip(Array("gene\nnew\n".utf8))
    try example.folder.write(packed, to: "source/genes.tsv.gz")
    let sum = try TestData.digest("md5", packed)
    try example.folder.write("\(sum)  genes.tsv.gz\n", to: "source/genes.tsv.gz.md5")
    let targets = try example.run().targets
    #expect(targets.first { $0.name == "index" }?.reason == "dependency-changed")
    #expect(example.folder.text("data/genes.tsv") == "gene\nnew\n")
  }

  @Test func `a table that does not fit its sum never appears`() throws {
    let example = try ExampleFolder("quickstart")
    try example.folder.write(try TestData.gzip(Array("wrong\n".utf8)), to: "source/genes.tsv.gz")
    let result = try example.syncmake("-k")
    #expect(result.status == 2)
    #expect(result.stderr.contains("genes"))
    #expect(!example.folder.exists("data/genes.tsv"))
    #expect(!example.folder.exists("data/genes.idx"))
    #expect(example.folder.exists("data/chr1.fa"))
  }

  @Test func `an edit is respected until it may be overwritten`() throws {
    let example = try ExampleFolder("quickstart")
    _ = try example.run()
    try example.folder.write("my own\n", to: "data/chr2.fa")
    let refused = try example.syncmake("chr2")
    #expect(refused.status == 2)
    #expect(refused.stderr.contains("--overwrite"))
    #expect(example.folder.text("data/chr2.fa") == "my own\n")
    _ = try example.run("--overwrite")
    #expect(example.folder.read("data/chr2.fa") == example.folder.read("source/chr2.fa"))
  }

  @Test func `a group is asked for by its name`() throws {
    let example = try ExampleFolder("quickstart")
    #expect(try example.run("chromosomes").targets.map(\.name) == ["chr1", "chr2", "chr3", "chrX"])
    #expect(!example.folder.exists("data/genes.tsv"))
  }
}

@Suite struct `examples/only-if-updated` {
  private let old = "Sat, 01 Jan 2022 00:00:00 GMT"
  private let oldSeconds = 1_640_995_200.0
  private let new = "Sun, 01 Jan 2023 00:00:00 GMT"

  @Test func `the file gets the server's time, and is fetched again when that moves`() throws {
    let server = try LoopbackServer([
      "/stations.csv": [.file(Array("a,1\n".utf8), lastModified: old)]
    ])
    let example = try ExampleFolder("only-if-updated", server: server)
    #expect(try example.run().outcomes == ["updated"])
    #expect(try example.modified("stations.csv") == oldSeconds)

    server.clearLog()
    let second = try example.run()
    #expect(second.reasons == ["not-modified"])
    #expect(second.targets.first?.httpStatus == 304)
    #expect(server.requests.map { $0.header("If-Modified-Since") } == [old])
    #expect(try example.modified("stations.csv") == oldSeconds)

    server.on("/stations.csv", .file(Array("a,2\n".utf8), lastModified: new))
    #expect(try example.run().reasons == ["newer-remote"])
    #expect(example.folder.text("stations.csv") == "a,2\n")
    #expect(try example.modified("stations.csv") == oldSeconds + 365 * 86400)
  }

  @Test func `a file that another tool fetched is kept`() throws {
    let server = try LoopbackServer([
      "/stations.csv": [.file(Array("a,1\n".utf8), lastModified: old)]
    ])
    let example = try ExampleFolder("only-if-updated", server: server)
    try example.folder.write("a,1\n", to: "stations.csv")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: oldSeconds)],
      ofItemAtPath: example.folder.path("stations.csv"))
    let before = try example.listing(".").filter { $0.hasPrefix("stations.csv") }
    #expect(try example.run().outcomes == ["fresh"])
    #expect(try example.listing(".").filter { $0.hasPrefix("stations.csv") } == before)
  }

  @Test func `a broken transfer leaves the old file with its time`() throws {
    let server = try LoopbackServer([
      "/stations.csv": [.file(Array("a,1\n".utf8), lastModified: old)]
    ])
    let example = try ExampleFolder("only-if-updated", server: server)
    _ = try example.run()
    server.on("/stations.csv", .text("gone", status: 404))
    #expect(try example.syncmake().status == 2)
    #expect(example.folder.text("stations.csv") == "a,1\n")
    #expect(try example.modified("stations.csv") == oldSeconds)
  }
}

@Suite struct `examples/once-a-day` {
  private let rates = Reply.text(#"{"USD":1.09}"#, headers: [HeaderField("Content-Type", "application/json")])

  @Test func `within a day nothing is asked`() throws {
    let server = try LoopbackServer(["/api/rates?base=EUR": [rates]])
    let example = try ExampleFolder("once-a-day", server: server)
    #expect(try example.run().outcomes == ["updated"])
    #expect(example.folder.text("rates.json") == #"{"USD":1.09}"#)
    server.clearLog()
    #expect(try example.run().reasons == ["within-interval"])
    #expect(server.requests.isEmpty)
  }

  @Test func `it is asked at once on demand, and the same answer leaves the file alone`() throws {
    let server = try LoopbackServer(["/api/rates?base=EUR": [rates]])
    let example = try ExampleFolder("once-a-day", server: server)
    _ = try example.run()
    let before = try example.modified("rates.json")
    let forced = try example.run("-B")
    #expect(forced.reasons == ["forced"])
    #expect(forced.targets.first?.unchanged == true)
    #expect(server.requests.count == 2)
    #expect(try example.modified("rates.json") == before)
  }

  @Test func `a service that is down leaves yesterday's answer`() throws {
    let server = try LoopbackServer(["/api/rates?base=EUR": [rates]])
    let example = try ExampleFolder("once-a-day", server: server)
    _ = try example.run()
    server.on("/api/rates?base=EUR", .text("no", status: 403))
    #expect(try example.syncmake("-B").status == 2)
    #expect(example.folder.text("rates.json") == #"{"USD":1.09}"#)
  }
}

@Suite struct `examples/changing-pictures` {
  private let views = ["harbour", "market", "north-gate", "tower"]

  private func serve(_ server: LoopbackServer, _ view: String, _ version: String) {
    server.on("/views/\(view).jpg", .file(Array("\(view) \(version)".utf8), etag: "\"\(version)\""))
  }

  @Test func `one that was exchanged is fetched, the others cost a request each`() throws {
    let server = try LoopbackServer()
    for view in views { serve(server, view, "v1") }
    let example = try ExampleFolder("changing-pictures", server: server)
    #expect(try example.run().summary["updated"] == 4)

    server.clearLog()
    let before = try example.listing("pictures")
    let second = try example.run()
    #expect(second.reasons == Array(repeating: "not-modified", count: 4))
    #expect(second.targets.allSatisfy { $0.httpStatus == 304 && $0.requests == 1 })
    #expect(server.requests.allSatisfy { $0.header("If-None-Match") == "\"v1\"" })
    #expect(try example.listing("pictures") == before)

    serve(server, "tower", "v2")
    let third = try example.run()
    #expect(third.reasons.last == "validator-changed")
    #expect(third.summary == ["updated": 1, "fresh": 3, "failed": 0, "skipped": 0])
    #expect(example.folder.text("pictures/tower.jpg") == "tower v2")
  }

  @Test func `one of them is asked for by its name`() throws {
    let server = try LoopbackServer()
    for view in views { serve(server, view, "v1") }
    let example = try ExampleFolder("changing-pictures", server: server)
    #expect(try example.run("harbour").targets.map(\.name) == ["harbour"])
    #expect(server.requests.map(\.path) == ["/views/harbour.jpg"])
  }
}

@Suite struct `examples/large-docsets` {
  private let sums = "/docsets/SHA256SUMS"

  /// A server with three sets of these sizes, and the digests of all of them.
  private func server(sizes: [String: Int]) throws -> (LoopbackServer, bytes: [String: [UInt8]]) {
    let server = try LoopbackServer()
    var list = ""
    var bytes: [String: [UInt8]] = [:]
    for (set, size) in sizes.sorted(by: { $0.key < $1.key }) {
      let body = [UInt8](repeating: set.utf8.first ?? 0, count: size)
      bytes[set] = body
      list += "\(try TestData.digest("sha256", body))  \(set).tar\n"
      server.on("/docsets/\(set).tar", .file(body, etag: "\"\(set)-1\""))
    }
    server.on(sums, .file(Array(list.utf8), etag: "\"sums-1\""))
    return (server, bytes)
  }

  @Test func `a broken connection costs only what had not come yet`() throws {
    let (server, bytes) = try server(sizes: ["c": 3_000_000, "python": 1000, "web": 2000])
    let body = try #require(bytes["c"])
    let reply = Reply.file(body, etag: "\"c-1\"")
    server.on("/docsets/c.tar", reply.cut(after: 2_000_000), reply)
    let example = try ExampleFolder("large-docsets", server: server)
    let document = try example.run()
    #expect(document.summary["updated"] == 3)
    #expect(example.folder.read("docsets/c.tar") == body)
    let asked = server.requests(to: "/docsets/c.tar")
    #expect(asked.count == 2)
    #expect(asked.last?.header("Range") == "bytes=2000000-")
    #expect(asked.last?.header("If-Range") == "\"c-1\"")
    #expect(server.requests(to: sums).count == 1)

    server.clearLog()
    #expect(try example.run().reasons == Array(repeating: "digest-matches", count: 3))
    #expect(server.requests.map(\.path) == [sums])
    #expect(server.requests.first?.header("If-None-Match") == "\"sums-1\"")
  }

  @Test func `after Ctrl-C the next run goes on`() throws {
    // More than any buffer between the server and the program holds, so that some of it has come for sure.
    let size = 32 << 20
    let (server, bytes) = try server(sizes: ["c": size, "python": 1000, "web": 2000])
    let body = try #require(bytes["c"])
    server.on(
      "/docsets/c.tar", Reply.file(body, etag: "\"c-1\"").held(afterBody: 24 << 20, until: "the end"))
    let example = try ExampleFolder("large-docsets", server: server)
    let running = try example.start("docs-c")
    #expect(server.wait { $0.bytesSent(to: "/docsets/c.tar") >= 24 << 20 })
    running.send(SIGINT)
    #expect(running.wait().status == 130)
    #expect(!example.folder.exists("docsets/c.tar"))

    server.clearLog()
    server.on("/docsets/c.tar", .file(body, etag: "\"c-1\""))
    let document = try example.run("docs-c")
    #expect(document.targets.first?.bytesResumed ?? 0 > 0)
    #expect(document.targets.first?.bytesTransferred ?? size < size)
    #expect(server.requests(to: "/docsets/c.tar").first?.header("Range")?.hasPrefix("bytes=") == true)
    #expect(example.folder.read("docsets/c.tar") == body)
  }
}

@Suite struct `examples/app-database` {
  /// Publishes a database and its sum; returns what it unpacks to.
  private func publish(_ text: String, on server: LoopbackServer) throws -> [UInt8] {
    let database = Array("SQLite format 3\0\(text)".utf8)
    let packed = try TestData.gzip(database)
    let sum = "\(try TestData.digest("md5", packed))  catalog.sqlite.gz\n"
    server.on("/app/catalog.sqlite.gz", .file(packed))
    server.on("/app/catalog.sqlite.gz.md5", .file(Array(sum.utf8), etag: "\"\(text)\""))
    return database
  }

  @Test func `the sum is asked for first, and the database only when it differs`() throws {
    let server = try LoopbackServer()
    let first = try publish("one", on: server)
    let example = try ExampleFolder("app-database", server: server)
    #expect(try example.run().outcomes == ["updated"])
    #expect(example.folder.read("var/catalog.sqlite") == first)
    // With nothing here there is nothing to compare, so that both may be asked for at once.
    #expect(Set(server.requests.map(\.path)) == ["/app/catalog.sqlite.gz.md5", "/app/catalog.sqlite.gz"])

    server.clearLog()
    let before = try example.listing("var")
    #expect(try example.run().reasons == ["digest-matches"])
    #expect(server.requests.map(\.path) == ["/app/catalog.sqlite.gz.md5"])
    #expect(server.requests.first?.header("If-None-Match") == "\"one\"")
    #expect(try example.listing("var") == before)

    server.clearLog()
    let second = try publish("two", on: server)
    #expect(try example.run().reasons == ["digest-differs"])
    #expect(example.folder.read("var/catalog.sqlite") == second)
    #expect(server.requests.map(\.path) == ["/app/catalog.sqlite.gz.md5", "/app/catalog.sqlite.gz"])
  }

  @Test func `a database that does not fit its sum leaves the old one`() throws {
    let server = try LoopbackServer()
    let first = try publish("one", on: server)
    let example = try ExampleFolder("app-database", server: server)
    _ = try example.run()
    _ = try publish("two", on: server)
    server.on("/app/catalog.sqlite.gz", .file(try TestData.gzip(Array("half of it".utf8))))
    let result = try example.syncmake()
    #expect(result.status == 2)
    #expect(example.folder.read("var/catalog.sqlite") == first)
  }
}

@Suite struct `examples/in-ci` {
  /// Lines of a pipeline's file that begin with `program`.
  private func commands(
    _ program: String = "syncmake", in file: String, of example: ExampleFolder
  ) throws -> [String] {
    let lines = try #require(example.folder.text(file)).split(separator: "\n")
    return lines.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " -")) }
      .filter { $0.hasPrefix("\(program) ") }
  }

  private func server(fixtures: String = "{}") throws -> LoopbackServer {
    let server = try LoopbackServer([:])
    try serve(fixtures: fixtures, on: server)
    return server
  }

  private func serve(fixtures: String, on server: LoopbackServer) throws {
    let model = Array("model".utf8)
    server.setScript([
      "/ci/fixtures.json.gz": [.file(try TestData.gzip(Array(fixtures.utf8)), etag: "\"\(fixtures.count)\"")],
      "/ci/model.bin": [.file(model)],
      "/ci/model.bin.sha256": [.file(Array(try TestData.digest("sha256", model).utf8), etag: "\"s\"")],
    ])
  }

  /// As a fresh checkout of a repository in which somebody committed the lock.
  private func checkout(_ server: LoopbackServer) throws -> ExampleFolder {
    let example = try ExampleFolder("in-ci", server: server)
    let result = try example.shell("syncmake lock && rm -r .syncmake data")
    #expect(result.status == 0, "\(result.stderr)")
    return example
  }

  private static let pipelines = [".gitlab-ci.yml", ".github/workflows/sync.yml"]

  @Test(arguments: [
    (pipelines[0], [1, 0, 0] as [Int32]),
    // Here the line itself lets 1 pass.
    (pipelines[1], [0, 0, 0]),
  ])
  func `the pipeline's own commands plan, run, and find nothing to do`(file: String, statuses: [Int32]) throws
  {
    let server = try server()
    let example = try checkout(server)
    let commands = try commands(in: file, of: example)
    #expect(commands.count == 3)
    let plan = try #require(commands.first)
    #expect(plan.hasPrefix("syncmake plan --locked --exit-code"))
    #expect(commands.dropFirst().first == "syncmake run --locked")

    #expect(try example.shell(plan).status == statuses[0])
    #expect(!example.folder.exists(".syncmake") && !example.folder.exists("data"))
    #expect(try example.shell(commands[1]).status == statuses[1])
    #expect(example.folder.text("data/fixtures.json") == "{}")
    #expect(try example.shell(plan).status == statuses[2])
  }

  /// The pipelines' images have it; where tests run it may be missing.
  private static let hasJQ = FileManager.default.isExecutableFile(atPath: "/usr/bin/jq")

  @Test(.enabled(if: hasJQ), arguments: pipelines) func `what moved is locked and described, once`(
    file: String
  ) throws {
    let server = try server()
    let example = try checkout(server)
    let update = try #require(commands(in: file, of: example).last)
    #expect(update == "syncmake update --json > update.json")
    let describe = try #require(commands("jq", in: file, of: example).first)
    let lines = "\(update) && \(describe)"

    #expect(try example.shell(lines).status == 0)
    #expect(example.folder.text("changes.md") == "")

    let locked = example.folder.text("syncmake.lock")
    try serve(fixtures: "[1, 2]", on: server)
    #expect(try example.shell("rm -r .syncmake data; syncmake run --locked").status == 2)
    #expect(try example.shell(lines).status == 0)
    let changes = try #require(example.folder.text("changes.md"))
    #expect(changes.hasPrefix("- **fixtures** moved: `"))
    #expect(changes.hasSuffix("(6 bytes)\n") && changes.contains("(2 bytes) to"))
    #expect(changes.split(separator: "\n").count == 1)
    #expect(example.folder.text("syncmake.lock") != locked)
    #expect(try example.shell("syncmake run --locked").status == 0)
  }

  @Test func `a target that nobody locked fails the merge request`() throws {
    let server = try server()
    let example = try ExampleFolder("in-ci", server: server)
    for file in Self.pipelines {
      let plan = try #require(try commands(in: file, of: example).first)
      #expect(try example.shell(plan).status != 0)
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `a manifest that is wrong fails the merge request`() throws {
    let example = try ExampleFolder("in-ci")
    try example.folder.write("version: 1\ntargets: {a: {ulr: b}}\n", to: "syncmake.yaml")
    for file in Self.pipelines {
      let plan = try #require(try commands(in: file, of: example).first)
      #expect(try example.shell(plan).status != 0)
    }
  }

  @Test func `a restored cache costs a look, not a transfer`() throws {
    let server = try server()
    let example = try checkout(server)
    _ = try example.run("--locked")
    server.clearLog()
    let restore =
      "tar cf cache.tar .syncmake data && rm -r .syncmake data && tar xf cache.tar && syncmake run --locked"
    #expect(try example.shell(restore).status == 0)
    #expect(server.requests.isEmpty)
  }
}
