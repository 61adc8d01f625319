/// A valid manifest: defaults applied, variables and matrices expanded.
///
/// The parser guarantees: names and outputs are unique, every ``TargetID`` in it exists, the dependencies have no
/// cycle, not even through targets that are published together, no target is published together with those of two
/// groups, and every output is inside the root.
package struct Manifest: Sendable {
  /// The file's name as people are shown it, such as `syncmake.yaml`.
  package var fileName: String
  /// How its user named it.
  package var place = CommandPlace()
  /// In manifest order; a target's ``Target/id`` is its index.
  package var targets: [Target]
  /// In manifest order.
  package var groups: [TargetGroup]
  /// The limits for hosts, those of `*` included.
  package var hosts: HostLimits
  /// Knows every `${secret:}` value that the manifest used.
  package var secrets: SecretMask
  /// The files of `matrix: {rows: FILE}`, in manifest order.
  package var rowFiles: [ManifestFile] = []
  /// The included manifests, in the order in which they were found.
  package var included: [ManifestFile] = []
  /// The patterns by which ``included`` were found.
  package var includePatterns: [IncludePattern] = []
  /// The targets with `list`, in manifest order.
  package var templates: [ListTemplate] = []
  /// The variables whose values come from targets' outputs, in manifest order.
  package var values: [ManifestValue] = []
  /// Where the policy is from under which it was read; `nil` for a manifest that is trusted (contract, section 14).
  package var policy: PolicyOrigin?
  /// Whether it is a stranger's.
  package var isUntrusted: Bool { policy != nil }
  /// The targets that are not in ``targets`` because of ``templates`` and ``values``.
  package var waiting: [WaitingTarget] = []
  /// By the template, the names that a target or a group needs of it and that its list does not make.
  package var absentEntries: [String: Set<String>] = [:]

  /// `targets` must keep the guarantees above; each target's id must be its index.
  package init(
    fileName: String, targets: [Target], groups: [TargetGroup] = [], hosts: HostLimits = HostLimits(),
    secrets: SecretMask = SecretMask()
  ) {
    self.fileName = fileName
    self.targets = targets
    self.groups = groups
    self.hosts = hosts
    self.secrets = secrets
  }

  /// What a manifest is called of which no name is given, in the order in which they are looked for.
  package static let usualNames = ["syncmake.yaml", "syncmake.yml"]

  /// The name of its file without folders; `nil` if that is one of ``usualNames``.
  package var unusualName: String? {
    let name =
      fileName.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? fileName
    return Self.usualNames.contains(name) ? nil : name
  }

  /// The name of the file that a place is in, as people are shown it.
  package func fileName(at span: SourceSpan) -> String {
    span.file == 0 ? fileName : fileName.folderPrefix + included[span.file - 1].path.text
  }

  /// The files besides the manifest itself that the targets come from.
  package var furtherFiles: [ManifestFile] { included + rowFiles }

  /// Whether more than the manifest itself decides which targets there are and what they are.
  package var isExpandable: Bool { !templates.isEmpty || !values.isEmpty }

  /// The target that has `id`, which must be one of this manifest.
  package subscript(id: TargetID) -> Target { targets[id.index] }

  /// The name of the file that the bytes of `target` come from: the last part of its first URL or, with `from`, of
  /// the other target's output.
  package func sourceName(of target: Target) -> String {
    switch target.source {
    case .target(let id): self[id].path.name
    default:
      switch target.source.mirrors?.first {
      case .web(let url)?: WebURL.lastPathPart(of: url) ?? ""
      case .file(let path, _)?: path.lastPart
      case nil: ""
      }
    }
  }
}

/// A name for several targets, for use on the command line; perhaps their outputs change together.
package struct TargetGroup: Sendable, Equatable {
  /// The group's name; no target has the same one.
  package var name: TargetName
  /// Every target in the group and in the groups it names, once each, in the order written.
  package var members: [TargetID]
  /// Whether the outputs of all members change in one step, or none does (contract, section 10).
  package var isTogether = false
  /// The names of templates without targets, and of targets that wait for one, of which members are missing.
  package var awaited: [String] = []
  /// The position of its name.
  package var span: SourceSpan

  /// `members` must have each target once.
  package init(name: TargetName, members: [TargetID], isTogether: Bool = false, span: SourceSpan) {
    self.name = name
    self.members = members
    self.isTogether = isTogether
    self.span = span
  }
}

