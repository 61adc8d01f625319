import SyncModel
import Testing

/// Two encodings of an accented letter: Swift calls them equal, but no server, file system or lock does.
@Suite struct ByteStringTests {
  private let one = "\u{E9}"
  private let other = "e\u{301}"

  @Test func `texts with different bytes are different, however they look`() {
    #expect(ByteString(one) != ByteString(other) && ByteString(one) == ByteString("\u{E9}"))
    #expect(!Optional(one).hasSameBytes(as: Optional(other)) && !Optional(one).hasSameBytes(as: String?.none))
    #expect(Optional(one).hasSameBytes(as: Optional(one)) && String?.none.hasSameBytes(as: String?.none))
    #expect(Set([ByteString(one), ByteString(other), ByteString(one)]).count == 2)
  }

  @Test func `sources, pins and records distinguish them`() throws {
    #expect(SourceURL.web(one) != .web(other))
    #expect(Set([SourceURL.file(path: one, written: "x"), .file(path: other, written: "x")]).count == 2)
    #expect(Validators(url: one) != Validators(url: other))
    #expect(Pin.Source.urls([ByteString(one)]) != .urls([ByteString(other)]))
    #expect(DefinitionField(name: "url", value: one) != DefinitionField(name: "url", value: other))
    #expect(
      DigestSource.entry(TargetID(0), name: ByteString(one)) != .entry(TargetID(0), name: ByteString(other)))
    #expect(Authentication.bearer(ByteString(one)) != .bearer(ByteString(other)))
    #expect(RequestHeader(name: "A", value: one) != RequestHeader(name: "A", value: other))
    let digest = HexDigest(bytes: [1])
    func input(_ entry: String) -> InputRecord {
      InputRecord(kind: .verify, name: TargetName("t"), entry: entry, digest: digest)
    }
    #expect(input(one) != input(other) && input(one) == input(one))
  }
}
