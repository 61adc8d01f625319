/// One file to be kept up to date: where it comes from, when it is stale, what happens to its bytes.
package struct Target: Sendable {
  /// Its index in ``Manifest/targets``.
  package var id: TargetID
  package var name: TargetName
  /// Where the manifest defines it (for matrix targets: the template).
  package var span: SourceSpan
  package var source: Source
  package var output: RelativePath
  /// `nil` exactly when ``source`` is another target (SPEC section 3).
  package var freshness: FreshnessRule?
  /// In the order in which the bytes go through them; empty leaves them as they come.
  package var steps: [Step]
  /// Come first, and make it stale when their content changes; as written, each once.
  package var needs: [TargetID]
  /// Only come first; as written, each once.
  package var after: [TargetID]
  /// As written, each name once whatever its case; sent to the origins of its own URLs only.
  package var headers: [RequestHeader]
  /// Sent to the same origins only; `nil` asks without credentials.
  package var authentication: Authentication?
  /// Tries after the first, 0 or more.
  package var retries: Int
  package var timeouts: Timeouts
  /// In bytes, downloaded or unpacked; `nil` is no limit.
  package var maxSize: Int64?
  /// Permission bits such as `0o644`; `nil` is the old file's, else 0666 less umask.
  package var mode: UInt16?
  package var localChanges: LocalChanges
  package var unprovenLength: UnprovenLength
  /// Whether its failure is only a warning, though what depends on it is skipped.
  package var isOptional: Bool
  /// The manifest's `description`, for people; `nil` where there is none.
  package var summary: String?
  /// Words for `--tag`, as written, each once.
  package var tags: [String]

  package init(
    id: TargetID, name: TargetName, span: SourceSpan = .unknown, source: Source, output: RelativePath,
    freshness: FreshnessRule? = .etag, steps: [Step] = [], needs: [TargetID] = [], after: [TargetID] = [],
    headers: [RequestHeader] = [], authentication: Authentication? = nil, retries: Int = 4,
    timeouts: Timeouts = Timeouts(), maxSize: Int64? = nil, mode: UInt16? = nil,
    localChanges: LocalChanges = .refuse, unprovenLength: UnprovenLength = .refuse, isOptional: Bool = false,
    summary: String? = nil, tags: [String] = []
  ) {
    self.id = id
    self.name = name
    self.span = span
    self.source = source
    self.output = output
    self.freshness = freshness
    self.steps = steps
    self.needs = needs
    self.after = after
    self.headers = headers
    self.authentication = authentication
    self.retries = retries
    self.timeouts = timeouts
    self.maxSize = maxSize
    self.mode = mode
    self.localChanges = localChanges
    self.unprovenLength = unprovenLength
    self.isOptional = isOptional
    self.summary = summary
    self.tags = tags
  }
}

extension Target {
  /// The local files that it is made from, its sidecars included: absolute, or relative to the root.
  package var localFiles: [String] {
    var urls: [SourceURL] = []
    if case .urls(let mirrors) = source { urls = mirrors }
    if case .digest(let rule)? = freshness?.innermost, case .sidecar(let url) = rule.expected {
      urls.append(url)
    }
    for case .verifyDigest(_, .sidecar(let url)) in steps { urls.append(url) }
    return urls.compactMap { if case .file(let path, _) = $0 { path } else { nil } }
  }
}

/// What becomes of an output that was edited locally (`local_changes`).
package enum LocalChanges: String, Sendable, CaseIterable {
  case refuse, overwrite, keep
}

/// What becomes of a body whose end nothing proves (`unproven_length`).
package enum UnprovenLength: String, Sendable, CaseIterable {
  case refuse, accept
}

/// The time limits of one target's requests.
package struct Timeouts: Sendable, Equatable {
  /// For each request, also a redirect's, from its turn until it is sent; more than zero.
  package var connect: Duration
  /// The longest pause between two bytes of a reply.
  package var stall: Duration
  /// For one try, from its first byte sent; `nil` is no limit.
  package var total: Duration?

  package init(connect: Duration = .seconds(10), stall: Duration = .seconds(30), total: Duration? = nil) {
    self.connect = connect
    self.stall = stall
    self.total = total
  }
}