/// How many connections a host may have at once, and how many requests may begin in some time (contract, sections 2
/// and 5).
package struct HostLimits: Sendable, Equatable {
  /// The limit for a host that the manifest does not give one.
  package static let usualConnections = 8

  /// Lower-case host name to connections, 1 or more; every host that the manifest names.
  package var connections: [String: Int]
  /// The names of ``connections``, and perhaps `*`, of which only the default is known.
  package var unstated: Set<String>
  /// The value for `*`; 8 by default.
  package var otherwise: Int
  /// Lower-case host name to rate; a host with an entry but without a rate has none.
  package var rates: [String: RequestRate] = [:]
  /// The rate of `*`, for every host without an entry.
  package var otherRate: RequestRate?

  /// The keys of `connections` must be in lower case, its values and `otherwise` 1 or more; there are no rates.
  package init(connections: [String: Int] = [:], otherwise: Int = usualConnections) {
    self.connections = connections
    self.otherwise = otherwise
    unstated = otherwise == Self.usualConnections ? ["*"] : []
  }

  /// Both limits for each host: of two the smaller counts, and a default only if neither says anything.
  package func combined(with other: HostLimits) -> HostLimits {
    func smaller(_ a: Int?, _ b: Int?) -> Int? { if let a, let b { min(a, b) } else { a ?? b } }
    let otherwise = smaller(stated("*"), other.stated("*"))
    var both = HostLimits(otherwise: otherwise ?? Self.usualConnections)
    if otherwise != nil { both.unstated = [] }
    both.otherRate = .slower(otherRate, other.otherRate)
    for host in Set(connections.keys).union(other.connections.keys) {
      let limit = smaller(stated(host), other.stated(host))
      both.connections[host] = limit ?? Self.usualConnections
      if limit == nil { both.unstated.insert(host) }
      both.rates[host] = .slower(rate(for: host), other.rate(for: host))
    }
    return both
  }

  /// The limit that is written for `name`, or for `*`; `nil` if there is only the default.
  private func stated(_ name: String) -> Int? {
    guard let limit = connections[name], !unstated.contains(name) else {
      return unstated.contains("*") ? nil : otherwise
    }
    return limit
  }

  /// The rate limit for `host`, a name as for ``limit(for:)``; `nil` for no limit.
  package func rate(for host: String) -> RequestRate? {
    if rates.isEmpty, otherRate == nil { return nil }
    let name = Self.name(host)
    return rates[name] ?? (connections[name] == nil ? otherRate : nil)
  }

  /// The same for requests to a cache, which no manifest knows: only a rate of the host itself counts.
  package func rateForCache(at host: String) -> RequestRate? { rates.isEmpty ? nil : rates[Self.name(host)] }

  /// What one of so many runs at once may use, so that together they keep these limits: but each has a connection.
  package func share(of runs: Int) -> HostLimits {
    var share = self
    share.connections = connections.mapValues { max(1, $0 / runs) }
    share.otherwise = max(1, otherwise / runs)
    share.rates = rates.mapValues { $0.share(of: runs) }
    share.otherRate = otherRate?.share(of: runs)
    return share
  }

  /// The useful number of concurrent requests to `host`, 1 or more.
  package func atOnce(for host: String) -> Int {
    min(limit(for: host), rate(for: host)?.perSecond ?? .max)
  }

  /// The manifest names IPv6 hosts without brackets.
  private static func name(_ host: String) -> String {
    host.first == "[" ? String(host.dropFirst().dropLast()) : host
  }

  /// The limit for `host`, a lower-case name as in a URL, without port; 1 or more.
  package func limit(for host: String) -> Int {
    max(1, connections[Self.name(host)] ?? otherwise)
  }
}
