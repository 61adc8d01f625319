import SyncModel

extension ManifestReader {
  private enum DigestSourceKey: String, CaseIterable { case url, target, entry, json, signed }

  /// S in section 4 of the contract: hexadecimal digits, a sidecar, or a line of another target's output.
  func digest(
    _ id: NodeID, _ algorithm: DigestAlgorithm, _ scope: Scope, references: inout [Reference]
  ) -> DigestSource? {
    guard document[id].kind == .mapping else { return literalDigest(id, algorithm, scope) }
    guard let entries = entries(of: id, wanted(algorithm)) else { return nil }
    let fields = fields(entries, DigestSourceKey.self, of: "\"\(algorithm.rawValue)\"")
    if let url = fields[.url] { return sidecar(url, fields, scope).map { .sidecar($0) } }
    for key in [DigestSourceKey.json, .signed] {
      guard let entry = fields[key] else { continue }
      requireKey("url", in: fields, at: entry.key, hint: "write {url: …, \(key.rawValue): …}")
      return nil
    }
    guard let target = fields[.target], let line = fields[.entry] else {
      let missing = fields[.target] != nil ? "entry" : fields[.entry] != nil ? "target" : nil
      if let missing {
        requireKey(
          missing, in: fields, at: id, hint: "write {target: TARGET, entry: NAME} or {url: …, entry: PATTERN}"
        )
      } else if fields.misspelt.isEmpty {
        unwanted(id, wanted(algorithm))
      }
      return nil
    }
    let id = reference(target.value, "target", "the name of a target", scope)
    let name = self.line(line.value, Want("entry", "the file's name in the line"), scope)
    guard let id else { return nil }
    references.append(Reference(id: id, place: target.value))
    return name.map { .entry(id, name: ByteString($0)) }
  }

  private func sidecar(_ url: MappingEntry, _ fields: Fields<DigestSourceKey>, _ scope: Scope) -> Sidecar? {
    if let other = fields[.target] {
      error("\"url\" and \"target\" exclude each other here", at: other.key)
      return nil
    }
    if fields[.entry] != nil, let json = fields[.json] {
      error(
        "\"entry\" and \"json\" exclude each other", at: json.key,
        hint: "keep the one that matches the file's format")
      return nil
    }
    let choice = choice(fields, scope)
    let source = sourceURL(url.value, "url", scope)
    var signature: MinisignCheck?
    if let signed = fields[.signed] {
      signature = self.signature(signed.value, of: source?.url, scope)
      guard signature != nil else { return nil }
    }
    guard let choice, let source else { return nil }
    return Sidecar(source.url, choice: choice, signature: signature)
  }

  /// Which of a sidecar's digests counts; `nil` after an error.
  private func choice(_ fields: Fields<DigestSourceKey>, _ scope: Scope) -> Sidecar.Choice? {
    if let entry = fields[.entry] {
      let want = Want("entry", "the name in the line, in which * and ? are wildcards")
      return line(entry.value, want, scope).map { .entry(EntryPattern($0)) }
    }
    guard let json = fields[.json] else { return .ownName }
    let want = Want("json", "a JSON pointer such as /files/0/checksum")
    guard let text = line(json.value, want, scope) else { return nil }
    guard let pointer = JSONPointer(text) else {
      unwanted(text, at: json.value, want, hint: text.hasPrefix("/") ? "~0 means a tilde, ~1 a slash" : nil)
      return nil
    }
    return .json(pointer)
  }

  private enum SignedKey: String, CaseIterable { case minisign }

  /// `signed`, beside a sidecar's `url`; `nil` after an error.
  private func signature(_ id: NodeID, of sidecar: SourceURL?, _ scope: Scope) -> MinisignCheck? {
    let want = Want("signed", "a mapping: {minisign: {key: KEY}}")
    guard let entries = entries(of: id, want) else { return nil }
    let fields = fields(entries, SignedKey.self, of: "\"signed\"")
    guard let minisign = fields[.minisign] else {
      if fields.misspelt.isEmpty, entries.isEmpty { unwanted(id, want) }
      return nil
    }
    guard let (key, url) = minisignCheck(minisign.value, scope), let sidecar else { return nil }
    guard let url = url ?? sidecar.minisignature else {
      reportQuery(at: minisign.value)
      return nil
    }
    return MinisignCheck(key: key, urls: [url])
  }

  /// In words, which only a problem needs.
  private func wanted(_ algorithm: DigestAlgorithm) -> Want {
    Want(algorithm.rawValue, "\(algorithm.hexCount) hexadecimal digits, {url: …}, or {target: …, entry: …}")
  }

  /// The digest of an unpacked folder, which is a sha256; `nil` after an error.
  func treeDigest(_ id: NodeID, _ scope: Scope) -> HexDigest? {
    literal(id, .sha256, Want("tree", "\(DigestAlgorithm.sha256.hexCount) hexadecimal digits"), scope)
  }

  /// Hexadecimal digits; `nil` after an error.
  func literalDigest(
    _ id: NodeID, _ algorithm: DigestAlgorithm, _ scope: Scope
  ) -> DigestSource? {
    literal(id, algorithm, wanted(algorithm), scope).map { .literal($0) }
  }

  /// What to write instead of a digest behind its algorithm, or of the address of a list of digests.
  private static func digestHint(_ text: String, _ key: String) -> String? {
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return "write \(key): {url: …}" }
    guard let algorithm = DigestAlgorithm.allCases.first(where: { text.hasPrefix($0.rawValue + ":") }),
      HexDigest(String(text.dropFirst(algorithm.rawValue.count + 1)), algorithm) != nil
    else { return nil }
    return "write only the digits, in \(algorithm.rawValue)"
  }

  private func literal(
    _ id: NodeID, _ algorithm: DigestAlgorithm, _ want: @autoclosure () -> Want, _ scope: Scope
  ) -> HexDigest? {
    guard let text = text(id, want(), scope) else { return nil }
    if let digest = HexDigest(text, algorithm) { return digest }
    let want = want()
    let count = text.utf8.count
    let isHex = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
    }
    guard isHex, !text.isEmpty else {
      unwanted(text, at: id, want, hint: Self.digestHint(text, want.key))
      return nil
    }
    let other = DigestAlgorithm.allCases.first { $0.hexCount == count }
    error(
      "\(want.key) digests have \(algorithm.hexCount) digits, not \(count)", at: id,
      hint: other.map { "\($0.rawValue) digests have \(count) digits" })
    return nil
  }
}
