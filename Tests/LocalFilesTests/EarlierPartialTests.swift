import Foundation
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct `A partial download of an earlier program` {
  /// As an earlier version wrote it, without some checkpoints.
  private let journal = """
    syncmake-partial 1 http://127.0.0.1:18765/big.bin "big.bin-1" 3000000 Mon,%2002%20Nov%202026%2010:00:00%20GMT
    65536 1f8745f0d2d1387ec1af2211a3cf417b2e9e885e853472649c1d979d0e9370e3
    1048576 8f990ba0b577b51cf009ea049368c16bbda1b21e1b93be07a824758bb253c39b
    2000000 be8889d3b8893c11d290b8dcf682164c326a90e6998f6bddb25d9a3a02daf666

    """

  @Test func `is resumed at its end`() throws {
    let box = try Sandbox()
    let key = "2ef32caa6d2a8676661c7b801b045e4a"
    try box.put(journal, atPath: "\(box.statePath)/partial/\(key).journal")
    try box.put(String(repeating: "x", count: 2_000_000), atPath: "\(box.statePath)/partial/\(key).part")
    let partial = try #require(PartialDownload.open(key: key, in: box.state))
    #expect(partial.size == 2_000_000)
    #expect(partial.checkpoints.map(\.offset) == [65_536, 1_048_576, 2_000_000])
    #expect(
      partial.facts
        == PartialFacts(
          url: "http://127.0.0.1:18765/big.bin", etag: EntityTag("\"big.bin-1\""), total: 3_000_000,
          lastModified: "Mon, 02 Nov 2026 10:00:00 GMT"))
  }
}
