import SyncModel
import Testing

@testable import Planning

@Suite struct CacheRuleTests {
  private func target(_ change: (inout Target) -> Void = { _ in }) -> Target {
    var target = Target(
      id: TargetID(0), name: TargetName("a"), source: .urls([.web("https://data.example/a.gz")]),
      output: path("a"))
    change(&target)
    return target
  }

  private func key(
    _ secrets: SecretMask = SecretMask(), _ change: (inout Target) -> Void = { _ in }
  ) -> CacheKey? {
    CacheRule.key(of: target(change), secrets: secrets)
  }

  // MARK: What is never shared

  @Test func `what needs credentials, a secret or its source each time has no key`() {
    #expect(key() != nil)
    #expect(key { $0.authentication = .netrc } == nil)
    #expect(key { $0.cache = .off } == nil)
    #expect(key { $0.cache = .local } != nil)
    #expect(key { $0.freshness = .always } == nil)
    #expect(key { $0.freshness = .interval(period: .seconds(1), then: .always) } == nil)
    #expect(key { $0.headers = [RequestHeader(name: "Authorization", value: "x")] } == nil)
    #expect(key { $0.headers = [RequestHeader(name: "cookie", value: "x")] } == nil)
    #expect(key { $0.source = .urls([.file(path: "a", written: "a")]) } == nil)
    #expect(key { $0.source = .target(TargetID(1)) } == nil)
    let secrets = SecretMask(values: ["hidden"])
    #expect(key(secrets) != nil)
    #expect(key(secrets) { $0.source = .urls([.web("https://data.example/hidden/a.gz")]) } == nil)
    #expect(
      key(secrets) {
        $0.source = .urls([.web("https://data.example/a.gz"), .web("https://b.example/?k=%68idden")])
      } == nil)
    #expect(key(secrets) { $0.headers = [RequestHeader(name: "X-Key", value: "hidden")] } == nil)
  }

  @Test func `headers select a representation, in whatever order they are written`() {
    let (json, french) = (
      RequestHeader(name: "Accept", value: "application/json"),
      RequestHeader(name: "accept-language", value: "fr")
    )
    let both = key { $0.headers = [json, french] }
    #expect(both != key())
    #expect(both == key { $0.headers = [french, json] })
    #expect(both == key { $0.headers = [RequestHeader(name: "ACCEPT", value: json.value), french] })
  }

  @Test func `a parameter that may sign a URL, or select a file, is part of its key`() {
    let keys = ["", "?sp=human", "?sp=mouse"].map { query in
      key { $0.source = .urls([.web("https://data.example/a.gz\(query)")]) }
    }
    #expect(keys[0] == key() && Set(keys).count == 3)
  }

  // MARK: What names bytes

  private func names(_ target: Target, pin: Pin? = nil, found: [BodyDemands.Finding]? = nil) -> [NamedDigest]
  {
    var demands = BodyDemands(target)
    if let found { demands.note(.success(found)) }
    let question = FreshnessQuestion(
      target: target, definition: [], record: nil, output: .missing, now: Timestamp(seconds: 0), pin: pin)
    return CacheRule.names(question, demands)
  }

  private static func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> HexDigest {
    HexDigest(bytes: Array(repeating: byte, count: algorithm.byteCount))
  }

  @Test func `only digests of the bytes as they come name a file`() {
    let (first, second) = (Self.digest(1), Self.digest(2))
    let target = target {
      $0.steps = [
        .verifyDigest(.sha256, .literal(first)), .gunzip, .verifyDigest(.sha256, .literal(second)),
      ]
    }
    #expect(names(target) == [NamedDigest(.sha256, first)])
    let rule = DigestRule(algorithm: .sha256, expected: .literal(second), of: .output)
    #expect(names(self.target { $0.freshness = .digest(rule) }) == [NamedDigest(.sha256, second)])
    #expect(
      names(
        self.target {
          $0.freshness = .digest(rule)
          $0.steps = [.gunzip]
        }) == [])
  }

  @Test func `the lock names a file, and a sha256 comes before stronger and weaker digests`() {
    let pin = Pin(
      source: .urls(["https://data.example/a.gz"]), download: Pin.Content(size: 1, sha256: Self.digest(3)),
      output: Pin.Content(size: 1, sha256: Self.digest(4)))
    let target = target {
      $0.steps = [
        .verifyDigest(.md5, .literal(Self.digest(5, .md5))),
        .verifyDigest(.sha512, .literal(Self.digest(6, .sha512))),
      ]
    }
    #expect(names(target, pin: pin).map(\.algorithm) == [.sha256, .sha512, .md5])
  }

  @Test func `a sidecar names a file once it was read`() {
    let sidecar = Sidecar(.web("https://data.example/a.gz.md5"))
    let target = target { $0.steps = [.verifyDigest(.md5, .sidecar(sidecar)), .gunzip] }
    #expect(names(target) == [])
    let digest = Self.digest(7, .md5)
    #expect(names(target, found: [.digest(digest)]) == [NamedDigest(.md5, digest)])
    let late = self.target { $0.steps = [.gunzip, .verifyDigest(.md5, .sidecar(sidecar))] }
    #expect(names(late, found: [.digest(digest)]) == [])
  }
}
