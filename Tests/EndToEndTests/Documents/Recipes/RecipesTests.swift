import Foundation
import SyncTestSupport
import Testing

/// Each recipe does with its publisher what `docs/recipes.md` says.
@Suite(.waits) struct RecipesTests {
  private let publisher: Publisher

  init() throws { publisher = try Publisher() }

  /// A copy of the recipe's folder, whose publisher is the one on loopback.
  private func folder(_ recipe: Recipe) throws -> ExampleFolder {
    try ExampleFolder(recipe.name, server: publisher.server)
  }

  @Test(arguments: Recipe.all)
  func `the publisher's address is a variable whose default is the real one`(recipe: Recipe) throws {
    let folder = try folder(recipe)
    let variable = try #require(folder.variables.first)
    #expect(folder.variables.count == 1)
    let manifest = try #require(folder.folder.text("syncmake.yaml"))
    #expect(manifest.contains("${env:\(variable):-\(recipe.address)}"))
    #expect(manifest.split(separator: "\n").count <= 30, "nobody copies a long manifest")
  }

  @Test func `docs/recipes.md explains exactly these recipes`() throws {
    let path = "\(ExampleFolder.project)/docs/recipes.md"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let links = text.matches(of: /\]\(\.\.\/examples\/([a-z-]+)\)/).map { String($0.output.1) }
    #expect(links == Recipe.all.map(\.name))
    #expect(text.components(separatedBy: "- **Rule**: ").count == links.count + 1)
    #expect(text.components(separatedBy: "- **A run with nothing to do**: ").count == links.count + 1)
  }

  @Test(arguments: Recipe.all) func `the first run fetches all files of the publisher`(recipe: Recipe) throws
  {
    let outputs = try recipe.publish(.first, publisher)
    let folder = try folder(recipe)
    #expect(Set(try folder.run().outcomes) == ["updated"])
    expect(outputs, in: folder)
  }

  @Test(arguments: Recipe.all)
  func `a run with nothing to do transfers no body and changes no file`(recipe: Recipe) throws {
    let outputs = try recipe.publish(.first, publisher)
    let folder = try folder(recipe)
    _ = try folder.run()
    try letTheIntervalPass(recipe, in: folder)
    let before = try outputs.keys.sorted().map { try folder.attributes($0) }

    publisher.clearLog()
    let document = try folder.run()
    #expect(Set(document.outcomes) == ["fresh"], "\(document.reasons)")
    let requests = publisher.requests
    #expect(requests.map(\.path).sorted() == recipe.confirmations.sorted())
    for request in requests {
      #expect(request.method == "GET" && request.bytesSent == 0, "\(request)")
      let isConditional =
        request.header("If-None-Match") != nil || request.header("If-Modified-Since") != nil
      #expect(isConditional || recipe.passedThrough.contains(request.path), "\(request)")
    }
    #expect(try outputs.keys.sorted().map { try folder.attributes($0) } == before)
    let plan = try folder.syncmake("plan", "--exit-code")
    #expect(plan.status == 0, "\(plan.stdout)\(plan.stderr)")
  }

  @Test(arguments: Recipe.all) func `files that the publisher changes are updated`(recipe: Recipe) throws {
    _ = try recipe.publish(.first, publisher)
    let folder = try folder(recipe)
    _ = try folder.run()
    try letTheIntervalPass(recipe, in: folder)
    let outputs = try recipe.publish(.second, publisher)
    #expect(Set(try folder.run().outcomes) == ["updated"])
    expect(outputs, in: folder)
  }

  @Test(arguments: Recipe.all)
  func `if the publisher's file is damaged, the old file stays until it is repaired`(recipe: Recipe) throws {
    let old = try recipe.publish(.first, publisher)
    let folder = try folder(recipe)
    _ = try folder.run()
    try letTheIntervalPass(recipe, in: folder)

    _ = try recipe.publish(.damaged, publisher)
    let result = try folder.syncmake("run", "-k", "--json")
    #expect(result.status == 2, "\(result.stderr)")
    let document = try JSONDecoder().decode(RunDocument.self, from: Data(result.stdout.utf8))
    #expect(Set(document.targets.compactMap { $0.error?.code }) == [recipe.refusal], "\(result.stdout)")
    expect(old, in: folder)

    let new = try recipe.publish(.second, publisher)
    _ = try folder.run()
    expect(new, in: folder)
  }

  @Test(arguments: [Recipe.releaseAsset, .modelFiles, .geoLite])
  func `URL signatures are neither printed nor stored`(recipe: Recipe) throws {
    _ = try recipe.publish(.first, publisher)
    let folder = try folder(recipe)
    let mark = Publisher.signatureMark
    let address = publisher.server.url(try #require(recipe.confirmations.last))
    for line in [
      "run -v", "run -v -B --json", "plan -v --json", "lock -v", "status --json", "probe \(address)",
    ] {
      let printed = try folder.shell("syncmake \(line) 2>&1").stdout
      #expect(printed != "" && !printed.contains(mark), "\(line): \(printed)")
    }
    let found = try folder.shell("grep -rl \(mark) .")
    #expect(found.stdout == "")
  }

  @Test func `credentials are neither printed nor stored`() throws {
    _ = try Recipe.geoLite.publish(.first, publisher)
    let folder = try folder(.geoLite)
    for line in [
      "run -v", "run -v -B --json", "plan -v --json", "lock -v", "status --json", "explain geolite2",
    ] {
      let printed = try folder.shell("syncmake \(line) 2>&1").stdout
      #expect(printed != "" && !printed.contains(ExampleFolder.secretMark), "\(line): \(printed)")
    }
    #expect(try folder.shell("grep -rl \(ExampleFolder.secretMark) .").stdout == "")
  }

  // MARK: Broken connections

  private let image = "/noble/current/noble-server-cloudimg-amd64.img"

  /// Publishes one image of this size; returns its bytes, and the reply for an intact connection.
  private func publishImage(_ size: Int) throws -> ([UInt8], Reply) {
    let bytes = TestData.random(size, seed: 7)
    let list = "\(try TestData.digest("sha256", bytes)) *noble-server-cloudimg-amd64.img\n"
    publisher.serve("/noble/current/SHA256SUMS", list, .first)
    return (bytes, .file(bytes, etag: "\"image-1\""))
  }

  @Test func `after a broken connection only the missing bytes are fetched`() throws {
    let (bytes, reply) = try publishImage(3_000_000)
    publisher.server.on(image, reply.cut(after: 2_000_000), reply)
    let folder = try folder(.cloudImages)
    #expect(try folder.run("amd64").outcomes == ["updated"])
    #expect(folder.folder.read("images/noble-amd64.img") == bytes)
    let requests = publisher.server.requests(to: image)
    #expect(requests.map { $0.header("Range") } == [nil, "bytes=2000000-"])
    #expect(requests.last?.header("If-Range") == "\"image-1\"")
  }

  @Test func `the download of a docset is killed and resumed, and a new version of the feed replaces it`()
    throws
  {
    let identifier = "com.apple.adc.documentation.AppleiOS6.0.iOSLibrary"
    func path(_ version: String) -> String { "/docsets/\(version)/\(identifier).xar" }
    // It cannot be compressed, and is more than all buffers between server and program.
    let page = TestData.random(32 << 20, seed: 9)
    func archive(_ page: [UInt8]) throws -> [UInt8] {
      try TestArchives.make("xar", ["\(identifier).docset/page=page"], files: ["page": page])
    }
    func publish(_ versions: [String]) {
      let entries = versions.map {
        Recipe.docsetEntry(
          identifier, version: $0, url: publisher.storeURL(path($0)), size: page.count)
      }
      publisher.serve(
        Recipe.docsetFeed, Recipe.docsetFeed(entries), Edition(number: versions.count))
    }
    publish(["60.9"])
    let reply = Reply.file(try archive(page), etag: "\"docset-1\"")
    publisher.store.on(path("60.9"), reply.held(afterBody: 24 << 20, until: "the end"))
    let folder = try folder(.docsets)
    let running = try folder.start()
    #expect(publisher.store.wait { $0.bytesSent(to: path("60.9")) >= 24 << 20 })
    running.send(SIGKILL)
    _ = running.wait()
    #expect(!folder.folder.exists("docsets/\(identifier).docset"))

    publisher.store.on(path("60.9"), reply)
    let target = try #require(try folder.run().targets.first)
    #expect(target.name == identifier)
    #expect(target.bytesResumed ?? 0 > 0)
    #expect(folder.folder.read("docsets/\(identifier).docset/page") == page)

    publisher.clearLog()
    publish(["60.9", "60.10"])
    publisher.store.on(path("60.10"), .file(try archive(Array("new\n".utf8)), etag: "\"docset-2\""))
    #expect(try folder.run().reasons == ["list-changed"])
    #expect(publisher.store.requests.map(\.path) == [path("60.10")])
    #expect(folder.folder.text("docsets/\(identifier).docset/page") == "new\n")
    #expect(try folder.run().reasons == ["list-unchanged"])
  }

  @Test func `after Ctrl-C the next run continues`() throws {
    // More than all buffers between server and program, so that some of it has certainly arrived.
    let (bytes, reply) = try publishImage(32 << 20)
    publisher.server.on(image, reply.held(afterBody: 24 << 20, until: "the end"))
    let folder = try folder(.cloudImages)
    let running = try folder.start("amd64")
    #expect(publisher.server.wait { $0.bytesSent(to: image) >= 24 << 20 })
    running.send(SIGINT)
    #expect(running.wait().status == 130)
    #expect(!folder.folder.exists("images/noble-amd64.img"))

    publisher.clearLog()
    publisher.server.on(image, reply)
    let target = try #require(try folder.run("amd64").targets.first)
    #expect(target.bytesResumed ?? 0 > 0)
    #expect((target.bytesResumed ?? 0) + (target.bytesTransferred ?? 0) == bytes.count)
    #expect(folder.folder.read("images/noble-amd64.img") == bytes)
  }

  // MARK: Help

  private func expect(
    _ outputs: [String: [UInt8]], in folder: ExampleFolder,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (output, content) in outputs {
      #expect(folder.folder.read(output) == content, "\(output)", sourceLocation: sourceLocation)
    }
  }

  /// Checks that a run within the interval requests nothing; then shortens it, so that the next run is a later one.
  private func letTheIntervalPass(_ recipe: Recipe, in folder: ExampleFolder) throws {
    let manifest = try #require(folder.folder.text("syncmake.yaml"))
    let interval = /interval: [0-9]+[hdw]/
    guard manifest.contains(interval) else { return }
    publisher.clearLog()
    #expect(Set(try folder.run().reasons) == ["within-interval"])
    #expect(publisher.requests.isEmpty)
    try folder.folder.write(manifest.replacing(interval, with: "interval: 1ms"), to: "syncmake.yaml")
  }
}
