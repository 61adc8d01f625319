import SyncModel

extension ManifestReader {
  enum RuleWord: String, CaseIterable { case etag, mtime, once, always }

  private enum RuleKey: String, CaseIterable {
    case md5, sha1, sha256, sha512, of, interval, then
  }

  /// A freshness rule; `references` gets the targets that it reads from. `nil` after an error.
  func freshness(_ id: NodeID, _ scope: Scope, references: inout [Reference]) -> FreshnessRule? {
    rule(id, "freshness", scope, isInInterval: false, &references)
  }

  private func rule(
    _ id: NodeID, _ key: String, _ scope: Scope, isInInterval: Bool, _ references: inout [Reference]
  ) -> FreshnessRule? {
    guard document[id].kind == .mapping else { return ruleWord(id, key, scope) }
    guard let entries = entries(of: id, Want(key, "a freshness rule")) else { return nil }
    if let entry = entries.first(where: { RuleWord(rawValue: document.text(of: $0.key)) != nil }) {
      let word = document.text(of: entry.key)
      error("the rule \"\(word)\" takes no value", at: entry.key, hint: "write \"\(key): \(word)\"")
      return nil
    }
    let fields = fields(entries, RuleKey.self, of: "\"\(key)\"")
    if let interval = fields[.interval] {
      guard !isInInterval else {
        error("\"then\" cannot be another interval", at: interval.key)
        return nil
      }
      return intervalRule(fields, interval, scope, &references)
    }
    if let then = fields[.then] {
      requireKey("interval", in: fields, at: then.key, hint: "write {interval: 12h, then: RULE}")
      return nil
    }
    return digestRule(id, fields, key, scope, &references)
  }

  /// Words for periods.
  private static let periods = ["hourly": "1h", "daily": "1d", "weekly": "7d"]

  private static let ruleWords = RuleWord.allCases.map(\.rawValue)
  private static let ruleForm = "a rule: \(Quoting.list(ruleWords)), a digest, or an interval"

  private func ruleWord(_ id: NodeID, _ key: String, _ scope: Scope) -> FreshnessRule? {
    guard let text = text(id, Want(key, Self.ruleForm), scope) else { return nil }
    switch RuleWord(rawValue: text) {
    case .etag: return .etag
    case .mtime: return .mtime
    case .once: return .once
    case .always: return .always
    case nil: break
    }
    if text == "interval" {
      error("the rule \"interval\" needs a period", at: id, hint: "write {interval: 12h}")
    } else if DigestAlgorithm(rawValue: text) != nil || text == "digest" {
      let algorithm = text == "digest" ? "sha256" : text
      error(
        "the rule \"\(text)\" needs a digest", at: id,
        hint: "write {\(algorithm): HEX} or {\(algorithm): {url: …}}")
    } else if let period = Self.periods[text] ?? (UnitValue.duration(text) == nil ? nil : text) {
      error("the rule for a period is \"interval\"", at: id, hint: "write {interval: \(period)}")
    } else {
      error(
        "unknown freshness rule \(quoted(text))", at: id,
        hint: didYouMean(
          text, among: Self.ruleWords + ["interval"] + DigestAlgorithm.allCases.map(\.rawValue))
          ?? "known: \(Quoting.list(Self.ruleWords)), a digest, and an interval")
    }
    return nil
  }

  private func intervalRule(
    _ fields: Fields<RuleKey>, _ interval: MappingEntry, _ scope: Scope, _ references: inout [Reference]
  ) -> FreshnessRule? {
    for key in fields.order where key != .interval && key != .then {
      guard let entry = fields[key] else { continue }
      error(
        "\"\(key.rawValue)\" is not allowed with \"interval\"", at: entry.key,
        hint: "write {interval: 12h, then: {\(key.rawValue): …}}")
    }
    let period = duration(interval.value, "interval", scope)
    var then: FreshnessRule? = .etag
    if let entry = fields[.then] { then = rule(entry.value, "then", scope, isInInterval: true, &references) }
    guard let period, let then else { return nil }
    return .interval(period: period, then: then)
  }

  private func digestRule(
    _ id: NodeID, _ fields: Fields<RuleKey>, _ key: String, _ scope: Scope, _ references: inout [Reference]
  ) -> FreshnessRule? {
    var subject: DigestRule.Subject? = .download
    if let entry = fields[.of] { subject = word(entry.value, "of", DigestRule.Subject.self, scope) }
    let digests = fields.order.compactMap { key in
      DigestAlgorithm(rawValue: key.rawValue).map { (algorithm: $0, entry: fields[key]) }
    }
    guard let (algorithm, entry) = digests.first, let entry else {
      if fields.misspelt.isEmpty {
        error(
          "\"\(key)\" has no rule", at: id, hint: "write a digest such as {sha256: HEX}, or {interval: 12h}"
        )
      }
      return nil
    }
    if digests.count > 1, let second = digests[1].entry {
      error(
        "two digests in one rule: \(algorithm.rawValue) and \(digests[1].algorithm.rawValue)", at: second.key,
        hint: "keep one, and check the other with a verify step")
    }
    guard let expected = digest(entry.value, algorithm, scope, references: &references), let subject else {
      return nil
    }
    return .digest(DigestRule(algorithm: algorithm, expected: expected, of: subject))
  }
}
