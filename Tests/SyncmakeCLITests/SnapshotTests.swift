import Foundation
import LocalFiles
import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution
@testable import SyncmakeCLI

/// The compiled snapshot gives no answer that the full path would not give (docs/decisions/0006).
@Suite struct SnapshotTests {
  @Test func `the snapshot answers after a run without changes, and not before`() throws {
    let world = try SnapshotWorld()
    #expect(world.quick() == nil)
    #expect(try !world.run())
    #expect(world.quick() == nil)
    #expect(try world.run())
    let answer = QuickCheck.AllFresh(count: SnapshotWorld.count, onlyName: nil)
    #expect(world.quick() == answer)
    #expect(world.quick(isRun: true) == answer)
    #expect(world.quick(isRun: true) == answer)
  }

  @Test func `whatever happens to a root, both paths give the same result`() throws {
    let tally = TortureTally("snapshot-mutations")
    try Torture.play(usually: 60) { numbers in
      let worlds = [
        try SnapshotWorld(), try SnapshotWorld(asking: true), try SnapshotWorld(joined: true),
        try SnapshotWorld(asking: true, joined: true),
      ]
      var memories = Array(repeating: [String: [UInt8]](), count: worlds.count)
      for number in numbers {
        let which = number % worlds.count
        try play(number, in: worlds[which], &memories[which]) { tally.violation("case \(number): \($0)") }
        tally.count()
      }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
  }

  private func play(
    _ number: Int, in world: SnapshotWorld, _ memory: inout [String: [UInt8]], _ violation: (String) -> Void
  ) throws {
    var random = SeededGenerator(seed: Torture.seed, case: number)
    try world.repair()
    guard try world.settle() else { return violation("it never settles") }
    // Only a run may ask sources.
    let isRun = world.server != nil
    if world.quick(isRun: isRun) == nil { violation("a quiet run left no snapshot that answers") }
    if random.oneIn(2) {
      memory["snapshot"] = world.folder.read(".syncmake/snapshot")
      memory["outline"] = world.folder.read(".syncmake/outline")
      memory["state.db"] = world.folder.read(".syncmake/state.db")
    }
    let mutations = (0...random.below(2)).map { _ in random.pick(SnapshotWorld.Mutation.allCases) }
    for mutation in mutations {
      // The second mutation cannot change a file that the first has removed.
      do { try world.mutate(mutation, &random, &memory) } catch {
        if mutations.count == 1 { violation("\(mutation.rawValue) is impossible: \(error)") }
      }
    }
    let text = mutations.map(\.rawValue).joined(separator: ", ")
    let quick = world.quick(isRun: isRun)
    let plan = try world.isFreshByPlan()
    if let quick, quick.count != plan { violation("\(text): \(quick) against \(String(describing: plan))") }
    var harmless: Set<SnapshotWorld.Mutation> = [
      .nothing, .manifestTouched, .manifestReplaced, .addedToTree, .includedTouched,
    ]
    // A manifest that includes others, or has values, has no outline.
    if !world.isJoined { harmless.formUnion([.commented, .commentedWithin]) }
    if quick == nil, harmless.isSuperset(of: mutations) { violation("\(text): no answer") }
    // A child of another test may have inherited the lock since the last look; it is free again a moment later.
    var run = world.quick(isRun: true)
    for _ in 0..<3 where run == nil && quick != nil { run = world.quick(isRun: true) }
    if run != quick { violation("\(text): \(String(describing: run)) to a run") }
  }

  @Test func `a new comment keeps the answer, any other edit does not`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    let manifest = try SnapshotWorld.manifest()
    let answer = QuickCheck.AllFresh(count: SnapshotWorld.count, onlyName: nil)
    try world.folder.write("# a note\n" + manifest, to: "syncmake.yaml")
    // A question changes nothing; a run makes the snapshot valid for the present files.
    let (snapshot, outline) = (".syncmake/snapshot", ".syncmake/outline")
    let before = [world.folder.read(snapshot), world.folder.read(outline)]
    #expect(world.quick() == answer)
    #expect([world.folder.read(snapshot), world.folder.read(outline)] == before)
    #expect(world.quick(isRun: true) == answer)
    try world.folder.write([1], to: outline)
    #expect(world.quick() == answer)
    try world.folder.write("# another note\n" + manifest, to: "syncmake.yaml")
    #expect(world.quick() == nil)
    try world.folder.write(manifest, to: "syncmake.yaml")
    #expect(try world.settle())
    for note in 1...3 {
      try world.folder.write(manifest + String(repeating: "# a note\n", count: note), to: "syncmake.yaml")
      #expect(world.quick(isRun: true) == answer)
    }
    try world.folder.write(manifest.replacing("source/once", with: "source/aged"), to: "syncmake.yaml")
    #expect(world.quick() == nil)
    #expect(try world.isFreshByPlan() == nil)
  }

