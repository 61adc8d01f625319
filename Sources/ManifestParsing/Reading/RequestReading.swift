import SyncModel

extension ManifestReader {
  func headers(_ id: NodeID, _ scope: Scope) -> [RequestHeader]? {
    guard let entries = entries(of: id, Want("headers", "a mapping from name to value")) else { return nil }
    var headers: [RequestHeader] = []
    var seen: Set<String> = []
    for entry in entries {
      let name = document.text(of: entry.key)
      guard isHeaderName(name, at: entry.key) else { continue }
      guard seen.insert(name.lowercased()).inserted else {
        error("duplicate header \(quoted(name))", at: entry.key)
        continue
      }
      let want = Want("the header \"\(name)\"", "a value")
      guard let value = text(entry.value, want, scope), hasNoControl(value, at: entry.value, want) else {
        continue
      }
      headers.append(RequestHeader(name: name, value: value))
    }
    return headers
  }

  private func isHeaderName(_ name: String, at id: NodeID) -> Bool {
    guard RequestHeader.isName(name) else {
      error(
        "\(quoted(name)) is not a header's name", at: id,
        hint: "a header's name may contain letters, digits and -")
      return false
    }
    guard !RequestHeader.own.contains(name.lowercased()) else {
      error("syncmake sets the header \(quoted(name)) itself", at: id, hint: "remove it")
      return false
    }
    return true
  }

  enum AuthKey: String, CaseIterable { case bearer, basic, netrc }

  func authentication(_ id: NodeID, _ scope: Scope) -> Authentication? {
    let hint = "write {bearer: …}, {basic: {user: …, password: …}} or {netrc: true}"
    guard
      let entries = entries(of: id, Want("auth", "a mapping with one of bearer, basic and netrc", hint: hint))
    else {
      return nil
    }
    let fields = fields(entries, AuthKey.self, of: "\"auth\"")
    if entries.isEmpty { error("\"auth\" has no kind of authentication", at: id, hint: hint) }
    if fields.order.count > 1, let second = fields[fields.order[1]] {
      error(
        "two kinds of \"auth\": \(fields.order[0].rawValue) and \(fields.order[1].rawValue)", at: second.key,
        hint: hint)
    }
    let read = fields.order.map { key in fields[key].flatMap { authentication(key, $0.value, scope) } }
    return read.first ?? nil
  }

  private func authentication(_ key: AuthKey, _ value: NodeID, _ scope: Scope) -> Authentication? {
    switch key {
    case .bearer: return line(value, Want("bearer", "a token"), scope).map { .bearer(ByteString($0)) }
    case .basic: return basic(value, scope)
    case .netrc:
      guard let flag = boolean(value, Want("netrc", "true"), scope) else { return nil }
      guard flag else {
        error("\"netrc\" can only be true", at: value, hint: "remove \"auth\" to use none")
        return nil
      }
      return .netrc
    }
  }

  private enum BasicKey: String, CaseIterable { case user, password }

  private func basic(_ id: NodeID, _ scope: Scope) -> Authentication? {
    guard
      let entries = entries(
        of: id,
        Want(
          "basic", "a mapping with user and password", hint: "write {user: …, password: \"${secret:NAME}\"}"))
    else { return nil }
    let fields = fields(entries, BasicKey.self, of: "\"basic\"")
    for key in BasicKey.allCases where fields[key] == nil { requireKey(key.rawValue, in: fields, at: id) }
    let user = fields[.user].flatMap { line($0.value, Want("user", "a user's name"), scope) }
    let want = Want("password", "a password")
    let password = fields[.password].flatMap { entry in
      text(entry.value, want, scope).flatMap { hasNoControl($0, at: entry.value, want) ? $0 : nil }
    }
    if let user, user.utf8.contains(UInt8(ascii: ":")), let entry = fields[.user] {
      error("a user's name cannot contain a colon", at: entry.value)
      return nil
    }
    guard let user, let password else { return nil }
    return .basic(user: ByteString(user), password: ByteString(password))
  }

  private enum HostKey: String, CaseIterable { case connections, rate }

  /// How many connections each host may have, and how many requests may begin.
  func readHosts(_ id: NodeID) -> HostLimits {
    var limits = HostLimits()
    guard let entries = entries(of: id, Want("hosts", "a mapping from host to {connections: N}")) else {
      return limits
    }
    for entry in entries {
      // With a bad name, the value's problems are reported, too.
      let name = hostName(entry.key)
      guard
        let inner = self.entries(
          of: entry.value,
          Want(name.map { "the host \"\($0)\"" } ?? "the host", "a mapping such as {connections: 4}"))
      else { continue }
      let fields = fields(inner, HostKey.self, of: name.map { "host \(quoted($0))" } ?? "the host")
      guard fields[.connections] != nil || fields[.rate] != nil else {
        if !HostKey.allCases.contains(where: { fields.mayHide($0.rawValue) }) {
          error(
            "\"connections\" or \"rate\" is missing", at: entry.value,
            hint: "write {connections: 4} or {rate: 3/s}")
        }
        continue
      }
      let rate = fields[.rate].flatMap { readRate($0.value) }
      let want = Want("connections", "a whole number such as 4")
      var connections = HostLimits.usualConnections
      if let field = fields[.connections] {
        guard let number = integer(field.value, want, in: 1...1_000, .none) else { continue }
        connections = Int(number)
      }
      guard let host = name else { continue }
      if fields[.connections] != nil { limits.unstated.remove(host) } else { limits.unstated.insert(host) }
      if host == "*" {
        limits.otherwise = connections
        limits.otherRate = rate
      } else if limits.connections.updateValue(connections, forKey: host) != nil {
        error("duplicate host \(quoted(host))", at: entry.key)
      } else {
        limits.rates[host] = rate
      }
    }
    return limits
  }

  /// A rate, or `nil` after an error.
  private func readRate(_ id: NodeID) -> RequestRate? {
    let want = Want("rate", "a number of requests per second or minute, such as 3/s or 100/m")
    guard let text = text(id, want, .none) else { return nil }
    if let rate = RateText.parse(text) { return rate }
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    if let number = Int(Substring(digits)), !(1...RateText.most).contains(number) {
      error("\"rate\" must be between 1 and \(RateText.most) requests, not \(quoted(text))", at: id)
    } else if digits.count == text.utf8.count, !digits.isEmpty {
      error(
        "\"rate\" needs a unit after \(quoted(text))", at: id, hint: "write \"\(text)/s\" or \"\(text)/m\"")
    } else {
      unwanted(text, at: id, want)
    }
    return nil
  }

  /// The host in lower case, or `*`; `nil` after an error.
  private func hostName(_ key: NodeID) -> String? {
    guard let text = name(key, Want("the host", "a host's name")) else { return nil }
    if text == "*" { return text }
    var bytes = text.utf8[...]
    if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
      bytes = bytes.dropFirst().dropLast()
    }
    guard HostLimits.isName(Substring(bytes)) else {
      error(
        "\(quoted(text)) is not a host's name", at: key,
        hint: "write only the host, without scheme, port and path; * means every other host")
      return nil
    }
    return String(Substring(bytes)).lowercased()
  }
}
