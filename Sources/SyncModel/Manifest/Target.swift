/// One file to keep up to date: its source, its freshness rule, and the steps for its bytes.
///
/// Copies share its fields: a run passes a target on ten times. The values that `defaults` may have are in a second object, which
/// many targets share: most targets of a large manifest have no such values of their own.
package struct Target: Sendable {
  private struct Fields: Sendable {
    var id: TargetID
    var name: TargetName
    var span: SourceSpan
    var source: BodySource
    var path: RelativePath
    var needs: [TargetID]
    var after: [TargetID]
    var settings: SharedTargetSettings
  }

  private var shared: CopyOnWrite<Fields>

  /// For targets that share their settings, as those of one `defaults` do.
  package init(
    id: TargetID, name: TargetName, span: SourceSpan = .unknown, source: BodySource, output: RelativePath,
    needs: [TargetID] = [], after: [TargetID] = [], settings: SharedTargetSettings
  ) {
    shared = CopyOnWrite(
      Fields(
        id: id, name: name, span: span, source: source, path: output, needs: needs, after: after,
        settings: settings))
  }

  /// For a target with settings of its own; the defaults are those of the contract, section 2.
  package init(
    id: TargetID, name: TargetName, span: SourceSpan = .unknown, source: BodySource, output: RelativePath,
    freshness: FreshnessRule? = .etag, steps: [Step] = [], needs: [TargetID] = [], after: [TargetID] = [],
    headers: [RequestHeader] = [], authentication: Authentication? = nil, retries: Int = 4,
    timeouts: Timeouts = Timeouts(), maxSize: Int64? = nil, mode: UInt16? = nil,
    localChanges: LocalChanges = .refuse, unprovenLength: UnprovenLength = .refuse,
    serverDigest: ServerDigestUse = .use, isOptional: Bool = false,
    summary: String? = nil, tags: [String] = []
  ) {
    var settings = TargetSettings()
    settings.freshness = freshness
    settings.steps = steps
    settings.headers = headers
    settings.authentication = authentication
    settings.retries = retries
    settings.timeouts = timeouts
    settings.maxSize = maxSize
    settings.mode = mode
    settings.localChanges = localChanges
    settings.unprovenLength = unprovenLength
    settings.serverDigest = serverDigest
    settings.isOptional = isOptional
    settings.summary = summary
    settings.tags = tags
    self.init(
      id: id, name: name, span: span, source: source, output: output, needs: needs, after: after,
      settings: SharedTargetSettings(settings))
  }

  /// The values that `defaults` may have.
  private var settings: TargetSettings {
    get { shared.value.settings.value }
    set { shared.value.settings = SharedTargetSettings(newValue) }
  }

  /// The target's index in ``Manifest/targets``.
  package var id: TargetID {
    get { shared.value.id }
    set { shared.value.id = newValue }
  }

  /// The key under `targets`; unique among targets and groups.
  package var name: TargetName {
    get { shared.value.name }
    set { shared.value.name = newValue }
  }

  /// The definition's position in the manifest (for matrix targets: the template's).
  package var span: SourceSpan {
    get { shared.value.span }
    set { shared.value.span = newValue }
  }

  /// The place that the bytes come from.
  package var source: BodySource {
    get { shared.value.source }
    set { shared.value.source = newValue }
  }

  /// The file that the target produces, unique in the manifest, with its mode.
  package var output: Output {
    get { .file(shared.value.path, mode: settings.mode) }
    set {
      shared.value.path = newValue.path
      if settings.mode != newValue.mode { settings.mode = newValue.mode }
    }
  }

  /// `nil` exactly when ``source`` is another target (contract, section 3).
  package var freshness: FreshnessRule? {
    get { if case .target = shared.value.source { nil } else { settings.freshness } }
    set { settings.freshness = newValue }
  }

  /// In the order in which the bytes go through them; empty leaves them as they come.
  package var steps: [Step] {
    get { settings.steps }
    set { settings.steps = newValue }
  }

  /// Come first, and make it stale when their content changes; as written, each once.
  package var needs: [TargetID] {
    get { shared.value.needs }
    set { shared.value.needs = newValue }
  }

  /// Only come first; as written, each once.
  package var after: [TargetID] {
    get { shared.value.after }
    set { shared.value.after = newValue }
  }

  /// As written, each name once in any case; sent to the origins of its own URLs only.
  package var headers: [RequestHeader] {
    get { settings.headers }
    set { settings.headers = newValue }
  }

  /// Sent to the same origins only; `nil` asks without credentials.
  package var authentication: Authentication? {
    get { settings.authentication }
    set { settings.authentication = newValue }
  }

  /// Tries after the first, 0 or more.
  package var retries: Int {
    get { settings.retries }
    set { settings.retries = newValue }
  }

  /// The time limits of its requests.
  package var timeouts: Timeouts {
    get { settings.timeouts }
    set { settings.timeouts = newValue }
  }

  /// In bytes, downloaded or decompressed; `nil` for no limit.
  package var maxSize: Int64? {
    get { settings.maxSize }
    set { settings.maxSize = newValue }
  }

  /// What to do if the output was edited locally.
  package var localChanges: LocalChanges {
    get { settings.localChanges }
    set { settings.localChanges = newValue }
  }

  /// What to do with a body whose end is not proven.
  package var unprovenLength: UnprovenLength {
    get { settings.unprovenLength }
    set { settings.unprovenLength = newValue }
  }

  /// Whether digests from servers are checked and can prove freshness.
  package var serverDigest: ServerDigestUse {
    get { settings.serverDigest }
    set { settings.serverDigest = newValue }
  }

  /// Whether its failure is only a warning, though what depends on it is skipped.
  package var isOptional: Bool {
    get { settings.isOptional }
    set { settings.isOptional = newValue }
  }

  /// The manifest's `description`, for people; `nil` if there is none.
  package var summary: String? {
    get { settings.summary }
    set { settings.summary = newValue }
  }

  /// Words for `--tag`, as written, each once.
  package var tags: [String] {
    get { settings.tags }
    set { settings.tags = newValue }
  }
}