  @Test(arguments: [
    ("sums, freshness: once}", "sums, freshness: once, retries: 7}"),
    ("sums, freshness: once", "sums, freshness: {interval: 9d}"), ("interval: 1d", "interval: 2d"),
    ("output: deep/pinned", "tags: [x], output: deep/pinned, description: y"),
    ("output: deep/tree/", "tags: [x], output: deep/tree/, description: y"),
    ("steps: [unpack]", "steps: [unpack], local_changes: keep"),
    ("aged, output: deep", "aged, description: \"${env:SYNCMAKE_TEST_KNOWN:-}\", output: deep"),
  ])
  func `an edited value that leaves its target fresh keeps the answer`(old: String, new: String) throws {
    let world = try SnapshotWorld()
    let known = "  known: {url: source/aged, output: \"k${env:SYNCMAKE_TEST_KNOWN:-}\", freshness: once}\n"
    let manifest = try SnapshotWorld.manifest() + known
    try world.folder.write(manifest, to: "syncmake.yaml")
    #expect(try world.settle())
    let answer = QuickCheck.AllFresh(count: SnapshotWorld.count + 1, onlyName: nil)
    let edited = manifest.replacing(old, with: new)
    #expect(edited != manifest)
    try world.folder.write(edited, to: "syncmake.yaml")
    let (snapshot, outline) = (".syncmake/snapshot", ".syncmake/outline")
    let before = [world.folder.read(snapshot), world.folder.read(outline)]
    #expect(world.quick() == answer)
    #expect([world.folder.read(snapshot), world.folder.read(outline)] == before)
    #expect(world.quick(isRun: true) == answer)
    #expect(try world.isFreshByPlan() == SnapshotWorld.count + 1)
    // From now on it is valid for the present files, also with comments.
    try world.folder.write([1], to: outline)
    #expect(world.quick() == answer)
    try world.folder.write(manifest, to: "syncmake.yaml")
    #expect(world.quick() == nil)
  }

