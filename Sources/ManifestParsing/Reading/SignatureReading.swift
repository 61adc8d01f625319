import SyncModel

/// Facts from the reader of steps for the reader of their target.
struct StepNotes {
  /// The targets that steps read from.
  var references: [Reference] = []
  /// The positions of the steps with a signature and without its `url`, in order.
  var signaturesBesideSource: [NodeID] = []
  /// Whether the steps have an error, so that it is not known what they make.
  var areUnreadable = false
}

extension ManifestReader {
  private enum MinisignKeyword: String, CaseIterable { case key, url }

  /// The key and, if it is given, the signature's address; `nil` after an error.
  func minisignCheck(_ id: NodeID, _ scope: Scope) -> (key: MinisignKey, url: SourceURL?)? {
    let want = Want("minisign", "a mapping: {key: KEY, url: …}")
    guard let entries = entries(of: id, want) else { return nil }
    let fields = fields(entries, MinisignKeyword.self, of: "\"minisign\"")
    var url: SourceURL?
    if let entry = fields[.url] {
      url = sourceURL(entry.value, "url", scope)?.url
      if url == nil { return nil }
    }
    guard let key = fields[.key] else {
      requireKey("key", in: fields, at: id, hint: "write {minisign: {key: RW…}}")
      return nil
    }
    return minisignKey(key.value, scope).map { ($0, url) }
  }

  /// An invalid public key may be a secret key, so it is not printed.
  private func minisignKey(_ id: NodeID, _ scope: Scope) -> MinisignKey? {
    text(id, Want("key", "a minisign public key"), scope).flatMap { minisignKey($0, "\"key\"", at: id) }
  }

  /// `nil` after an error, which says what `name` is.
  func minisignKey(_ text: String, _ name: String, at id: NodeID) -> MinisignKey? {
    do throws(MinisignKey.Fault) { return try MinisignKey(text) } catch {
      let what =
        switch error {
        case .notBase64: "it is not base64"
        case .wrongLength(let actual): "it has \(actual) bytes, not 42"
        case .wrongAlgorithm: "its algorithm is not Ed25519"
        }
      self.error(
        "\(name) is not a minisign public key: \(what)", at: id,
        hint: "a key is the second line of the publisher's .pub file: 56 characters that begin with RW")
      return nil
    }
  }

  /// Sets the signatures' places for steps without `url`: beside the target's source.
  func placeSignatures(in read: inout ReadTarget) {
    guard let source = read.source, !read.settings.stepNotes.signaturesBesideSource.isEmpty else { return }
    var settings = read.settings
    defer { read.shared = SharedSettings(settings) }
    var places = settings.stepNotes.signaturesBesideSource[...]
    for (index, step) in settings.values.steps.enumerated() {
      guard case .verifyMinisign(var check) = step, check.urls.isEmpty, let place = places.popFirst() else {
        continue
      }
      guard let mirrors = source.mirrors else {
        error(
          "\"minisign\" needs a \"url\": this target has no URL of its own", at: place,
          hint: "write {key: …, url: …}")
        continue
      }
      check.urls = mirrors.compactMap(\.minisignature)
      if check.urls.isEmpty { reportQuery(at: place) }
      settings.values.steps[index] = .verifyMinisign(check)
    }
  }

  func reportQuery(at place: NodeID) {
    error(
      "\"minisign\" needs a \"url\": nothing can be added to a URL with a query", at: place,
      hint: "write {key: …, url: …}")
  }
}
