import SyncTestSupport

/// The TLS in front of a scenario's servers.
struct Fronts {
  /// The names of the addresses in scenarios.
  private(set) var variables: [String: String] = [:]
  private var fronts: [TLSFront] = []
  /// The authority that issues their certificates; its folder also has their files.
  private let authority: TestAuthority?

  /// If they are not available, their addresses have no server: `-- requires --` must name `tls`.
  init(_ sections: [FrontSection], before servers: [String: LoopbackServer]) throws {
    let authority = try sections.isEmpty || !TLSFront.isHere ? nil : TestAuthority()
    self.authority = authority
    variables["AUTHORITY"] = authority?.path ?? "/dev/null"
    for section in sections {
      variables[section.name] = "https://127.0.0.1:1"
      variables["\(section.name)_PORT"] = "1"
      guard let authority, let server = servers[section.server] else { continue }
      let front = try TLSFront(
        before: server.port, certificate: section.certificate, from: authority,
        speaksHTTP2: section.speaksHTTP2, alsoPlain: section.alsoPlain, fault: section.fault)
      fronts.append(front)
      variables[section.name] = front.url()
      variables["\(section.name)_PORT"] = "\(front.port)"
    }
  }
}
