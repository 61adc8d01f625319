import Foundation
import SyncTestSupport
import Testing

/// Each example does what its README says.
@Suite(.waits) struct ExamplesTests {
  static let names =
    ["quickstart", "image-table", "many-folders", "cache", "in-ci", "with-make", "fleet", "strangers"]
    + Recipe.all.map(\.name)

  @Test func `every folder under examples is tested here`() throws {
    let entries = try FileManager.default.contentsOfDirectory(atPath: "\(ExampleFolder.project)/examples")
    // scripts/test-library tests swift-app, whose manifest is for its plugin.
    #expect(Set(entries).subtracting(["README.md", "swift-app"]) == Set(Self.names))
  }

  @Test(arguments: names)
  func `has a valid manifest and a README that says when to use it`(name: String) throws {
    let example = try ExampleFolder(name)
    let readme = try #require(example.folder.text("README.md"))
    #expect(readme.hasPrefix("# \(name)\n\n**When you want this:**"))
    let result = try example.validate()
    #expect(result.status == 0, "\(result.stderr)")
    #expect(!example.folder.exists(".syncmake"))
  }

  @Test(arguments: names)
  func `fetched files are ignored by version control`(name: String) throws {
    let server = try LoopbackServer(["*": [.text("something\n")]])
    let example = try ExampleFolder(name, server: server)
    // Whatever happens to the targets, all remaining files must be ignored.
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

@Suite(.waits) struct `examples/quickstart` {
  @Test func `runs without a network, and a second run changes nothing`() throws {
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

  @Test func `only the changed source is fetched`() throws {
    let example = try ExampleFolder("quickstart")
    _ = try example.run()
    try example.folder.write(">chr1 changed\n", to: "source/chr1.fa")
    let updated = try example.run().targets.filter { $0.outcome == "updated" }
    #expect(updated.map(\.name) == ["chr1"])
    #expect(example.folder.text("data/chr1.fa") == ">chr1 changed\n")
  }

  @Test func `the index is fetched again after the table that it needs has changed`() throws {
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

  @Test func `a table that does not match its checksum is never published`() throws {
    let example = try ExampleFolder("quickstart")
    try example.folder.write(try TestData.gzip(Array("wrong\n".utf8)), to: "source/genes.tsv.gz")
    let result = try example.syncmake("-k")
    #expect(result.status == 2)
    #expect(result.stderr.contains("genes"))
    #expect(!example.folder.exists("data/genes.tsv"))
    #expect(!example.folder.exists("data/genes.idx"))
    #expect(example.folder.exists("data/chr1.fa"))
  }

  @Test func `an edited output is kept until overwriting is allowed`() throws {
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

  @Test func `a group is selected by its name`() throws {
    let example = try ExampleFolder("quickstart")
    #expect(try example.run("chromosomes").targets.map(\.name) == ["chr1", "chr2", "chr3", "chrX"])
    #expect(!example.folder.exists("data/genes.tsv"))
  }
}

@Suite(.waits) struct `examples/strangers` {
  @Test func `its policy accepts its manifest, with a warning, and no other host`() throws {
    let example = try ExampleFolder("strangers")
    let accepted = try example.shell(
      "unset PUBLIC_SUFFIX_MIRROR; syncmake validate --policy syncmake-policy.yaml")
    #expect(accepted.status == 0, "\(accepted.stderr)")
    #expect(accepted.stderr.contains("syncmake-policy.yaml"))
    let manifest = try #require(example.folder.text("syncmake.yaml"))
    try example.folder.write(
      manifest + "  other: {url: \"https://other.example/x\", output: data/x}\n", to: "syncmake.yaml")
    let refused = try example.shell(
      "unset PUBLIC_SUFFIX_MIRROR; syncmake validate --policy syncmake-policy.yaml")
    #expect(refused.status == 3)
    #expect(refused.stderr.contains("other.example"))
  }
}

@Suite(.waits) struct `examples/image-table` {
  @Test func `each row of the table is a target, and an added row is fetched alone`() throws {
    let example = try ExampleFolder("image-table")
    func run() throws -> [String] {
      try example.shell("unset IMAGES; syncmake --changed changed >/dev/null && cat changed").stdout
        .split(separator: "\n").map(String.init)
    }
    #expect(try run() == ["images/circle.svg", "images/square.svg", "images/triangle.svg"])
    #expect(example.folder.read("images/square.svg") == example.folder.read("source/b2.svg"))
    #expect(try run() == [])
    let table = try #require(example.folder.text("images.tsv"))
    try example.folder.write("\(table)again\ta1.svg\tsyncmake\n", to: "images.tsv")
    #expect(try run() == ["images/again.svg"])
  }

  @Test func `the table may have many thousand rows`() throws {
    let example = try ExampleFolder("image-table")
    let rows = (0..<20_000).map { "i\($0)\t\(["a1", "b2", "c3"][$0 % 3]).svg\tsyncmake\n" }
    try example.folder.write("id\tfile\tcredit\n" + rows.joined(), to: "images.tsv")
    let changed = try example.shell(
      "unset IMAGES; syncmake --changed changed image/i19998 >/dev/null && cat changed")
    #expect(changed.stdout == "images/i19998.svg\n", "\(changed.stderr)")
    #expect(example.folder.read("images/i19998.svg") == example.folder.read("source/a1.svg"))
  }
}

@Suite(.waits) struct `examples/many-folders` {
  @Test func `one command serves all folders, and each folder's group only that one`() throws {
    let example = try ExampleFolder("many-folders")
    let all = ["genes/human", "projects/alpha/table", "projects/beta/table", "index"]
    #expect(try example.run().targets.map(\.name) == all)
    #expect(example.folder.read("genes/human.tsv") == example.folder.read("genes/source/human.tsv"))
    #expect(example.folder.text("projects/beta/data/table.tsv") == "name\tvalue\nbeta\t1\n")
    try example.folder.write("name\tvalue\nalpha\t2\n", to: "projects/alpha/source/table.tsv")
    let updated = try example.run("nightly").targets.filter { $0.outcome == "updated" }
    #expect(updated.map(\.name) == ["projects/alpha/table", "index"])
    try example.folder.write("human\t2\n", to: "genes/source/human.tsv")
    let group = try example.run("genes/all").targets
    #expect(group.map(\.name) == ["genes/human"])
    #expect(group.map(\.outcome) == ["updated"])
    // One state: nothing that the group has updated is an edit.
    #expect(try example.run().summary["failed"] == 0)
  }

  @Test func `a new folder needs no other change`() throws {
    let example = try ExampleFolder("many-folders")
    _ = try example.run()
    let manifest = try #require(example.folder.text("projects/beta/syncmake.yaml"))
    try example.folder.write(manifest, to: "projects/gamma/syncmake.yaml")
    try example.folder.write("new\n", to: "projects/gamma/source/table.tsv")
    let updated = try example.run().targets.filter { $0.outcome == "updated" }
    #expect(updated.map(\.name) == ["projects/gamma/table"])
  }
}

@Suite(.waits) struct `examples/fleet` {
  private let server: LoopbackServer
  private static let files = (1...12).map { ($0 < 10 ? "s0" : "s") + "\($0).txt" }

  init() throws {
    server = try LoopbackServer([:])
    let source = "\(ExampleFolder.project)/examples/fleet/source"
    server.setScript(
      Dictionary(
        uniqueKeysWithValues: try Self.files.map { name in
          let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(source)/\(name)"))
          return ("/\(name)", [.file([UInt8](bytes), etag: "\"\(name)\"")])
        }))
  }

  /// Shell lines that do what Slurm does with the array of `slurm.sh`.
  private static func array(cache: String) -> String {
    """
    mkdir -p out; export SYNCMAKE_CACHE=\(cache) SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=4
    for i in 1 2 3 4; do SLURM_ARRAY_TASK_ID=$i ./slurm.sh || exit; done
    """
  }

  private func report(of example: ExampleFolder) throws -> RunDocument {
    try JSONDecoder().decode(RunDocument.self, from: Data(example.folder.read("run.json") ?? []))
  }

  @Test func `an array fetches each row once, one report tells of all, and a plain run knows it`() throws {
    let example = try ExampleFolder("fleet", server: server)
    let array = try example.shell(Self.array(cache: example.folder.path("cache")) + "; ./report.sh")
    #expect(array.status == 0, "\(array.stderr)")
    #expect(array.stdout.hasSuffix("12 targets: 12 updated, 0 fresh, 0 failed, 0 skipped\n"))
    #expect(server.requests.map(\.path).sorted() == Self.files.map { "/\($0)" })
    let document = try report(of: example)
    #expect(document.summary == ["updated": 12, "fresh": 0, "failed": 0, "skipped": 0])
    #expect(Set(document.targets.map(\.name)).count == 12)
    #expect(example.folder.text("junit.xml")?.contains("<testsuite name=\"shard 4/4\"") == true)
    #expect(example.folder.read("samples/s07.txt") == example.folder.read("source/s07.txt"))
    #expect(try example.syncmake().stdout == "all 12 targets are up to date\n")
  }

  @Test func `a job on a new disk takes everything from the machine's cache`() throws {
    let (first, second) = (
      try ExampleFolder("fleet", server: server), try ExampleFolder("fleet", server: server)
    )
    let cache = first.folder.path("cache")
    #expect(try first.shell(Self.array(cache: cache)).status == 0)
    server.clearLog()
    let again = try second.shell(Self.array(cache: cache) + "; ./report.sh")
    #expect(again.status == 0, "\(again.stderr)")
    #expect(server.requests.isEmpty)
    #expect(try report(of: second).summary["updated"] == 12)
    #expect(second.folder.read("samples/s12.txt") == second.folder.read("source/s12.txt"))
  }

  @Test func `a report that is missing is named as an array, and the status is 3`() throws {
    let example = try ExampleFolder("fleet", server: server)
    let result = try example.shell(
      "mkdir out; for i in 1 3; do syncmake run --shard $i/4 --json > out/$i.json; done; ./report.sh")
    #expect(result.status == 3)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("--array=2,4"))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/parallel"), "needs GNU parallel"))
  func `the script for GNU parallel prints the table of the shards`() throws {
    let example = try ExampleFolder("fleet", server: server)
    let result = try example.shell("SYNCMAKE_CACHE=$PWD/cache ./parallel.sh")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout.hasSuffix("12 targets: 12 updated, 0 fresh, 0 failed, 0 skipped\n"))
  }
}

@Suite(.waits) struct `examples/cache` {
  @Test func `a second checkout gets its files from the cache`() throws {
    let server = try LoopbackServer([:])
    let (model, table) = (Array("model".utf8), try TestData.gzip(Array("table\n".utf8)))
    server.setScript([
      "/model.bin": [.file(model, etag: "\"m\"")],
      "/model.bin.sha256": [.file(Array(try TestData.digest("sha256", model).utf8), etag: "\"s\"")],
      "/table.csv.gz": [.file(table, etag: "\"t\"")],
      "/today.bin": [.file(Array("today".utf8), etag: "\"d\"")],
    ])
    let (first, second) = (
      try ExampleFolder("cache", server: server), try ExampleFolder("cache", server: server)
    )
    let cache = first.folder.path("cache")
    _ = try first.run("--cache", cache)
    server.clearLog()
    _ = try second.run("--cache", cache)
    #expect(second.folder.text("data/table.csv") == "table\n")
    #expect(second.folder.read("data/model.bin") == model)
    let bodies = server.requests.filter { $0.bytesSent > 0 }.map(\.path).sorted()
    #expect(bodies == ["/model.bin.sha256", "/today.bin"])
    let verified = try first.syncmake("cache", "verify", "--cache", cache)
    #expect(verified.status == 0 && verified.stdout.contains("2 files"))
  }
}

@Suite(.waits) struct `examples/in-ci` {
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

  /// Like a fresh checkout of a repository with a committed lock.
  private func checkout(_ server: LoopbackServer) throws -> ExampleFolder {
    let example = try ExampleFolder("in-ci", server: server)
    let result = try example.shell("syncmake lock && rm -r .syncmake data")
    #expect(result.status == 0, "\(result.stderr)")
    return example
  }

  @Test func `a restored cache needs a check, but no transfer`() throws {
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
