/// A validator that a range may rest on (RFC 9110, section 13.1.5): what `If-Range` sends.
package enum StrongValidator: Hashable, Sendable {
  /// A strong ETag.
  case etag(EntityTag)
  /// A Last-Modified, byte for byte, of a reply without any ETag.
  case date(String)

  /// How long a file must have stayed as it is for its date to be strong (RFC 9110, section 8.8.2.2).
  private static let settlingTime = Duration.seconds(60)

  /// As `If-Range` sends it.
  package var text: String {
    switch self {
    case .etag(let tag): tag.text
    case .date(let date): date
    }
  }

  /// `nil` if it is a date.
  package var etag: EntityTag? { if case .etag(let tag) = self { tag } else { nil } }

  /// The strong validator of a reply with these fields; `nil` if it may also be valid for other bytes.
  ///
  /// - Parameters:
  ///   - sent: the reply's `Date`.
  ///   - now: decides the century of two-digit years.
  package init?(etag: EntityTag?, lastModified: String?, sent: String?, now: Timestamp) {
    if let etag {
      guard etag.isStrong else { return nil }
      self = .etag(etag)
    } else {
      guard let lastModified, let modified = HTTPDate.parse(lastModified, now: now),
        let moment = sent.flatMap({ HTTPDate.parse($0, now: now) }), moment - modified >= Self.settlingTime
      else { return nil }
      self = .date(lastModified)
    }
  }

  /// Compares bytes; an ETag and a date are never equal.
  package static func == (a: StrongValidator, b: StrongValidator) -> Bool {
    switch (a, b) {
    case (.etag(let a), .etag(let b)): a == b
    case (.date(let a), .date(let b)): a.hasSameBytes(as: b)
    case (.etag, .date), (.date, .etag): false
    }
  }

  /// Agrees with `==`: equal are the same bytes only.
  package func hash(into hasher: inout Hasher) { hasher.combine(ByteString(text)) }
}

extension ResponseHead {
  /// The validator by which a partial download of its body may be resumed; `nil` if it may not. `now` decides the
  /// century of two-digit years.
  package func strongValidator(now: Timestamp) -> StrongValidator? {
    StrongValidator(etag: etag, lastModified: lastModified, sent: date, now: now)
  }
}
