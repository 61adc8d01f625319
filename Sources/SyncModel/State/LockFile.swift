/// The content of `syncmake.lock` (contract, section 8): the locked version of each target.
package struct LockFile: Sendable, Equatable {
  /// The file's name; it is in the manifest's folder.
  package static let fileName = "syncmake.lock"

  /// Includes targets that the manifest no longer has, until the lock is written again.
  package var pins: [TargetName: Pin]
  /// The values that variables have of the outputs of locked targets, by the target and the variable's name.
  package var values: [TargetName: [String: LockedValue]] = [:]
  /// The names of targets with `list` whose lists were read, and of which no entry was selected.
  package var emptyLists: Set<String> = []

  /// Without pins, a lock in which no target is locked yet.
  package init(pins: [TargetName: Pin] = [:]) { self.pins = pins }

  /// The locked value of the variable with that name, whatever output it was of; of several, which only a merge of locks
  /// can make, that of the first target.
  package func value(named name: String) -> LockedValue? {
    values.filter { $0.value[name] != nil }.min { $0.key < $1.key }?.value[name]
  }

  /// The locked value of a variable; `nil` if there is none, or one of another part of the output.
  package func text(of value: ManifestValue) -> String? {
    guard let locked = values[value.target]?[value.name], locked.part == value.pick.text else { return nil }
    return locked.text
  }
}

/// One target's entry in the lock: the source and the identity of its bytes. Contains no secret.
package struct Pin: Sendable, Equatable {
  /// The source of the bytes.
  package enum Source: Sendable, Equatable {
    /// The manifest's `url`, mirrors in their order, secrets masked.
    case urls([ByteString])
    /// The target that `from` names.
    case target(TargetName)
  }

  /// A size in bytes and a sha256; of a folder, the sum of its files' sizes and its tree digest.
  package struct Content: Sendable, Equatable {
    /// In bytes, 0 or more.
    package var size: Int64
    /// The sha256 of these bytes.
    package var sha256: HexDigest
    /// Whether it is that of a folder.
    package var isTree: Bool

    /// `size` is in bytes.
    package init(size: Int64, sha256: HexDigest, isTree: Bool = false) {
      self.size = size
      self.sha256 = sha256
      self.isTree = isTree
    }

    /// `nil` if no sha256 is known.
    package init?(_ identity: ContentIdentity) {
      guard let sha256 = identity.sha256 else { return nil }
      self.init(size: identity.size, sha256: sha256)
    }
  }

  /// The addresses or the target that the bytes came from.
  package var source: Source
  /// The bytes as they came, before any step; `nil` exactly for ``Source/target(_:)``.
  package var download: Content?
  /// The bytes after the last step.
  package var output: Content
  /// The steps that made the output, those that transform, as a manifest would write them; empty if there are none,
  /// or if an earlier version wrote the lock, which did not say.
  package var steps: [String] = []
  /// The server's validators of the version; `nil` if it sent none, and for local sources.
  package var etag: EntityTag?
  /// The header's text byte for byte.
  package var lastModified: String?
  /// What a list said of the source; `nil` for a target without `list`.
  package var entry: PinnedEntry? {
    get { boxed?.storage.value }
    set { boxed = newValue.map { Shared($0) } }
  }
  private var boxed: Shared<PinnedEntry>?

  /// `download` must be `nil` exactly for ``Source/target(_:)``.
  package init(
    source: Source, download: Content?, output: Content, etag: EntityTag? = nil, lastModified: String? = nil
  ) {
    self.source = source
    self.download = download
    self.output = output
    self.etag = etag
    self.lastModified = lastModified
  }

  /// The validators for a request to the source; `nil` if the lock has none.
  ///
  /// The lock does not contain the URL after redirects, which often has a signature that expires: its validators
  /// are valid for any URL to which the source redirects.
  package var validators: Validators? {
    guard etag != nil || lastModified != nil else { return nil }
    return Validators(etag: etag, lastModified: lastModified, origin: .anyResource)
  }
}

/// How a target compares with its entry in the lock; the JSON field `lock` (contract, section 8).
package enum LockStanding: String, Sendable, CaseIterable {
  /// Here as locked.
  case pinned
  /// The source has something else.
  case moved
  /// The local file is not the locked one, or is missing.
  case drifted
}
