import ContentPipeline
import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// What every ``OutputFolder`` does with its ``BodyStore``, on a disk or in memory.
@Suite struct `A root with its outputs` {
  enum Kind: CaseIterable { case disk, memory }

  private struct Bench {
    let outputs: any OutputFolder
    let bodies: any BodyStore
    let driver: Driver
    private let folder: TemporaryFolder?
    private let memory: MemoryOutputs?

    init(_ kind: Kind) throws {
      driver = try Driver(settings: RunSettings(), manifest: Manifest(fileName: "syncmake.yaml", targets: []))
      switch kind {
      case .disk:
        let folder = try TemporaryFolder()
        let root = try RootFolder(path: folder.path)
        outputs = root
        bodies = FolderBodies(
          try StateFolder(path: folder.path(".syncmake")), for: root)
        (self.folder, memory) = (folder, nil)
      case .memory:
        let memory = MemoryOutputs(MachineClock())
        (outputs, bodies) = (memory, memory)
        (folder, self.memory) = (nil, memory)
      }
    }

    /// As an editor does, in place.
    func write(_ text: String, to path: String) throws {
      memory?.write(text, to: path)
      guard let file = folder.map({ $0.path(path) }) else { return }
      if !FileManager.default.fileExists(atPath: file) {
        try #require(FileManager.default.createFile(atPath: file, contents: nil))
      }
      let handle = try #require(FileHandle(forWritingAtPath: file))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    }

    func text(_ path: String) -> String? { memory?.text(path) ?? folder?.text(path) }

    func makeLink(at path: String) throws {
      memory?.block(path, by: .isLink)
      guard let folder else { return }
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(path), withDestinationPath: "elsewhere")
    }

    func observe(_ path: String) throws -> OutputObservation { outputs.observe(try RelativePath(path)) }

    func signature(_ path: String) throws -> FileSignature? {
      if case .file(let signature) = try observe(path) { signature } else { nil }
    }

    // MARK: Bodies

    func order(_ path: String, _ news: News, steps: [PipelineSpec.Stage] = []) throws -> BodyOrder {
      BodyOrder(
        output: try RelativePath(path), spec: PipelineSpec(steps: steps), isReplacing: false, driver: driver,
        news: { news.all.append($0) })
    }

    func body(
      _ path: String, _ news: News, size: Int64? = nil, facts: PartialFacts? = nil,
      steps: [PipelineSpec.Stage] = []
    ) throws -> any TargetBody {
      try bodies.body(order(path, news, steps: steps), size: size, resumableBy: facts)
    }

    /// All of `bytes`, in pieces.
    func push(_ bytes: [UInt8], to body: any TargetBody, _ news: News) {
      var start = 0
      while start < bytes.count {
        let piece = Array(bytes[start..<min(start + 16_384, bytes.count)])
        let rooms = news.rooms
        switch piece.withUnsafeBytes({ body.push($0) }) {
        case .taken: start += piece.count
        case .full: wait { news.rooms > rooms }
        case .stop: return
        }
      }
    }

    func wait(until isDone: () -> Bool) { driver.run(until: isDone, onStop: {}) }

    /// A body with `text`, finished.
    func finished(_ path: String, _ text: String, facts: PartialFacts? = nil) throws -> any FinishedBody {
      let news = News()
      let body = try body(path, news, size: Int64(text.utf8.count), facts: facts)
      push(Array(text.utf8), to: body, news)
      body.finish()
      wait { news.isOver }
      #expect(news.result?.output.size == Int64(text.utf8.count))
      return body.handOver()
    }

    /// Prepares, syncs and publishes it, as the committer does.
    func put(
      _ body: any FinishedBody, at path: String, over: OutputObservation, modified: Timestamp? = nil
    ) throws -> FileSignature {
      let output = try RelativePath(path)
      let prepared = try body.prepare(for: output, over: over, mode: nil, modified: modified)
      _ = try bodies.sync([body])
      let signature = try body.publish(
        over: over, mode: nil, modified: modified, expectedDigest: nil, in: PublishedGroup())
      try outputs.sync(outputs.names(of: [output]), unlessOn: [])
      #expect(signature.inode == prepared.inode && signature.size == prepared.size)
      return signature
    }
  }

