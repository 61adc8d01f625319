/// What signs a request to a store that speaks S3 (AWS Signature Version 4).
package struct RequestSigning: Sendable, Equatable {
  /// What the store knows its user by.
  package var key: StoreKey
  /// Such as `eu-west-1`.
  package var region: String
  /// The sha256 of what the request sends; `nil` if it sends nothing.
  package var body: HexDigest?

  /// `body` is `nil` for a request without one.
  package init(_ key: StoreKey, region: String, body: HexDigest? = nil) {
    self.key = key
    self.region = region
    self.body = body
  }

  /// ``body`` as it is sent.
  package var sentSum: String {
    // That of no bytes.
    body?.text ?? "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }
}

/// The credentials for a store that speaks S3; all of them are secrets.
package struct StoreKey: Sendable, Equatable {
  /// `AWS_ACCESS_KEY_ID`
  package var id: String
  /// `AWS_SECRET_ACCESS_KEY`
  package var secret: String
  /// `AWS_SESSION_TOKEN`, of credentials for a limited time.
  package var token: String?

  /// Nothing is checked.
  package init(id: String, secret: String, token: String? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
  }

  /// Whether a request can be signed with it: no control characters, and nothing but ASCII.
  package var isUsable: Bool {
    [id, secret, token ?? "x"].allSatisfy { text in
      !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
  }

  /// What nothing may show.
  package var secrets: [String] {
    SecretMask.maskable([id, secret, token].compactMap(\.self))
  }
}
