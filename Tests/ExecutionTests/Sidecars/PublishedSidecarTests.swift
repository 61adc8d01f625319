import SyncModel
import Testing

@testable import Execution

@Suite struct `A published sidecar` {
  @Test(arguments: PublishedSidecar.all) func `gives the digest, or the error says what the file is`(
    sidecar: PublishedSidecar
  ) throws {
    let found = ExpectedDigest.digest(
      sidecar.algorithm, in: SidecarText(sidecar.bytes), sidecar.choice, [sidecar.file, "output"], source: "s"
    )
    switch sidecar.outcome {
    case .wanted: #expect(try found.get().text == PublishedSidecar.wanted(sidecar.algorithm))
    case .fault(let fault): #expect(found == .failure(.sidecarInvalid(source: "s", fault)))
    }
  }

  @Test func `is tested in at least sixty real forms, each with its publisher`() {
    let usable = PublishedSidecar.all.filter { if case .wanted = $0.outcome { true } else { false } }
    #expect(usable.count >= 60)
    #expect(Set(PublishedSidecar.all.map(\.publisher)).count == PublishedSidecar.all.count)
  }
}
