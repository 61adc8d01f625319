/// One file to keep up to date: its source, its freshness rule, and the steps for its bytes.
///
/// It has the fields of ``TargetFields``, and those of ``TargetSettings`` as if they were its own.
package typealias Target = Shared<TargetFields>

/// The fields of a ``Target``.
///
/// The values that `defaults` may have are in a second object, which many targets share: most targets of a large
/// manifest have no such values of their own.
public struct TargetFields: Sendable {
  /// The target's index in ``Manifest/targets``.
  package var id: TargetID
  /// The key under `targets`; unique among targets and groups.
  package var name: TargetName
  /// The definition's position in the manifest (for matrix targets: the template's).
  package var span: SourceSpan
  /// The place that the bytes come from.
  package var source: BodySource
  /// The output's path, unique in the manifest.
  package var path: RelativePath
  /// Come first, and make it stale when their content changes; as written, each once.
  package var needs: [TargetID]
  /// Only come first; as written, each once.
  package var after: [TargetID]
  /// The values that `defaults` may have.
  public var settings: Shared<TargetSettings>
}

/// The values of a target that `defaults` may have.
public struct TargetSettings: Sendable {
  /// Without meaning for a target with `from`.
  package var freshness: FreshnessRule? = .etag
  /// In the order in which the bytes go through them; empty leaves them as they come.
  package var steps: [Step] = []
  /// As written, each name once in any case; sent to the origins of its own URLs only.
  package var headers: [RequestHeader] = []
  /// Sent to the same origins only; `nil` asks without credentials.
  package var authentication: Authentication?
  /// Tries after the first, 0 or more.
  package var retries = 4
  /// The time limits of its requests.
  package var timeouts = Timeouts()
  /// In bytes, downloaded or decompressed; `nil` for no limit.
  package var maxSize: Int64?
  /// The permission bits of the output; `nil` keeps those of the old file, else 0666 without the umask's bits.
  package var mode: UInt16?
  /// What to do if the output was edited locally.
  package var localChanges = LocalChanges.refuse
  /// What to do with a body whose end is not proven.
  package var unprovenLength = UnprovenLength.refuse
  /// Whether digests from servers are checked and can prove freshness.
  package var serverDigest = ServerDigestUse.use
  /// Which of the user's caches may be used for it.
  package var cache = CacheUse.share
  /// Whether its failure is only a warning, though what depends on it is skipped.
  package var isOptional = false
  /// The manifest's `description`, for people; `nil` if there is none.
  package var summary: String?
  /// Words for `--tag`, as written, each once. Those that entries make have their `${entry.…}` as long as the list is not
  /// known.
  package var tags: [String] = []

  /// The defaults of the contract, section 2.
  package init() {}
}

extension Target {
  /// Settings that are left out are those of the contract, section 2.
  package init(
    id: TargetID, name: TargetName, span: SourceSpan = .unknown, source: BodySource, output: RelativePath,
    needs: [TargetID] = [], after: [TargetID] = [], settings: Shared<TargetSettings> = .init(TargetSettings())
  ) {
    self.init(
      TargetFields(
        id: id, name: name, span: span, source: source, path: output, needs: needs, after: after,
        settings: settings))
  }

  /// A field of its settings.
  @inlinable public subscript<Field>(dynamicMember path: WritableKeyPath<TargetSettings, Field>) -> Field {
    get { storage.value.settings[dynamicMember: path] }
    _modify { yield &self.settings[dynamicMember: path] }
  }

  /// What the target produces, unique in the manifest.
  package var output: Output {
    if treeRules != nil { return .folder(self.path) }
    if case .unlisted = self.source { return .unlisted(self.path) }
    return .file(self.path, mode: self.mode)
  }

  /// How an archive becomes the folder that is the output; `nil` if the output is a file.
  package var treeRules: TreeRules? {
    for case .unpack(let rules) in self.steps { return rules.tree }
    return nil
  }

  /// `nil` exactly when the source is another target (contract, section 3).
  package var freshness: FreshnessRule? {
    get { if case .target = self.source { nil } else { self.settings.freshness } }
    set { self.settings.freshness = newValue }
  }
}

extension Target {
  /// All that it may ask for: its own URLs, and those of sidecars and signatures.
  package var askedURLs: [SourceURL] {
    var urls = self.source.mirrors.map(Array.init) ?? []
    func add(_ sidecar: Sidecar) { urls += [sidecar.url] + (sidecar.signature?.urls ?? []) }
    if case .digest(let rule)? = freshness?.innermost, case .sidecar(let sidecar) = rule.expected {
      add(sidecar)
    }
    for step in self.steps {
      switch step {
      case .verifyDigest(_, .sidecar(let sidecar)): add(sidecar)
      case .verifyMinisign(let check): urls += check.urls
      default: break
      }
    }
    return urls
  }

  /// Whether its headers and credentials are for `origin`: that of one of its own URLs, or of the list that names it.
  package func gives(to origin: WebOrigin) -> Bool {
    if case .entry(let entry) = self.source { return entry.origin == origin }
    return self.source.mirrors?.contains { mirror in
      if case .web(let text) = mirror { WebURL(text)?.origin == origin } else { false }
    } ?? false
  }

  /// The local files that it is made from, sidecars and signatures included: absolute, or relative to the root.
  package var localFiles: [String] {
    askedURLs.compactMap { if case .file(let path, _) = $0 { path } else { nil } }
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

/// Which of the user's caches may be used for a target (`cache`).
package enum CacheUse: String, Sendable, CaseIterable {
  /// All of them, only the one on this machine, or none.
  case share, local, off
}

/// How a file of the cache on this machine becomes an output that no step changes (`cache_link`).
package enum CacheLink: String, Sendable, CaseIterable {
  /// It shares its blocks with the cache until one of them is changed, where the file system can do that; else a copy.
  case reflink
  /// Its bytes are written.
  case copy
  /// The output is another name of the cache's file.
  case hardlink
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
