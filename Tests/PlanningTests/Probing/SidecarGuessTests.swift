import SyncModel
import Testing

@testable import Planning

@Suite struct `A guessed sidecar` {
  private static let d = String(repeating: "ab", count: 32)
  private static let m = String(repeating: "cd", count: 16)

  private func guess(_ name: String) throws -> SidecarGuess {
    try #require(
      SidecarGuess.all.first {
        [.suffix(name), .list(name), .stem(name), .release(name)].contains($0.form)
      }, "no guess \(name)")
  }

  @Test(
    arguments: [
      (".sha256", "https://h/a/x.gz", "https://h/a/x.gz.sha256"),
      ("MD5SUMS", "https://h/a/x.gz#f", "https://h/a/MD5SUMS"),
      (".md5", "${mirror}/x.gz", "${mirror}/x.gz.md5"),
      ("SHA256SUMS", "${mirror}/x.gz", "${mirror}/SHA256SUMS"),
      (".md5", "${mirror}/${name}", "${mirror}/${name}.md5"), ("SHA256SUMS", "${mirror}/${name}", nil),
      ("SHA256SUMS", "${env:U:-https://h/x}", nil), (".sha256", "https://h/x?y=z", nil),
      ("MD5SUMS", "x.gz", "MD5SUMS"), ("checksums.txt", "https://h/a/x.gz", "https://h/a/checksums.txt"),
      ("_checksums.txt", "https://h/d/tool_1.2.3_linux_amd64.tar.gz", "https://h/d/tool_1.2.3_checksums.txt"),
      ("_checksums.txt", "${m}/tool_v1.2_linux.tar.gz", "${m}/tool_v1.2_checksums.txt"),
      ("_checksums.txt", "https://h/task_linux_amd64.tar.gz", "https://h/task_checksums.txt"),
      ("_checksums.txt", "https://h/tool_1.2.3.tar.gz", "https://h/tool_checksums.txt"),
      ("_checksums.txt", "https://h/tool.tar.gz", nil), ("_checksums.txt", "https://h/_x", nil),
      (".meta", "https://h/nvdcve-2.0-modified.json.gz", "https://h/nvdcve-2.0-modified.meta"),
      (".meta", "https://h/x.gz", "https://h/x.meta"), (".meta", "https://h/x", "https://h/x.meta"),
      (".meta", "https://h/x.json", "https://h/x.meta"), (".meta", "${m}/${x}.gz", nil),
      (".metalink", "https://h/x.iso", "https://h/x.iso.metalink"),
    ] as [(String, String, String?)])
  func `is beside the file`(name: String, file: String, address: String?) throws {
    #expect(try guess(name).address(beside: file) == address)
  }

  @Test func `keeps a file's path and its spelling consistent`() throws {
    let source = SourceURL.file(path: "/d/a b.txt", written: "file:///d/a%20b.txt")
    #expect(
      try guess(".md5").source(beside: source)
        == .file(path: "/d/a b.txt.md5", written: "file:///d/a%20b.txt.md5"))
  }

  @Test func `counts only if it names the file`() throws {
    #expect(try guess(".sha256").read(text: Self.d, name: "x.gz")?.1.text == Self.d)
    #expect(try guess(".sha256").read(text: "\(Self.d)  dir/x.gz\n", name: "x.gz")?.1.text == Self.d)
    // A run may use the only line; here it may belong to another file.
    #expect(try guess(".sha256").read(text: "\(Self.d)  y.gz\n", name: "x.gz") == nil)
    #expect(try guess("SHA256SUMS").read(text: Self.d, name: "x.gz") == nil)
    #expect(
      try guess("SHA256SUMS").read(text: "\(Self.d)  y\n\(Self.d)  ./x.gz\n", name: "x.gz")?.0
        == .sha256)
  }

  @Test func `of a list's lines the length tells the algorithm`() throws {
    let list = "MD5 (x.gz) = \(Self.m)\nSHA256 (x.gz) = \(Self.d)\n"
    let found = try #require(try guess("CHECKSUMS").read(text: list, name: "x.gz"))
    #expect(found.0 == .sha256 && found.1.text == Self.d)
    #expect(try guess("CHECKSUMS").read(text: "\(Self.m)  x.gz\n", name: "x.gz")?.0 == .md5)
  }

  @Test func `is a fault if it cannot be read`() throws {
    #expect(throws: SidecarFault.seems(.html)) { try guess(".md5").read(text: "<html>", name: "x") }
    #expect(throws: SidecarFault.wrongLength(expected: 64, actual: 32)) {
      try guess(".sha256").read(text: "\(Self.m)  x\n", name: "x")
    }
  }

  @Test func `is requested in two rounds, which are bounded`() {
    #expect(SidecarGuess.rounds.flatMap { $0 } == SidecarGuess.all)
    #expect(SidecarGuess.all.count <= 18)
  }

  @Test func `of the unpacked file is only for targets that unpack`() throws {
    let meta = try guess(".meta")
    #expect(meta.subject(beside: "x.json.gz") == .output)
    #expect(meta.subject(beside: "x.json") == .download)
    let finding = SidecarFinding(
      guess: meta, url: .web("https://h.example/f.meta"),
      content: .digest(.sha256, HexDigest(bytes: [UInt8](repeating: 7, count: 32))), of: .output)
    let bare = ProbeReport.Subject.web(
      ProbeFindings(whole: ResponseHead(status: 200, url: "https://h.example/f.json.gz"), head: .agrees))
    func settings(_ steps: [Step]) throws -> AdvisedSettings {
      let report = ProbeReport(
        source: .web("https://h.example/f.json.gz"), subject: bare, sidecars: [finding])
      var target = Target(
        id: TargetID(0), name: TargetName("f"), source: .urls([report.source]),
        output: try RelativePath("f"))
      target.steps = steps
      return AdvisedSettings(try #require(report.advice), for: target, url: "${m}/f.json.gz")
    }
    #expect(try settings([.gunzip]).freshness == "{sha256: {url: \"${m}/f.meta\"}, of: output}")
    #expect(try settings([]).freshness == "{interval: 1d, then: always}")
  }

  private static let sidecar = SidecarFinding(
    guess: SidecarGuess.all[0], url: .web("https://h.example/f.gz.sha256"),
    content: .digest(.sha256, HexDigest(bytes: [UInt8](repeating: 7, count: 32))))

  private func settings(
    _ server: ProbeReport.Subject, _ url: String, freshness: FreshnessRule = .etag, steps: [Step] = []
  ) throws -> AdvisedSettings {
    let report = ProbeReport(
      source: .web("https://h.example/f.gz"), subject: server, sidecars: [Self.sidecar])
    var target = Target(
      id: TargetID(0), name: TargetName("f"), source: .urls([report.source]), output: try RelativePath("f"))
    target.freshness = freshness
    target.steps = steps
    return AdvisedSettings(try #require(report.advice), for: target, url: url)
  }

  @Test func `is written with the variables of the target's URL`() throws {
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

extension SidecarGuess {
  fileprivate func read(text: String, name: String) throws -> (DigestAlgorithm, HexDigest)? {
    try read(ChecksumList(Array(text.utf8)), name: name)
  }
}
