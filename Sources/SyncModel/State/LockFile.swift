/// What `syncmake.lock` says (contract, section 8): the version of each target that `run` is to bring.
package struct LockFile: Sendable, Equatable {
  /// The file's name; it lies beside the manifest.
  package static let fileName = "syncmake.lock"

  /// Also those of targets that the manifest no longer has, until the lock is written anew.
  package var pins: [TargetName: Pin]

  package init(pins: [TargetName: Pin] = [:]) { self.pins = pins }
}

/// One target's entry in the lock: where its bytes came from, and what they were. Holds no secret.
package struct Pin: Sendable, Equatable {
  /// Where the bytes came from.
  package enum Source: Sendable, Equatable {
    /// The manifest's `url`, mirrors in their order, secrets masked.
    case urls([ByteString])
    /// The target that `from` names.
    case target(TargetName)
  }

  /// A size in bytes and a sha256.
  package struct Content: Sendable, Equatable {
    /// In bytes, 0 or more.
    package var size: Int64
    package var sha256: HexDigest

    package init(size: Int64, sha256: HexDigest) {
      self.size = size
      self.sha256 = sha256
    }

    /// `nil` where no sha256 is known.
    package init?(_ identity: ContentIdentity) {
      guard let sha256 = identity.sha256 else { return nil }
      self.init(size: identity.size, sha256: sha256)
    }
  }

  package var source: Source
  /// The bytes as they came, before any step; `nil` exactly for ``Source/target(_:)``.
  package var download: Content?
  /// The bytes behind the last step.
  package var output: Content
  /// What the server knew the version by; `nil` where it said nothing, and for local sources.
  package var etag: EntityTag?
  /// The header's text byte for byte.
  package var lastModified: String?

  package init(
    source: Source, download: Content?, output: Content, etag: EntityTag? = nil, lastModified: String? = nil
  ) {
    self.source = source
    self.download = download
    self.output = output
    self.etag = etag
    self.lastModified = lastModified
  }

  /// What to ask the source with; `nil` where the lock knows no validator.
  ///
  /// The lock does not keep where redirects led, since such URLs often hold a signature that expires: its
  /// validators hold for whatever URL the source leads to.
  package var validators: Validators? {
    guard etag != nil || lastModified != nil else { return nil }
    return Validators(etag: etag, lastModified: lastModified, url: Validators.anyURL)
  }
}

/// How a target stands to its entry in the lock; the JSON field `lock` (contract, section 8).
package enum LockStanding: String, Sendable, CaseIterable {
  /// Here as locked.
  case pinned
  /// The source has something else.
  case moved
  /// The local file is not what the lock says, or not there.
  case drifted
}
