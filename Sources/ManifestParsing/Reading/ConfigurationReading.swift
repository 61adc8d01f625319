import SyncModel

extension ManifestReader {
  private enum ConfigurationKey: String, CaseIterable {
    case jobs, cache
    case cacheSize = "cache_size"
    case cacheLink = "cache_link"
    case remoteCache = "remote_cache"
    case rewrite, credentials, hosts
  }

  /// The document as a configuration; useless if the log has an error.
  func readConfiguration(_ path: (String) -> String?) -> UserConfiguration {
    var configuration = UserConfiguration()
    // A file with nothing but comments says nothing.
    guard let root = document.root, !document.isNull(root),
      let entries = entries(of: root, Want("the configuration", "a mapping such as {jobs: 8}"))
    else { return configuration }
    let fields = fields(entries, ConfigurationKey.self, of: "the configuration")
    configuration.jobs = fields[.jobs].flatMap { entry in
      plainInteger(entry.value, Want("jobs", "a whole number such as 8"), in: 1...10_000).map {
        placed(Int($0), at: entry.key)
      }
    }
    configuration.cache = fields[.cache].flatMap { entry in
      plainLine(entry.value, Want("cache", "a folder such as ~/.cache/syncmake, or off")).map {
        // Without a home folder it stays as it is, and a run warns of it.
        placed($0 == "off" ? $0 : path($0) ?? $0, at: entry.key)
      }
    }
    configuration.cacheSize = fields[.cacheSize].flatMap { entry in
      cacheSize(entry.value).map { placed($0, at: entry.key) }
    }
    configuration.cacheLink = fields[.cacheLink].flatMap { entry in
      word(entry.value, "cache_link", CacheLink.self, .none).map { placed($0, at: entry.key) }
    }
    configuration.remoteCache = fields[.remoteCache].flatMap { entry in
      readRemoteCache(entry.value).map { placed($0, at: entry.key) }
    }
    if let list = fields[.rewrite]?.value {
      let want = Want("rewrite", "a list of rules such as {from: https://a.example/, to: https://b.example/}")
      configuration.rewrites = (items(list, want) ?? []).compactMap { item in
        readRewrite(item).map { placed($0, at: item) }
      }
    }
    if let list = fields[.credentials]?.value {
      let want = Want("credentials", "a list of rules such as {host: a.example, helper: program}")
      configuration.credentials = (items(list, want) ?? []).compactMap { item in
        readCredential(item, path).map { placed($0, at: item) }
      }
    }
    if let hosts = fields[.hosts]?.value {
      configuration.hosts = readHosts(hosts)
      if document[hosts].kind == .mapping {
        configuration.hostLines = (self.entries(of: hosts, Want("hosts", "a mapping")) ?? Mapping()).map {
          placed(document.text(of: $0.key).lowercased(), at: $0.key)
        }
      }
    }
    return configuration
  }

  private func placed<Value>(_ value: Value, at id: NodeID) -> UserConfiguration.Placed<Value> {
    UserConfiguration.Placed(value, line: span(id).line)
  }

  private func plainInteger(_ id: NodeID, _ want: Want, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = plainLine(id, want) else { return nil }
    // What is no number is no variable either.
    guard !text.utf8.contains(UInt8(ascii: "$")) else {
      unwanted(text, at: id, want)
      return nil
    }
    return integer(id, want, in: range, .none)
  }

  private func cacheSize(_ id: NodeID) -> Int64? {
    let want = Want("cache_size", "a size such as 20GB", isPositive: true)
    guard let text = plainLine(id, want), let size = size(text, at: id, want, example: "GB") else {
      return nil
    }
    if size > 0 { return size }
    error("\"cache_size\" must be greater than 0", at: id, hint: "\"cache: off\" uses none")
    return nil
  }

  /// Text without expansion: a configuration has no variables.
  private func plainLine(_ id: NodeID, _ want: Want) -> String? { lockedLine(id, want) }

  private enum RemoteCacheKey: String, CaseIterable { case url, mode, trust, keys }

  private func readRemoteCache(_ id: NodeID) -> RemoteCacheRule? {
    let want = Want("remote_cache", "a mapping such as {url: https://cache.example/sm}")
    hideUser(in: document.text(of: id))
    guard let entries = entries(of: id, want) else { return nil }
    let fields = fields(entries, RemoteCacheKey.self, of: "\"remote_cache\"")
    var rule = RemoteCacheRule()
    if let entry = fields[.url] { rule.url = cacheAddress(entry.value) }
    if let entry = fields[.mode], let mode = word(entry.value, "mode", RemoteCacheRule.Mode.self, .none) {
      rule.mode = mode
    }
    if let entry = fields[.trust], let trust = word(entry.value, "trust", RemoteCacheRule.Trust.self, .none) {
      rule.trust = trust
    }
    if let entry = fields[.keys] { rule.keys = signers(entry.value) }
    requireSigners(fields)
    return rule
  }

  /// Public keys; none after an error.
  private func signers(_ id: NodeID) -> [MinisignKey] {
    guard document[id].kind == .sequence, !document.children(of: id).isEmpty else {
      // What stands there may be a secret key.
      error("\"keys\" must be a list of minisign public keys", at: id, hint: "write [RW…]")
      return []
    }
    return document.children(of: id).compactMap { item in
      guard let text = plainLine(item, Want("a key", "a minisign public key")) else { return nil }
      if (try? MinisignKey(text)) == nil { variables.hide(text) }
      return minisignKey(text, "an item of \"keys\"", at: item)
    }
  }