  @Test(arguments: [
    ("source/once", "source/aged"), ("once: {", "other: {"), ("sums: {", "once: {"),
    ("output: deep/pinned", "output: deep/else"), ("output: deep/pinned", "output: sums/in"),
    ("output: deep/tree/", "output: deep/other/"), ("steps: [unpack]", "steps: [{unpack: {prune: all}}]"),
    ("sums, freshness: once", "sums, freshness: mtime"), ("sums, freshness: once", "sums, needs: [copy]"),
    ("sums, freshness: once", "sums, nonsense: 1"), ("sums, freshness: once", "sums, headers: {A: b}"),
    ("sums, freshness: once", "sums, tags: [\"${env:SYNCMAKE_TEST_UNASKED:-a}\"]"),
    ("sums, freshness: once", "sums, description: \"${secret:PATH}\""),
    ("sums, freshness: once", "sums, freshness: {interval: 1s}"),
    ("x: [a]", "x: [b]"), ("x: [a]", "x: [a, b]"), ("merged: {url", "other: {url"),
    ("<<: {merged", "<<: {two: {url: source/once, output: more}, merged"),
    ("once: {url: source/once, freshness: once}", "sums: {url: source/sums, freshness: once}"),
    ("interval: 1d", "interval: 0d"), ("interval: 1d", "interval: 1d, then: {md5: {url: sums}}"),
  ])
  func `a value that may have more effects takes the full path`(old: String, new: String) throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    #expect(world.quick() != nil)
    let manifest = try SnapshotWorld.manifest()
    let edited = manifest.replacing(old, with: new)
    #expect(edited != manifest)
    try world.folder.write(edited, to: "syncmake.yaml")
    // An interval of a second has ended meanwhile.
    let later = SystemClock.now().nanoseconds + 2_000_000_000
    #expect(world.quick(now: { Timestamp(nanoseconds: later) }) == nil)
    #expect(world.quick(isRun: true, now: { Timestamp(nanoseconds: later) }) == nil)
  }

  @Test func `a changed interval ends at its new time`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    let state = try OpenState(reading: world.folder.path(".syncmake")) { _ in }
    let aged = try #require(state.snapshot.records.first { $0.name.text == "aged" })
    let checked = try #require(aged.checkedAt).nanoseconds
    try world.folder.write(
      try SnapshotWorld.manifest().replacing("interval: 1d", with: "interval: 2h"), to: "syncmake.yaml")
    let hours: Int64 = 7_200_000_000_000
    #expect(world.quick(now: { Timestamp(nanoseconds: checked + hours) }) == nil)
    #expect(world.quick(isRun: true, now: { Timestamp(nanoseconds: checked + 1) }) != nil)
    // The remaining snapshot is valid no longer than that.
    #expect(world.quick(now: { Timestamp(nanoseconds: checked + hours - 1) }) != nil)
    #expect(world.quick(now: { Timestamp(nanoseconds: checked + hours) }) == nil)
  }

  @Test func `an interval ends exactly to the nanosecond, and does not begin before its check`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    let state = try OpenState(reading: world.folder.path(".syncmake")) { _ in }
    let aged = try #require(state.snapshot.records.first { $0.name.text == "aged" })
    let checked = try #require(aged.checkedAt)
    func answers(_ nanoseconds: Int64) -> Bool {
      world.quick(now: { Timestamp(nanoseconds: checked.nanoseconds + nanoseconds) }) != nil
    }
    let day: Int64 = 86_400_000_000_000
    #expect(!answers(-1))
    #expect(answers(0))
    #expect(answers(day - 1))
    #expect(!answers(day))
  }

  @Test func `an interval that ends while the outputs are checked has ended`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    var times = [Timestamp(nanoseconds: .max - 1), SystemClock.now()]
    #expect(world.quick(now: { times.popLast() ?? SystemClock.now() }) == nil)
    #expect(times.isEmpty)
  }

  @Test func `a source that has answered is not asked again if an interval has ended meanwhile`() throws {
    let world = try SnapshotWorld(asking: true)
    #expect(try world.settle())
    // The lock, the snapshot and the request come before.
    let moments = [Timestamp(nanoseconds: .max - 1)] + Array(repeating: SystemClock.now(), count: 3)
    var times = moments
    var answer: QuickCheck.Answer?
    // While another test starts a program, that has this process's locks for a moment, and the lock is all that is tried.
    for _ in 0..<20 where times.count > 1 {
      times = moments
      let question = try #require(world.question(isRun: true, now: { times.popLast() ?? SystemClock.now() }))
      answer = QuickCheck.answer(question)
      #expect(answer?.allFresh == nil)
    }
    #expect(times.isEmpty)
    #expect(answer?.early != nil)
  }

  @Test func `a run respects the lock of another run`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    let folder = try StateFolder(path: world.folder.path(".syncmake"))
    // A program that another test starts has this process's locks for a moment.
    let lock = try RunLock.acquire(
      in: folder, wait: true, now: SystemClock.now(), onWait: { _ in }, isCancelled: { false })
    withExtendedLifetime(try #require(lock)) {
      #expect(world.quick(isRun: true) == nil)
      // A question sends no request.
      #expect(world.quick(isRun: false) != nil)
    }
  }

  @Test func `a run cleans up as usual`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    try world.folder.write("half a file", to: ".syncmake/staging/file-abcdefghijkl")
    #expect(world.quick(isRun: false) != nil)
    #expect(world.folder.exists(".syncmake/staging/file-abcdefghijkl"))
    #expect(world.quick(isRun: true) != nil)
    #expect(!world.folder.exists(".syncmake/staging/file-abcdefghijkl"))
  }

  @Test func `an old partial download is left to the full path`() throws {
    let world = try SnapshotWorld()
    #expect(try world.settle())
    let folder = try StateFolder(path: world.folder.path(".syncmake"))
    let facts = PartialFacts(url: "https://data.example/a", etag: EntityTag("\"a\""), total: nil)
    try PartialDownload.create(key: "abcdef", facts: facts, in: folder).close()
    #expect(world.quick(isRun: true) != nil)
    for name in ["abcdef.part", "abcdef.journal"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -31 * 86_400)],
        ofItemAtPath: world.folder.path(".syncmake/partial/\(name)"))
    }
    #expect(world.quick(isRun: true) == nil)
  }

  @Test(arguments: ["user", "path", "variable set", "variable changed", "variable unset"])
  func `in other circumstances the snapshot does not answer`(what: String) throws {
    let world = try SnapshotWorld()
    try world.folder.write(
      try SnapshotWorld.manifest() + """
          home:
            url: "source/once${env:SYNCMAKE_TEST_NO_SUCH_VARIABLE:-}"
            output: home
            freshness: once
            description: "${env:PATH}"

        """, to: "syncmake.yaml")
    #expect(try world.settle())
    #expect(world.quick()?.count == SnapshotWorld.count + 1)
    var question = try #require(world.question())
    let environment = question.present.environment
    switch what {
    case "user": question.present.circumstances[1] += "1"
    case "path": question.present.circumstances[2] += "x"
    case "variable set":
      question.present.environment = { $0 == "SYNCMAKE_TEST_NO_SUCH_VARIABLE" ? "" : environment($0) }
    case "variable changed": question.present.environment = { $0 == "PATH" ? "/nowhere" : environment($0) }
    default: question.present.environment = { $0 == "PATH" ? nil : environment($0) }
    }
    #expect(QuickCheck.answer(question).allFresh == nil)
    #expect(try !#require(world.folder.read(".syncmake/snapshot")).contains(subsequence: environment("PATH")))
  }

  @Test(arguments: ["same", "touched", "edited", "longer", "missing", "manifest"])
  func `a file of rows is a part of the manifest`(what: String) throws {
    let world = try SnapshotWorld()
    let manifest =
      try SnapshotWorld.manifest()
      + "  row-${id}: {matrix: {rows: t/rows.tsv}, url: source/once, output: 'r/${id}', freshness: once}\n"
    try world.folder.write(manifest, to: "syncmake.yaml")
    try world.folder.write("id\n1\n2\n", to: "t/rows.tsv")
    #expect(try world.settle())
    #expect(world.quick(isRun: true)?.count == SnapshotWorld.count + 2)
    switch what {
    case "touched": try world.folder.write("id\n1\n2\n", to: "t/rows.tsv")
    case "edited": try world.folder.write("id\n1\n3\n", to: "t/rows.tsv")
    case "longer": try world.folder.write("id\n1\n2\n3\n", to: "t/rows.tsv")
    case "missing": try FileManager.default.removeItem(atPath: world.folder.path("t/rows.tsv"))
    // Only the changed part of a manifest is read; its files of rows are compared all the same.
    case "manifest": try world.folder.write(manifest + "  # a comment\n", to: "syncmake.yaml")
    default: break
    }
    let isSame = ["same", "touched", "manifest"].contains(what)
    #expect((world.quick(isRun: true) != nil) == isSame)
  }

  @Test(arguments: [
    "same", "touched", "edited", "missing", "new match", "match gone", "hidden", "link", "other file",
    "manifest",
  ])
  func `an included manifest is a part of the manifest`(what: String) throws {
    let world = try SnapshotWorld()
    let include = "include: [a/m.yaml, 'p/*/m.yaml']\n"
    let manifest = try SnapshotWorld.manifest() + include
    let child = "version: 1\ntargets:\n  t: {url: s, output: out, freshness: once}\n"
    try world.folder.write(manifest, to: "syncmake.yaml")
    for folder in ["a", "p/a", "p/b"] {
      try world.folder.write(child, to: "\(folder)/m.yaml")
      try world.folder.write("x\n", to: "\(folder)/s")
    }
    #expect(try world.settle())
    #expect(world.quick(isRun: true)?.count == SnapshotWorld.count + 3)
    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: world.folder.path(path)) }
    switch what {
    case "touched": try world.folder.write(child, to: "a/m.yaml")
    case "edited": try world.folder.write(child + "# a comment\n", to: "p/a/m.yaml")
    case "missing": try remove("a/m.yaml")
    case "new match": try world.folder.write(child, to: "p/c/m.yaml")
    case "match gone": try remove("p/b/m.yaml")
    case "hidden": try world.folder.write(child, to: "p/.c/m.yaml")
    case "link":
      try FileManager.default.createSymbolicLink(
        atPath: world.folder.path("p/c"), withDestinationPath: world.folder.path("a"))
    case "other file": try world.folder.write(child, to: "p/c/n.yaml")
    // No part of it is known to be the same.
    case "manifest": try world.folder.write(manifest + "# a comment\n", to: "syncmake.yaml")
    default: break
    }
    let isSame = ["same", "touched", "hidden", "link", "other file"].contains(what)
    #expect((world.quick(isRun: true) != nil) == isSame)
  }

  @Test func `a manifest with a secret leaves no snapshot`() throws {
    let world = try SnapshotWorld()
    try world.folder.write(
      try SnapshotWorld.manifest()
        + "  home: {url: source/once, output: home, freshness: once, headers: {X: \"${secret:PATH}\"}}\n",
      to: "syncmake.yaml")
    #expect(try world.settle())
    #expect(!world.folder.exists(".syncmake/snapshot"))
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence text: String?) -> Bool {
    guard let text else { return false }
    return String(decoding: self, as: UTF8.self).contains(text)
  }
}
