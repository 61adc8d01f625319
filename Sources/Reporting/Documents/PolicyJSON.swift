import SyncModel

/// The field `policy` of a document (contract, section 14).
enum PolicyJSON {
  /// Nothing for a manifest that is trusted.
  static func write(_ json: inout JSONWriter, _ manifest: Manifest) {
    guard let policy = manifest.policy else { return }
    json.object("policy") { json in
      json.field("untrusted", true)
      json.field("file", policy.file.map(manifest.secrets.mask))
      json.field("sha256", policy.sha256?.text)
    }
  }
}
