/// The values by which a server or a source file identifies a version.
package typealias Validators = Shared<ValidatorFields>

/// The fields of ``Validators``.
package struct ValidatorFields: Sendable, Equatable {
  /// `nil` if there is none that may be stored, and for `file` sources.
  package var etag: EntityTag?
  /// The header's text byte for byte; parsed only to set or compare file times.
  package var lastModified: String?
  /// Size and mtime of a `file` source, as `SIZE-NANOSECONDS`; `nil` for web sources.
  package var fileStamp: String?
  /// Where they came from, which decides whose answer they are.
  package var origin: ValidatorOrigin

  /// Whether all fields are equal, texts by their bytes.
  package static func == (a: ValidatorFields, b: ValidatorFields) -> Bool {
    a.etag == b.etag && a.lastModified.hasSameBytes(as: b.lastModified) && a.fileStamp == b.fileStamp
      && a.origin == b.origin
  }
}

/// Where validators came from. Only those of a resource are recorded.
package enum ValidatorOrigin: Sendable, Equatable {
  /// A reply of this resource, secrets masked: they count for no other.
  case resource(String)
  /// A source of which no URL after redirects is known, as the lock's: they count for whatever it leads to.
  case anyResource
  /// No reply but a file's own time; it, too, is compared with whatever the source leads to.
  case ownTime

  /// Resources by their bytes.
  package static func == (a: ValidatorOrigin, b: ValidatorOrigin) -> Bool {
    switch (a, b) {
    case (.resource(let a), .resource(let b)): a.hasSameBytes(as: b)
    case (.anyResource, .anyResource), (.ownTime, .ownTime): true
    default: false
    }
  }
}

extension Validators {
  /// `url` is the URL after redirects; what signs it is removed here.
  package init(
    etag: EntityTag? = nil, lastModified: String? = nil, fileStamp: String? = nil, url: String
  ) {
    self.init(
      etag: etag, lastModified: lastModified, fileStamp: fileStamp,
      origin: .resource(ResourceURL.text(of: url)))
  }

  /// What signs a resource's URL must be removed.
  package init(
    etag: EntityTag? = nil, lastModified: String? = nil, fileStamp: String? = nil, origin: ValidatorOrigin
  ) {
    self.init(
      ValidatorFields(etag: etag, lastModified: lastModified, fileStamp: fileStamp, origin: origin))
  }

  /// The resource that they came from, secrets masked; `nil` if they are not of one resource.
  package var url: String? { if case .resource(let url) = self.origin { url } else { nil } }

  /// Whether they came from `resource`.
  package func areOf(_ resource: String) -> Bool {
    self.url.map { $0.hasSameBytes(as: resource) } ?? false
  }

  /// Whether they came from a mirror of the user's configuration.
  package var isOfMirror: Bool { self.url.map(ResourceURL.isOfMirror) ?? false }

  /// Whether they are not a server's validators but a file's own time.
  package var isOwnTime: Bool { self.origin == .ownTime }

  /// Whether they may be sent to whatever URL the source leads to.
  package var holdForAnyURL: Bool { self.url == nil }

  /// Whether there is nothing to ask with.
  package var isEmpty: Bool { self.etag == nil && self.lastModified == nil && self.fileStamp == nil }
}
