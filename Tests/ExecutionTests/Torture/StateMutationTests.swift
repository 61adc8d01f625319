import ContentPipeline
import Foundation
import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// The state file is damaged in every way; the next run ends with the right files, and soon after a run finds them
/// fresh.
@Suite struct StateMutationTests {
  @Test func `whatever happens to the state file, the next run ends with the right files`() throws {
    let tally = TortureTally("state-mutations")
    // Each share has a new root, so that a case can be replayed with only a few cases before it.
    try Torture.play(usually: 60) { numbers in
      var trial = try MutationTrial(seed: UInt64(numbers.lowerBound), server: try LoopbackServer())
      for number in numbers {
        try trial.play { tally.violation("case \(number): \($0)") }
        tally.count()
      }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
  }
}

/// One root, whose state is damaged again and again.
private struct MutationTrial {
  static let names = ["etag", "mtime", "digest", "copy", "sidecar", "needy"]

  let bench: Workbench
  let workspace: Workspace
  var random: SeededGenerator
  /// The server's files, by target; `copy` and `digest` depend on others or never change.
  var versions = [String: Int]()
  /// Earlier states of this root, the newest last.
  var earlier: [[UInt8]] = []

  init(seed: UInt64, server: LoopbackServer) throws {
    random = SeededGenerator(seed: Torture.seed, case: Int(seed))
    bench = try Workbench(server: server)
    server.setScript([:])
    let pinned = Array("never changes\n".utf8)
    server.on("/digest", .file(pinned, etag: "\"d\""))
    let digest = try TestData.digest("sha256", pinned)
    workspace = try bench.workspace(
      """
      version: 1
      defaults: {\(Workbench.timeout), retries: 1}
      targets:
        etag: {url: "${env:BASE}/etag"}
        mtime: {url: "${env:BASE}/mtime", freshness: mtime}
        digest: {url: "${env:BASE}/digest", freshness: {sha256: \(digest)}}
        copy: {from: etag, output: copy}
        sidecar: {url: "${env:BASE}/sidecar", freshness: {sha256: {url: "${env:BASE}/sidecar.sha256"}}}
        needy: {url: "${env:BASE}/needy", needs: [etag, sidecar]}
      """)
    for name in Self.names { try serve(name, 0) }
    _ = try bench.run(workspace, Workbench.settings())
    try remember()
  }

  private func body(_ name: String, _ version: Int) -> [UInt8] {
    switch name {
    case "digest": Array("never changes\n".utf8)
    case "copy": body("etag", versions["etag"] ?? 0)
    default: Array("\(name) \(version % 5)\n".utf8)
    }
  }

  private mutating func serve(_ name: String, _ version: Int) throws {
    versions[name] = version
    guard name != "digest", name != "copy" else { return }
    let bytes = body(name, version)
    let date = "Sat, 01 Jan 2022 \(10 + version / 60 % 10):\(10 + version % 50):00 GMT"
    bench.server.on("/\(name)", .file(bytes, etag: "\"\(name)-\(version)\"", lastModified: date))
    if name == "sidecar" {
      let digest = Digester.digest(bytes, .sha256).text
      bench.server.on("/sidecar.sha256", .file(Array("\(digest)  sidecar\n".utf8), etag: "\"s-\(version)\""))
    }
  }

  private mutating func remember() throws {
    // After some kinds of damage there is no state, or one with another page size, until the next run.
    guard let state = bench.folder.read(".syncmake/state.db"), state.count >= 8192, state.count % 4096 == 0
    else { return }
    if earlier.count == 6 { earlier.removeFirst() }
    earlier.append(state)
  }

  mutating func play(_ violation: (String) -> Void) throws {
    for name in Self.names where random.oneIn(3) { try serve(name, (versions[name] ?? 0) + 1) }
    let mutation = try StateMutation.make(of: earlier, &random)
    try mutation.write(to: bench)
    let missing = random.oneIn(8) ? random.pick(Self.names) : nil
    if let missing { try FileManager.default.removeItem(atPath: bench.folder.path(missing)) }
    let before = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, bench.folder.read($0)) })

    let outcome = try bench.run(workspace, Workbench.settings())
    var refused = false
    for result in outcome.results {
      let name = result.name.text
      let now = bench.folder.read(name)
      if result.outcome != .failed && result.outcome != .skipped {
        if now != body(name, versions[name] ?? 0) { violation("\(mutation.text): \(name) has wrong bytes") }
      } else if mutation.mayContradictFiles {
        // An older state says that the file was different: this counts as an edit, and is kept as one (contract,
        // section 3).
        refused = true
        if result.failure != nil, result.failure?.code != .outputModified {
          violation("\(mutation.text): \(name) failed: \(String(describing: result.failure))")
        }
        if now != before[name], name != missing {
          violation("\(mutation.text): \(name) was refused and changed")
        }
      } else {
        violation("\(mutation.text): \(name) \(result.outcome): \(String(describing: result.failure))")
      }
    }
    if refused {
      let again = try bench.run(workspace, Workbench.settings { $0.overrides.overwritesEdits = true })
      if again.status != .ok { violation("\(mutation.text): not even with --overwrite") }
      check("with --overwrite after \(mutation.text)", violation)
    }
    // Damage may be found only when a page is read, but it must not stay for ever.
    var rounds = 0
    while rounds < 4 {
      rounds += 1
      let quiet = try bench.run(workspace, Workbench.settings())
      if quiet.status != .ok { violation("\(mutation.text): a later run failed") }
      check("later, after \(mutation.text)", violation)
      if quiet.results.allSatisfy({ $0.outcome == .fresh }) { break }
      if rounds == 4 { violation("\(mutation.text): every run after it finds work") }
    }
    try remember()
  }

  private func check(_ when: String, _ violation: (String) -> Void) {
    for name in Self.names where bench.folder.read(name) != body(name, versions[name] ?? 0) {
      violation("\(when): \(name) has wrong bytes")
    }
  }
}
