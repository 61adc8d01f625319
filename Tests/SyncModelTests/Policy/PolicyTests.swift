import SyncModel
import Testing

@Suite struct `A policy` {
  private func policy(hosts: [String]?) -> Policy {
    var policy = Policy()
    policy.hosts = hosts?.compactMap { HostPattern($0) }
    return policy
  }

  static let origins: [(url: String, hosts: [String]?, fault: HostFault?)] = [
    ("https://a.example/", nil, nil), ("http://a.example/", nil, .scheme),
    ("http://a.example:443/", nil, .scheme),
    ("https://a.example:8443/", nil, .port(8443)), ("https://a.example:443/", nil, nil),
    ("https://a.example/", ["a.example"], nil), ("https://A.EXAMPLE/", ["a.example"], nil),
    ("https://a.example./", ["a.example"], nil), ("https://a.example/", [], .host("a.example")),
    ("https://b.example/", ["a.example"], .host("b.example")),
    ("https://a.example.evil/", ["a.example"], .host("a.example.evil")),
    ("https://xa.example/", ["*.a.example"], .host("xa.example")),
    ("https://x.a.example/", ["*.a.example"], nil),
    ("https://a.example/", ["*.a.example"], .host("a.example")), ("https://a.example/", ["*"], nil),
    ("https://%61.example/", ["a.example"], nil),
    // Such a name may become another one before it is resolved.
    ("https://evil／.a.example/", ["*.a.example"], .host("evil／.a.example")),
    ("https://ü.example/", ["ü.example"], nil),
    ("https://①⑥⑨.254.169.254/", nil, .spelling("①⑥⑨.254.169.254")),
    ("https://%E2%91%A0.1.1.1/", ["*"], .spelling("①.1.1.1")),
    ("https://１.example/", nil, nil),
  ]

  @Test(arguments: origins)
  func `allows some hosts, by https on port 443`(url: String, hosts: [String]?, fault: HostFault?) throws {
    #expect(policy(hosts: hosts).refusal(of: try #require(WebURL(url)).origin) == fault.map { .host($0) })
  }

  static let places: [(path: String, isFolder: Bool, fault: ProtectedPlaces.Fault?)] = [
    ("a", false, nil), ("a/b", false, nil), (".hidden", false, nil), ("a/.hidden", false, nil),
    (".github/workflows/x.yml", false, .dotFolder(".github")), ("a/.b/c", false, .dotFolder(".b")),
    (".github", true, .dotFolder(".github")), ("a/.b", true, .dotFolder(".b")),
    ("Jenkinsfile", false, .pipeline("Jenkinsfile")), ("JENKINSFILE", false, .pipeline("JENKINSFILE")),
    ("sub/jenkinsfile", false, .pipeline("jenkinsfile")), ("Jenkinsfile/x", false, .pipeline("Jenkinsfile")),
    (".gitlab-ci.yml", false, .pipeline(".gitlab-ci.yml")),
    (".GitLab-CI.yml", false, .pipeline(".GitLab-CI.yml")),
    (".travis.yml", false, .pipeline(".travis.yml")),
    ("azure-pipelines.yml", false, .pipeline("azure-pipelines.yml")),
    ("bitbucket-pipelines.yml", false, .pipeline("bitbucket-pipelines.yml")),
    ("Jenkinsfile.", false, .pipeline("Jenkinsfile.")),
    ("jenkins\u{200D}file", false, .pipeline("jenkins\u{200D}file")),
    ("\u{200C}.git/config", false, .dotFolder("\u{200C}.git")), ("Jenkinsfile2", false, nil),
    ("a/.git", false, .repository(".git")), (".GIT", false, .repository(".GIT")), (".gitignore", false, nil),
    ("gitlab-ci.yml", false, nil),
  ]

  @Test(arguments: places)
  func `protects what a CI system reads`(path: String, isFolder: Bool, fault: ProtectedPlaces.Fault?) {
    #expect(ProtectedPlaces().fault(of: path, isFolder: isFolder) == fault)
  }

  @Test(arguments: [
    ("data/a", false, true), ("data/a/b", false, true), ("data/folder", true, true), ("data", true, false),
    ("database/a", false, false), ("x/data/a", false, false), ("a.csv", false, true),
    ("x/a.csv", false, true),
    ("data/secret/a", false, false),
  ])
  func `names the places of outputs`(path: String, isFolder: Bool, isAllowed: Bool) throws {
    let patterns = try ["data/**", "*.csv", "!data/secret/"].map { try PathPattern($0) }
    let fault = ProtectedPlaces(outputs: patterns).fault(of: path, isFolder: isFolder)
    #expect(fault == (isAllowed ? nil : .notListed))
  }

  @Test func `with an empty list allows no output`() {
    #expect(ProtectedPlaces(outputs: []).fault(of: "a", isFolder: false) == .notListed)
  }

  @Test func `judges the entries of a folder by their whole paths`() {
    let places = ProtectedPlaces()
    #expect(places.fault(ofEntry: Array("a/.x/b".utf8), in: "out", isFolder: false) == .dotFolder(".x"))
    #expect(places.fault(ofEntry: Array("a/b".utf8), in: "out", isFolder: false) == nil)
  }

  @Test func `counts requests`() {
    var limits = PolicyLimits()
    limits.requests = 2
    var spending = PolicySpending(limits)
    #expect(spending.begin() == nil && spending.begin() == nil)
    #expect(spending.begin() == .requests(2) && spending.begin() == .requests(2))
    #expect(spending.requests == 2 && spending.reached == nil)
  }

  @Test func `counts bytes up to the limit and no further`() {
    var limits = PolicyLimits()
    limits.bytes = 100
    var spending = PolicySpending(limits)
    #expect(spending.take(60, after: 0) == nil && spending.take(40, after: 0) == nil)
    #expect(spending.take(1, after: 0) == .bytes(100) && spending.reached == .bytes(100))
    #expect(spending.begin() == .bytes(100) && spending.bytes == 100)
  }

  @Test func `does not count bytes twice that were not taken and come again`() {
    var limits = PolicyLimits()
    limits.bytes = 100
    var spending = PolicySpending(limits)
    for _ in 0..<3 {
      #expect(spending.take(60, after: 0) == nil)
      spending.giveBack(60)
    }
    #expect(spending.take(100, after: 0) == nil && spending.bytes == 100)
  }

  @Test func `measures each file`() {
    var limits = PolicyLimits()
    limits.file = 10
    var spending = PolicySpending(limits)
    #expect(spending.take(10, after: 0) == nil && spending.take(10, after: 0) == nil)
    #expect(spending.take(1, after: 10) == .file(10) && spending.exceeds(11, after: 0) == .file(10))
    #expect(spending.exceeds(10, after: 0) == nil && spending.reached == nil)
    #expect(spending.exceeds(.max, after: 1) == .file(10))
    #expect(PolicySpending(PolicyLimits()).exceeds(.max, after: 1) == nil)
  }

  @Test func `ends when its time is over`() {
    var limits = PolicyLimits()
    limits.time = .seconds(5)
    var spending = PolicySpending(limits)
    #expect(
      spending.timeLeft(after: .seconds(2)) == .seconds(3) && spending.timeLeft(after: .seconds(6)) == .zero)
    spending.timeIsUp()
    #expect(spending.reached == .time(.seconds(5)) && spending.begin() == .time(.seconds(5)))
    #expect(PolicySpending(PolicyLimits()).timeLeft(after: .seconds(9)) == nil)
  }
}
