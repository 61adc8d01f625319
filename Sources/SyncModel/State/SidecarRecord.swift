/// A sidecar's text and validators, so that the next run can request it conditionally.
package struct SidecarRecord: Sendable, Equatable {
  /// The resource of the URL in the manifest, without secrets; the key.
  package var url: String
  /// The validators of the reply with ``body``; empty if it had none.
  package var validators: Validators
  /// At most 1 MiB.
  package var body: [UInt8]

  /// Removes what signs `url`; `body` must be at most 1 MiB.
  package init(url: String, validators: Validators, body: [UInt8]) {
    self.url = ResourceURL.text(of: url)
    self.validators = validators
    self.body = body
  }

  /// Compares the URL by its bytes.
  package static func == (a: SidecarRecord, b: SidecarRecord) -> Bool {
    a.url.hasSameBytes(as: b.url) && a.validators == b.validators && a.body == b.body
  }
}
