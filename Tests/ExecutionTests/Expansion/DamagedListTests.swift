import ContentPipeline
import Foundation
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// However a list with `gone: remove` is damaged, no run removes a file (contract, section 11; promise of W9).
@Suite struct DamagedListTests {
  /// Names of different lengths: a cut that takes whole lines out looks like a shorter list, which is none.
  private static let names = (0..<30).map { "file-\(String(repeating: "x", count: $0))\($0).bin" }

  @Test func `a damaged list removes nothing`() throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer()
    for name in Self.names { server.on("/\(name)", .text(name)) }
    let whole = Self.names.map { "\(Digester.digest(Array($0.utf8), .sha256))  \($0)\n" }.joined()
    server.on("/SUMS", .text(whole))
    try folder.write(
      """
      version: 1
      defaults: {\(Workbench.timeout), retries: 0}
      targets:
        f/${entry.key}:
          list: {url: \(server.url("/SUMS")), format: checksums, gone: remove}
          output: out/${entry.key}

      """, to: "syncmake.yaml")
    #expect(try run(folder).status == .ok)
    var random = SeededGenerator(seed: 7)
    var failed = 0
    for round in 0..<(Torture.isFull ? 2000 : 150) {
      server.on("/SUMS", Self.damaged(Array(whole.utf8), &random))
      let outcome = try run(folder)
      #expect(outcome.removed.isEmpty, "round \(round)")
      if outcome.status == .failed { failed += 1 }
    }
    for name in Self.names { #expect(folder.text("out/\(name)") == name) }
    // Most damage is noticed; a few bytes of white space are none.
    #expect(failed > (Torture.isFull ? 1500 : 110), "\(failed)")
  }

  /// The list cut off, with other bytes, without some, with some twice, or not at all.
  private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> Reply {
    var bytes = bytes
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let count = Int.random(in: 1...100, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"
      return .raw(Array(head.utf8) + bytes[..<place])
    case 1: bytes = Array(bytes[..<place])
    case 2: bytes[place] ^= UInt8.random(in: 1...255, using: &random)
    case 3: bytes.removeSubrange(place..<min(bytes.count, place + count))
    case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + count)], at: place)
    case 5: bytes = Array("<!DOCTYPE html><title>Log in</title>".utf8)
    default: for index in place..<min(bytes.count, place + count) { bytes[index] = 0 }
    }
    return .text(String(decoding: bytes, as: UTF8.self))
  }

  private func run(_ folder: TemporaryFolder) throws -> RunOutcome {
    let location = try #require(
      ManifestLocation(
        file: folder.path("syncmake.yaml"), stateDir: nil, caller: CallerFacts(version: "1") { _ in nil }))
    let settings = Workbench.settings()
    let expanded = try ManifestExpansion.perform(
      on: try OpenedManifest(location), ListOrder(settings: settings, keeps: true, locked: .asked),
      stop: StopSignal())
    let workspace = try #require(expanded.workspace)
    return try Runner.run(
      workspace.manifest.targets.map(\.id), in: workspace, settings: settings, stop: StopSignal(),
      report: { _ in })
  }
}
