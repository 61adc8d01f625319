import SyncModel
import Testing

@testable import Planning

@Suite struct `A guessed sidecar` {
  private static let d = String(repeating: "ab", count: 32)
  private static let m = String(repeating: "cd", count: 16)

  private func guess(_ name: String) throws -> SidecarGuess {
    try #require(
      SidecarGuess.all.first { $0.form == .suffix(name) || $0.form == .list(name) }, "no guess \(name)")
  }

  @Test(
    arguments: [
      (".sha256", "https://h/a/x.gz", "https://h/a/x.gz.sha256"),
      ("MD5SUMS", "https://h/a/x.gz#f", "https://h/a/MD5SUMS"),
      (".md5", "${mirror}/x.gz", "${mirror}/x.gz.md5"),
      ("SHA256SUMS", "${mirror}/x.gz", "${mirror}/SHA256SUMS"),
      (".md5", "${mirror}/${name}", "${mirror}/${name}.md5"), ("SHA256SUMS", "${mirror}/${name}", nil),
      ("SHA256SUMS", "${env:U:-https://h/x}", nil), (".sha256", "https://h/x?y=z", nil),
      ("MD5SUMS", "x.gz", "MD5SUMS"),
    ] as [(String, String, String?)])
  func `lies beside the file`(name: String, file: String, address: String?) throws {
    #expect(try guess(name).address(beside: file) == address)
  }

  @Test func `a file's path and its spelling go together`() throws {
    let source = SourceURL.file(path: "/d/a b.txt", written: "file:///d/a%20b.txt")
    #expect(
      try guess(".md5").source(beside: source)
        == .file(path: "/d/a b.txt.md5", written: "file:///d/a%20b.txt.md5"))
  }

  @Test func `counts only where it names the file`() throws {
    #expect(try guess(".sha256").read(Array(Self.d.utf8), name: "x.gz")?.1.text == Self.d)
    #expect(try guess(".sha256").read(Array("\(Self.d)  dir/x.gz\n".utf8), name: "x.gz")?.1.text == Self.d)
    // In a run the only line serves; here it may be some other file's.
    #expect(try guess(".sha256").read(Array("\(Self.d)  y.gz\n".utf8), name: "x.gz") == nil)
    #expect(try guess("SHA256SUMS").read(Array(Self.d.utf8), name: "x.gz") == nil)
    #expect(
      try guess("SHA256SUMS").read(Array("\(Self.d)  y\n\(Self.d)  ./x.gz\n".utf8), name: "x.gz")?.0
        == .sha256)
  }

  @Test func `a list of whatever algorithm tells by its lines' lengths`() throws {
    let list = Array("MD5 (x.gz) = \(Self.m)\nSHA256 (x.gz) = \(Self.d)\n".utf8)
    let found = try #require(try guess("CHECKSUMS").read(list, name: "x.gz"))
    #expect(found.0 == .sha256 && found.1.text == Self.d)
    #expect(try guess("CHECKSUMS").read(Array("\(Self.m)  x.gz\n".utf8), name: "x.gz")?.0 == .md5)
  }

  @Test func `what cannot be read is a fault`() throws {
    #expect(throws: SidecarFault.isHTML) { try guess(".md5").read(Array("<html>".utf8), name: "x") }
    #expect(throws: SidecarFault.wrongLength(expected: 64, actual: 32)) {
      try guess(".sha256").read(Array("\(Self.m)  x\n".utf8), name: "x")
    }
  }

  private static let sidecar = SidecarFinding(
    guess: SidecarGuess.all[0], url: .web("https://h.example/f.gz.sha256"),
    content: .digest(.sha256, HexDigest(bytes: [UInt8](repeating: 7, count: 32))))

  private func settings(
    _ server: ProbeReport.Subject, _ url: String, freshness: FreshnessRule = .etag, steps: [Step] = []
  ) throws -> AdvisedSettings {
    let report = ProbeReport(
      source: .web("https://h.example/f.gz"), subject: server, sidecars: [Self.sidecar])
    let target = Target(
      id: TargetID(0), name: TargetName("f"), source: .urls([report.source]), output: try RelativePath("f"),
      freshness: freshness, steps: steps)
    return AdvisedSettings(try #require(report.advice), for: target, url: url)
  }

  @Test func `what advice adds to a target is written with the variables of its URL`() throws {
    let whole = ResponseHead(status: 200, url: "https://h.example/f.gz")
    let bare = ProbeReport.Subject.web(ProbeFindings(whole: whole, head: .agrees))
    let good = ProbeReport.Subject.web(
      ProbeFindings(whole: whole, head: .agrees, etag: .init(EntityTag("\"a\""), answer: .notModified)))
    let verify = "verify: {sha256: {url: \"${m}/f.gz.sha256\"}}"
    #expect(try settings(good, "${m}/f.gz").freshness == nil)
    #expect(try settings(good, "${m}/f.gz").verify == verify)
    #expect(try settings(good, "${m}/f.gz", freshness: .mtime).freshness == "etag")
    #expect(try settings(good, "${m}/f.gz", steps: [.gunzip]).verify == verify)
    #expect(try settings(good, "${m}/f.gz", steps: [.verifySize(1)]).verify == nil)
    #expect(try settings(good, "${m}/f.gz?x").verify == nil)
    #expect(try settings(bare, "${m}/f.gz").freshness == "{sha256: {url: \"${m}/f.gz.sha256\"}}")
    #expect(try settings(bare, "${m}/f.gz").verify == nil)
    #expect(try settings(bare, "${m}/f.gz?x").freshness == "{interval: 1d, then: always}")
  }
}