  private final class News {
    var all: [BodyNews] = []
    var rooms: Int { all.count { if case .hasRoom = $0 { true } else { false } } }
    var result: PipelineResult? {
      all.compactMap { if case .finished(let result, _) = $0 { result } else { nil } }.first
    }
    var failure: FailureCause? {
      all.compactMap { if case .failed(let cause) = $0 { cause } else { nil } }.first
    }
    var restored: Int64? {
      all.compactMap { if case .restored(let offset) = $0 { offset } else { nil } }.first
    }
    var isOver: Bool {
      all.contains {
        switch $0 {
        case .finished, .refused, .failed: true
        case .hasRoom, .restored: false
        }
      }
    }
  }

  private static let facts = PartialFacts(
    url: "https://data.example/a", etag: EntityTag("\"1\""), total: 100_000)

  private static func code(_ body: () throws -> Void) -> FailureCode? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FailureCause)?.code
    }
  }

  // MARK: Looking

  @Test(arguments: Kind.allCases) func `shows a file, a missing one, and a link`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    #expect(try bench.observe("a") == .missing)
    #expect(try bench.outputs.observeUnpublished(RelativePath("a")) == .missing)
    try bench.write("text", to: "a")
    let first = try #require(try bench.signature("a"))
    #expect(first.size == 4)
    #expect(try bench.outputs.observeUnpublished(RelativePath("a")) == .file(first))
    try bench.write("other text", to: "a")
    let second = try #require(try bench.signature("a"))
    #expect(second.size == 10 && second.inode == first.inode && second.changed >= first.changed)
    try bench.makeLink(at: "link")
    #expect(try bench.observe("link") == .unusable(.isLink))
  }

  @Test(arguments: Kind.allCases) func `opens outputs and sources to read and to digest them`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    try bench.write("some text", to: "a")
    let output = try bench.outputs.open(RelativePath("a"))
    #expect(try bench.observe("a") == .file(output.signature))
    let identity = try output.identity([.md5], isInVain: { false })
    #expect(identity.size == 9 && identity.sha256 == Digester.digest(Array("some text".utf8), .sha256))
    #expect(identity.digest(.md5) == Digester.digest(Array("some text".utf8), .md5))
    #expect(try OutputHasher.all(of: bench.outputs.openSource("a"), limit: 9) == Array("some text".utf8))
    #expect(Self.code { _ = try OutputHasher.all(of: bench.outputs.openSource("a"), limit: 8) } == .tooLarge)
    let other = try bench.outputs.open(RelativePath("a"))
    #expect(Self.code { _ = try other.identity([], isInVain: { true }) } == .internalError)
    #expect(Self.code { _ = try bench.outputs.open(RelativePath("none")) } == .connectFailed)
    #expect(Self.code { _ = try bench.outputs.openSource("none") } == .connectFailed)
    try bench.makeLink(at: "link")
    #expect(Self.code { _ = try bench.outputs.open(RelativePath("link")) } == .outputUnwritable)
  }

  @Test(arguments: Kind.allCases) func `notices a change while a file is read, but not its replacement`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    try bench.write("old", to: "a")
    let old = try bench.outputs.open(RelativePath("a"))
    try old.requireUnchanged()
    _ = try bench.put(bench.finished("a", "new"), at: "a", over: bench.observe("a"))
    try old.requireUnchanged()
    let new = try bench.outputs.open(RelativePath("a"))
    try bench.write("longer", to: "a")
    #expect(Self.code { try new.requireUnchanged() } == .connectFailed)
  }

  @Test(arguments: Kind.allCases) func `sets the time of an output that is still the same`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    try bench.write("text", to: "a")
    let output = try RelativePath("a")
    let signature = try #require(try bench.signature("a"))
    let new = try bench.outputs.setModified(output, Timestamp(seconds: 1000), ifStill: signature)
    #expect(new.modified == Timestamp(seconds: 1000) && new.inode == signature.inode)
    #expect(try bench.observe("a") == .file(new))
    #expect(
      Self.code {
        _ = try bench.outputs.setModified(output, Timestamp(seconds: 2000), ifStill: signature)
      } == .outputModified)
    #expect(try bench.observe("a") == .file(new))
  }

  // MARK: Bodies

  @Test(arguments: Kind.allCases, [false, true]) func `publishes a body that passed, whole and at once`(
    _ kind: Kind, _ isResumable: Bool
  ) throws {
    let bench = try Bench(kind)
    let bytes = TestData.random(100_000, seed: 28)
    let digest = Digester.digest(bytes, .sha256)
    let news = News()
    let body = try bench.body(
      "a", news, size: 100_000, facts: isResumable ? Self.facts : nil,
      steps: [.verifyDigest(.sha256, digest, step: 0), .verifySize(100_000, step: 1)])
    bench.push(bytes, to: body, news)
    #expect(body.acceptedBytes == 100_000)
    body.finish()
    bench.wait { news.isOver }
    let result = try #require(news.result)
    #expect(result.output == result.download && result.output.sha256 == digest)
    #expect(result.stepDigests == [0: digest] && result.lengthIsProvenByContent)
    let finished = body.handOver()
    #expect(try bench.observe("a") == .missing)
    let signature = try bench.put(finished, at: "a", over: .missing)
    #expect(try bench.observe("a") == .file(signature))
    let output = try bench.outputs.open(RelativePath("a"))
    #expect(try output.identity([], isInVain: { false }).sha256 == digest)
    finished.dropPartial()
    #expect(bench.bodies.partialKeys.isEmpty)
  }

  @Test(arguments: Kind.allCases) func `gives an output the time that it is to have`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    let time = Timestamp(seconds: 1_700_000_000)
    let signature = try bench.put(bench.finished("a", "x"), at: "a", over: .missing, modified: time)
    #expect(signature.modified == time)
    let next = try bench.put(bench.finished("a", "y"), at: "a", over: .file(signature))
    #expect(next.modified > time && next.inode != signature.inode)
  }

  @Test(arguments: Kind.allCases) func `holds a small body in memory until it is published`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    let file = try #require(bench.bodies.heldFile(for: RelativePath("a")))
    try file.fill(Array("held".utf8))
    #expect(try bench.observe("a") == .missing)
    _ = try bench.put(file, at: "a", over: .missing)
    #expect(bench.text("a") == "held")
  }

  @Test(arguments: Kind.allCases) func `keeps an edit, also one that came where nothing was`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    let new = try bench.finished("a", "new")
    try bench.write("edit", to: "a")
    #expect(Self.code { _ = try bench.put(new, at: "a", over: .missing) } == .outputModified)
    #expect(bench.text("a") == "edit")
    let seen = try bench.observe("a")
    // After the refusal it can be published over what is there.
    _ = try bench.put(new, at: "a", over: seen)
    #expect(bench.text("a") == "new")
    let newer = try bench.finished("a", "newer")
    #expect(Self.code { _ = try bench.put(newer, at: "a", over: seen) } == .outputModified)
    #expect(bench.text("a") == "new")
    #expect(newer.giveUp(nil) == 0)
  }

  @Test(arguments: Kind.allCases) func `replaces no link, and publishes nothing twice`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    let body = try bench.finished("link", "new")
    try bench.makeLink(at: "link")
    let seen = try bench.observe("link")
    #expect(Self.code { _ = try bench.put(body, at: "link", over: seen) } == .outputUnwritable)
    let other = try bench.finished("a", "new")
    _ = try bench.put(other, at: "a", over: .missing)
    #expect(
      Self.code {
        _ = try other.publish(
          over: bench.observe("a"), mode: nil, modified: nil, expectedDigest: nil, in: PublishedGroup())
      } == .internalError)
  }

  @Test(arguments: Kind.allCases) func `publishes an output that is gone meanwhile`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    try bench.write("old", to: "a")
    let seen = try bench.observe("a")
    let other = try Bench(kind)
    // The same observation of a file that this root has not.
    _ = try other.put(other.finished("a", "new"), at: "a", over: seen)
    #expect(other.text("a") == "new")
  }

  @Test(arguments: Kind.allCases, [nil, Self.facts]) func `refuses a body that a step does not let through`(
    _ kind: Kind, _ facts: PartialFacts?
  ) throws {
    let bench = try Bench(kind)
    let (bytes, news) = (Array("wrong".utf8), News())
    let expected = Digester.digest(Array("right".utf8), .sha256)
    let body = try bench.body(
      "a", news, size: 5, facts: facts, steps: [.verifyDigest(.sha256, expected, step: 0)])
    bench.push(bytes, to: body, news)
    body.finish()
    bench.wait { news.isOver }
    #expect(
      news.failure
        == .digestMismatch(
          algorithm: .sha256, expected: expected, actual: Digester.digest(bytes, .sha256), step: 0))
    body.discard()
    #expect(bench.bodies.partialKeys.isEmpty)
    #expect(try bench.observe("a") == .missing)
  }

  @Test(arguments: Kind.allCases) func `refuses a body that is too long`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    let news = News()
    let body = try bench.body("a", news, steps: [.verifySize(20_000, step: 0)])
    bench.push(TestData.random(40_000, seed: 1), to: body, news)
    body.finish()
    bench.wait { news.isOver }
    #expect(news.failure?.code == .sizeMismatch)
    body.discard()
  }

  // MARK: Partial downloads

  @Test(arguments: Kind.allCases) func `keeps a part, and goes on with it later`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    let bytes = TestData.random(100_000, seed: 28)
    let first = News()
    let body = try bench.body("a", first, size: 100_000, facts: Self.facts)
    bench.push(Array(bytes[..<60_000]), to: body, first)
    var kept: Int64?
    body.keepPartial(lengthIsKnown: true) { kept = $0 }
    bench.wait { kept != nil }
    #expect(kept == 60_000)
    let key = BodyIntake.key(of: try RelativePath("a"))
    #expect(bench.bodies.partialKeys == [key])
    #expect(bench.bodies.kept(BodyIntake.key(of: try RelativePath("b"))) == nil)

    let partial = try #require(bench.bodies.kept(key))
    #expect(partial.facts == Self.facts)
    let news = News()
    let rest = try partial.restore(bench.order("a", news))
    bench.wait { news.restored != nil }
    #expect(news.restored == 60_000 && rest.acceptedBytes == 60_000)
    bench.push(Array(bytes[60_000...]), to: rest, news)
    rest.finish()
    bench.wait { news.isOver }
    #expect(news.result?.output.sha256 == Digester.digest(bytes, .sha256))
    let finished = rest.handOver()
    _ = try bench.put(finished, at: "a", over: .missing)
    finished.dropPartial()
    #expect(bench.bodies.partialKeys.isEmpty)
  }

  @Test(arguments: Kind.allCases) func `keeps a download whose publication failed`(_ kind: Kind) throws {
    let bench = try Bench(kind)
    let bytes = TestData.random(20_000, seed: 1)
    let news = News()
    let body = try bench.body("a", news, size: 20_000, facts: Self.facts)
    bench.push(bytes, to: body, news)
    body.finish()
    bench.wait { news.isOver }
    let result = try #require(news.result)
    let finished = body.handOver()
    try bench.write("edit", to: "a")
    #expect(Self.code { _ = try bench.put(finished, at: "a", over: .missing) } == .outputModified)
    #expect(finished.giveUp(result.download) == 20_000)
    let key = BodyIntake.key(of: try RelativePath("a"))
    let again = News()
    _ = try bench.bodies.kept(key)?.restore(bench.order("a", again))
    bench.wait { again.restored != nil }
    #expect(again.restored == 20_000)
  }

  @Test(arguments: Kind.allCases) func `keeps nothing of a body that cannot be resumed, or is discarded`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    let news = News()
    let body = try bench.body("a", news, size: 9)
    bench.push([1, 2, 3], to: body, news)
    var kept: Int64?
    body.keepPartial(lengthIsKnown: true) { kept = $0 }
    bench.wait { kept != nil }
    #expect(kept == 0)
    let other = try bench.body("b", news, size: 9, facts: Self.facts)
    bench.push([1, 2, 3], to: other, news)
    other.discard()
    #expect(bench.bodies.partialKeys.isEmpty)
  }

  @Test(arguments: Kind.allCases) func `removes partial downloads that nobody has used for long`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind)
    var kept = 0
    for path in ["a", "b"] {
      let news = News()
      let body = try bench.body(path, news, size: 20_000, facts: Self.facts)
      bench.push(TestData.random(10_000, seed: 1), to: body, news)
      body.keepPartial(lengthIsKnown: true) { _ in kept += 1 }
    }
    bench.wait { kept == 2 }
    let (a, b) = try (BodyIntake.key(of: RelativePath("a")), BodyIntake.key(of: RelativePath("b")))
    let (past, future) = (Timestamp(seconds: 1000), Timestamp(seconds: 8_000_000_000))
    bench.bodies.removePartials(unusedSince: past, except: [])
    bench.bodies.removePartial(a, ifUnusedSince: past)
    #expect(bench.bodies.partialKeys == [a, b])
    bench.bodies.removePartials(unusedSince: future, except: [a])
    #expect(bench.bodies.partialKeys == [a])
    bench.bodies.removePartial(a, ifUnusedSince: future)
    #expect(bench.bodies.partialKeys.isEmpty)
  }
}