/// The values of a target that `defaults` may have.
package struct TargetSettings: Sendable {
  /// Without meaning for a target with `from`.
  package var freshness: FreshnessRule? = .etag
  /// See ``Target/steps``.
  package var steps: [Step] = []
  /// See ``Target/headers``.
  package var headers: [RequestHeader] = []
  /// See ``Target/authentication``.
  package var authentication: Authentication?
  /// See ``Target/retries``.
  package var retries = 4
  /// See ``Target/timeouts``.
  package var timeouts = Timeouts()
  /// See ``Target/maxSize``.
  package var maxSize: Int64?
  /// The permission bits of the output; `nil` keeps those of the old file, else 0666 without the umask's bits.
  package var mode: UInt16?
  /// See ``Target/localChanges``.
  package var localChanges = LocalChanges.refuse
  /// See ``Target/unprovenLength``.
  package var unprovenLength = UnprovenLength.refuse
  /// See ``Target/serverDigest``.
  package var serverDigest = ServerDigestUse.use
  /// See ``Target/isOptional``.
  package var isOptional = false
  /// See ``Target/summary``.
  package var summary: String?
  /// See ``Target/tags``.
  package var tags: [String] = []

  /// The defaults of the contract, section 2.
  package init() {}
}

/// Settings that several targets have.
package final class SharedTargetSettings: Sendable {
  let value: TargetSettings

  /// The settings never change; a target that is changed gets settings of its own.
  package init(_ value: TargetSettings) { self.value = value }
}

extension Target {
  /// The local files that it is made from, sidecars and signatures included: absolute, or relative to the root.
  package var localFiles: [String] {
    var urls: [SourceURL] = []
    func add(_ sidecar: Sidecar) { urls += [sidecar.url] + (sidecar.signature?.urls ?? []) }
    if case .urls(let mirrors) = source { urls = mirrors }
    if case .digest(let rule)? = freshness?.innermost, case .sidecar(let sidecar) = rule.expected {
      add(sidecar)
    }
    for step in steps {
      switch step {
      case .verifyDigest(_, .sidecar(let sidecar)): add(sidecar)
      case .verifyMinisign(let check): urls += check.urls
      default: break
      }
    }
    return urls.compactMap { if case .file(let path, _) = $0 { path } else { nil } }
  }
}

/// What to do with a locally edited output (`local_changes`).
package enum LocalChanges: String, Sendable, CaseIterable {
  /// Fail and explain, replace the file, or leave it and call it fresh.
  case refuse, overwrite, keep
}

/// What to do with a body whose end is not proven (`unproven_length`).
package enum UnprovenLength: String, Sendable, CaseIterable {
  /// Fail with `length-unproven`, or use the body.
  case refuse, accept
}

/// What to do with digests from servers (`server_digest`).
package enum ServerDigestUse: String, Sendable, CaseIterable {
  /// Check them and let them prove freshness, or read none.
  case use, ignore
}

/// The time limits of one target's requests.
package struct Timeouts: Sendable, Equatable {
  /// For each request, also a redirect's, from its turn until it is sent; more than zero.
  package var connect: Duration
  /// The longest pause between two bytes of a reply.
  package var stall: Duration
  /// For one try, from the first byte of the request; `nil` for no limit.
  package var total: Duration?

  /// The defaults are those of the contract, section 2.
  package init(connect: Duration = .seconds(10), stall: Duration = .seconds(30), total: Duration? = nil) {
    self.connect = connect
    self.stall = stall
    self.total = total
  }
}
