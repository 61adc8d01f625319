import SyncTestSupport

/// Every way to send a credential, with every kind of redirect to another place.
struct CredentialMatrix {
  static let secret = "canary-7f3a"
  static let user = "reader"

  /// How the manifest names the credential.
  enum Kind: String, CaseIterable {
    case header, basic, bearer, netrc

    var manifestKeys: String {
      switch self {
      case .header: "headers: {X-Api-Key: \"${secret:TOKEN}\"}"
      case .basic: "auth: {basic: {user: \(user), password: \"${secret:TOKEN}\"}}"
      case .bearer: "auth: {bearer: \"${secret:TOKEN}\"}"
      case .netrc: "auth: {netrc: true}"
      }
    }

    /// What the intended server gets.
    var sent: HeaderField {
      switch self {
      case .header: HeaderField("X-Api-Key", secret)
      case .basic, .netrc: HeaderField("Authorization", "Basic \(base64(Array("\(user):\(secret)".utf8)))")
      case .bearer: HeaderField("Authorization", "Bearer \(secret)")
      }
    }
  }

  /// The redirect's target, relative to the first URL.
  enum Destination: String, CaseIterable {
    case sameOrigin = "same-origin"
    case otherPort = "other-port"
    case otherHost = "other-host"
    case otherScheme = "other-scheme"
  }

  struct Case {
    var kind: Kind
    var destination: Destination
    var status: Int
    /// Of the first request.
    var scheme: String

    var path: String { "\(kind.rawValue)/\(destination.rawValue)/\(status)/\(scheme)" }
    var isDowngrade: Bool { scheme == "https" && destination == .otherScheme }
  }

  let cases: [Case]
  /// Both use plain HTTP and TLS on one port, so that only the scheme need differ.
  private let home: TLSFront
  private let other: TLSFront
  private let authority: TestAuthority
  let homeServer: LoopbackServer
  let otherServer: LoopbackServer

  var authorityPath: String { authority.path }

  init() throws {
    let statuses = [301, 302, 303, 307, 308]
    cases = Kind.allCases.flatMap { kind in
      Destination.allCases.flatMap { destination in
        statuses.flatMap { status in
          ["http", "https"].map { Case(kind: kind, destination: destination, status: status, scheme: $0) }
        }
      }
    }
    authority = try TestAuthority()
    homeServer = try LoopbackServer()
    otherServer = try LoopbackServer(["*": [.text("here\n")]])
    home = try TLSFront(before: homeServer.port, from: authority, alsoPlain: true)
    other = try TLSFront(before: otherServer.port, from: authority, alsoPlain: true)
    var script: [String: [Reply]] = ["*": [.text("here\n")]]
    for item in cases {
      script["/start/\(item.path)"] = [.redirect(location(of: item), status: item.status)]
    }
    homeServer.setScript(script)
  }

  private func location(of item: Case) -> String {
    let path = "/land/\(item.path)"
    return switch item.destination {
    case .sameOrigin: home.url(path, scheme: item.scheme)
    case .otherPort: other.url(path, scheme: item.scheme)
    case .otherHost: home.url(path, host: "localhost", scheme: item.scheme)
    case .otherScheme: home.url(path, scheme: item.scheme == "http" ? "https" : "http")
    }
  }

  var manifest: String {
    cases.reduce("version: 1\ndefaults: {retries: 0}\ntargets:\n") { text, item in
      let url = home.url("/start/\(item.path)", scheme: item.scheme)
      return text + "  \(item.path): {url: \"\(url)\", output: \(item.path), \(item.kind.manifestKeys)}\n"
    }
  }

  /// The violations of a run.
  func problems(_ item: Case, outcome: String?, code: String?) -> [String] {
    var problems: [String] = []
    // The first request must have had it: otherwise the others would prove nothing.
    let started = homeServer.requests(to: "/start/\(item.path)")
    if started.map({ $0.header(item.kind.sent.name) }) != [item.kind.sent.value] {
      problems.append("the server that it is for did not get it")
    }
    let path = "/land/\(item.path)"
    let landed = homeServer.requests(to: path) + otherServer.requests(to: path)
    if landed.count != (item.isDowngrade ? 0 : 1) { problems.append("\(landed.count) requests after it") }
    for request in landed where request.tells(Self.secret) != (item.destination == .sameOrigin) {
      problems.append("the redirect led to \(request.target) with \(request.headers)")
    }
    if outcome != (item.isDowngrade ? "failed" : "updated")
      || code != (item.isDowngrade ? "redirect-refused" : nil)
    {
      problems.append("it ended as \(outcome ?? "nothing"), \(code ?? "without an error")")
    }
    return problems
  }

  /// The same secret for every host: it must not be sent because another host has an entry, either.
  static let netrc = ["machine 127.0.0.1", "machine localhost", "default"]
    .map { "\($0) login \(user) password \(secret)\n" }.joined()
}

extension LoggedRequest {
  /// Whether anything in it would reveal the secret.
  func tells(_ secret: String) -> Bool {
    let texts = [target] + headers.flatMap { [$0.name, $0.value] }
    let hidden = base64(Array("\(CredentialMatrix.user):\(secret)".utf8))
    return texts.contains { $0.contains(secret) || $0.contains(hidden) }
  }
}