  /// Keys that do not count would be a false safety, and `signed` without keys would believe nobody.
  private func requireSigners(_ fields: Fields<RemoteCacheKey>) {
    let trust = fields[.trust].map { document.text(of: $0.value) }
    let signed = RemoteCacheRule.Trust.signed.rawValue
    if let entry = fields[.trust], trust == signed, fields[.keys] == nil {
      error(
        "\"trust: signed\" needs \"keys\"", at: entry.value, hint: "write keys: [RW…], whose records count")
    }
    if let entry = fields[.keys], trust == nil || trust == RemoteCacheRule.Trust.writers.rawValue {
      error("\"keys\" needs \"trust: signed\"", at: entry.key, hint: "without it every record or none counts")
    }
  }

  /// `nil` after an error.
  private func cacheAddress(_ id: NodeID) -> String? {
    let want = Want("url", "the address of a cache, such as https://cache.example/sm, or off")
    guard let text = plainLine(id, want) else { return nil }
    if let address = RemoteCacheRule.address(text) { return address }
    hideUser(in: text)
    if S3Location.isMeant(by: text) {
      do throws(S3LocationFault) { _ = try S3Location(text) } catch {
        self.error("\(want.shown) \(error.text)", at: id, hint: error.hint)
      }
      return nil
    }
    reportBase(text, at: id, want)
    return nil
  }

  /// Hides the password of an address, whatever else is wrong with it, before a message shows the text or its line.
  private func hideUser(in text: String) {
    if S3Location.isMeant(by: text) {
      do throws(S3LocationFault) { _ = try S3Location(text) } catch {
        error.secret.map { variables.hide($0) }
      }
    }
    var addresses = [text]
    if let mark = text.firstPlace(of: "endpoint=") {
      let server = String(text[mark.upperBound...])
      addresses.append(WebURL.percentDecoded(server) ?? server)
    }
    for address in addresses {
      guard let user = WebURL.userinfo(in: address), let colon = user.firstIndex(of: UInt8(ascii: ":"))
      else { continue }
      variables.hide(String(Substring(user[colon...].dropFirst())))
    }
  }

  private enum RewriteKey: String, CaseIterable {
    case from, to
    case otherwise = "else"
  }

  private func readRewrite(_ id: NodeID) -> RewriteRule? {
    hideUser(in: document.text(of: id))
    guard let entries = entries(of: id, Want("the rule", "a mapping with \"from\" and \"to\"")) else {
      return nil
    }
    let fields = fields(entries, RewriteKey.self, of: "a rule of \"rewrite\"")
    for key in [RewriteKey.from, .to] where fields[key] == nil {
      requireKey(key.rawValue, in: fields, at: id)
    }
    let from = fields[.from].flatMap { webBase($0.value, "from") }
    let to = fields[.to].flatMap { webBase($0.value, "to") }
    var otherwise = RewriteRule.Otherwise.never
    if let entry = fields[.otherwise] {
      guard let word = word(entry.value, "else", RewriteRule.Otherwise.self, .none) else { return nil }
      otherwise = word
    }
    guard let from, let to else { return nil }
    return RewriteRule(from: from, to: to, otherwise: otherwise)
  }

  /// An address that can begin others; `nil` after an error.
  private func webBase(_ id: NodeID, _ key: String) -> String? {
    let want = Want(key, "an address such as https://mirror.example/files/")
    guard let text = plainLine(id, want) else { return nil }
    if RewriteRule.base(text) != nil { return text }
    reportBase(text, at: id, want)
    return nil
  }

  /// Says why `text` is no address that can begin others.
  private func reportBase(_ text: String, at id: NodeID, _ want: Want) {
    hideUser(in: text)
    do throws(SourceURLFault) { _ = try SourceURLText.parseCarefully(text) } catch {
      if case .credentials = error {
        return self.error(
          "\(want.shown) has a user's name or a password", at: id, hint: "name a helper under \"credentials\""
        )
      }
    }
    unwanted(text, at: id, want, hint: "write http or https, a host and perhaps a path, without ? and #")
  }

  private enum CredentialKey: String, CaseIterable { case host, helper }

  private func readCredential(_ id: NodeID, _ path: (String) -> String?) -> CredentialRule? {
    guard let entries = entries(of: id, Want("the rule", "a mapping with \"host\" and \"helper\"")) else {
      return nil
    }
    let fields = fields(entries, CredentialKey.self, of: "a rule of \"credentials\"")
    for key in CredentialKey.allCases where fields[key] == nil {
      requireKey(key.rawValue, in: fields, at: id)
    }
    guard let hostEntry = fields[.host], let helperEntry = fields[.helper],
      let host = plainLine(
        hostEntry.value, Want("host", "a host's name, such as a.example or \"*.example\"")),
      let helper = plainLine(helperEntry.value, Want("helper", "a program's name or path"))
    else { return nil }
    guard !helper.utf8.contains(UInt8(ascii: " ")) || helper.utf8.contains(UInt8(ascii: "/")) else {
      error(
        "\"helper\" is a program, and gets no arguments of its own", at: helperEntry.value,
        hint: "write a small script that calls it")
      return nil
    }
    guard let program = helper.utf8.contains(UInt8(ascii: "/")) ? path(helper) : helper else {
      error("\"helper\" cannot be used: \(HomePath.problem)", at: helperEntry.value, hint: HomePath.hint)
      return nil
    }
    if let rule = CredentialRule(host: host, helper: helper, program: program) { return rule }
    error(
      "\(quoted(host)) is not a host's name", at: hostEntry.value,
      hint: "write only the host, without scheme, port and path; *.example means every host in example")
    return nil
  }
}
