import ManifestParsing
import SyncModel

/// Makes of foreign targets what a manifest says: valid and unique names, no secrets.
struct ForeignAddition {
  /// The variable in front of paths whose address the foreign file does not name.
  static let base = "base_url"

  private(set) var secrets = SecretNames()
  private(set) var usesBase = false
  private var names = UniqueTexts()
  /// Of targets without ``ForeignTarget/output``.
  private var outputs = UniqueTexts()
  /// The names of those targets, by their folders and URLs.
  private var urls: [String: String] = [:]

  /// The target, and comments that belong above it; no target if an earlier one is the same.
  mutating func addition(_ target: ForeignTarget) -> (addition: TargetAddition?, comments: [String]) {
    var target = target
    keepOneAccount(&target)
    // A reader may remark on one key after all of them are read; sorting keeps the order of those of one line.
    var comments = target.remarks.sorted { $0.line < $1.line }
      .map { "not converted (line \($0.line)): \($0.text)" }
    if target.output == nil, let same = urls[target.folder + "\n" + target.urls[0]] {
      comments.append("not converted (line \(target.line)): this is the same URL as that of \(same)")
      return (nil, comments)
    }
    let before = secrets.all.count
    let output = output(target)
    let name = unique(target.name ?? (output ?? Self.lastPart(target) ?? "").lastPart)
    if target.output == nil { urls[target.folder + "\n" + target.urls[0]] = name }
    var addition = TargetAddition(name: name, url: "")
    var user = target.user
    var password = target.password
    let addresses = target.urls.map { address($0, target.isBelowBase, &user, &password) }
    addition.url = addresses[0]
    addition.mirrors = Array(addresses.dropFirst())
    addition.output = output.map(Literal.text)
    addition.freshness = target.freshness
    addition.steps = target.steps
    addition.retries = target.retries
    addition.mode = target.mode
    let host = AddressParts(target.urls[0])?.host ?? "source"
    if user != nil || password != nil { addition.auth = basic(user ?? "", password ?? "", host) }
    setHeaders(target, host, &addition, &comments)
    if secrets.all.count > before {
      let new = secrets.all[before...].joined(separator: ", ")
      comments.append("secret: set \(new) in the environment; as ${secret:NAME} it is never printed")
    }
    return (addition, comments)
  }

  // MARK: Names

  /// As the manifest must have it; `nil` if the default is right.
  private mutating func output(_ target: ForeignTarget) -> String? {
    if let output = target.output { return output }
    let part = Self.lastPart(target)
    let output = outputs.take(Folders.joined(target.folder, part ?? "index.html"), Self.numbered)
    return output == part ? nil : output
  }

  /// `data/a.tar` as `data/a-2.tar`.
  private static func numbered(_ path: String, _ number: Int) -> String {
    let name =
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let dot = path.utf8[name...].dropFirst().firstIndex(of: UInt8(ascii: ".")) ?? path.endIndex
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }

  private static func lastPart(_ target: ForeignTarget) -> String? {
    if target.isBelowBase { return WebURL.lastPart(ofPath: target.urls[0]) }
    return WebURL(target.urls[0])?.lastPathPart
      ?? AddressParts(target.urls[0]).flatMap {
        $0.scheme == "file" ? WebURL.lastPart(ofPath: $0.rest) : nil
      }
  }

  private mutating func unique(_ text: String) -> String {
    let valid = TargetNaming.valid(text) ?? "file"
    let base = TargetNaming.isShort(valid) ? valid : String(decoding: valid.utf8.prefix(200), as: UTF8.self)
    return names.take(base, Self.numbered)
  }

  // MARK: Secrets

  /// Leaves out mirrors that the user and the password of the first URL are not for: a target has one `auth`.
  private func keepOneAccount(_ target: inout ForeignTarget) {
    let accounts = target.urls.map { url in
      AddressParts(url).map { "\($0.host)\n\($0.user ?? "")\n\($0.password ?? "")" } ?? ""
    }
    guard target.urls.contains(where: { AddressParts($0)?.hasAccount == true }) else { return }
    var kept: [String] = []
    for (index, url) in target.urls.enumerated() {
      if accounts[index] == accounts[0] {
        kept.append(url)
      } else {
        target.remark("\(Shown.address(url)): a target has one user and password for all mirrors")
      }
    }
    target.urls = kept
  }

  /// With variables in place of secrets; a user and a password become those of the target.
  private mutating func address(
    _ url: String, _ isBelowBase: Bool, _ user: inout String?, _ password: inout String?
  ) -> String {
    if isBelowBase {
      usesBase = true
      return "${\(Self.base)}/" + Literal.text(url)
    }
    guard let parts = AddressParts(url) else { return Literal.text(url) }
    if parts.hasAccount, let found = parts.user {
      user = user ?? found
      password = password ?? parts.password ?? ""
    }
    let before = "\(parts.scheme)://"
    // No request has a fragment, and some hold a token.
    let rest = parts.rest.cut(at: UInt8(ascii: "#"))?.before ?? parts.rest
    guard let (path, query) = rest.cut(at: UInt8(ascii: "?")) else { return Literal.text(before + rest) }
    return "\(Literal.text(before + path))?\(self.query(query, parts.host))"
  }

  /// An empty parameter stays, since a signature may cover it.
  private mutating func query(_ query: String, _ host: String) -> String {
    query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      .map { parameters(Substring($0), host) }.joined(separator: "&")
  }

  /// Some servers take a semicolon between parameters, too. What follows a secret may be a part of it.
  private mutating func parameters(_ text: Substring, _ host: String) -> String {
    var found: [(text: String, isSecret: Bool)] = []
    for piece in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      let piece = String(Substring(piece))
      let (name, value) = piece.cut(at: UInt8(ascii: "=")) ?? (piece, nil)
      if found.last?.isSecret == true {
        found[found.count - 1].text += ";" + piece
      } else {
        found.append((piece, value?.isEmpty == false && SecretWords.isSecret(parameter: name)))
      }
    }
    return found.map { text, isSecret in
      guard isSecret, let (name, value) = text.cut(at: UInt8(ascii: "=")) else { return Literal.text(text) }
      return "\(Literal.text(name))=\(secrets.reference(value, host, name))"
    }.joined(separator: ";")
  }

  private mutating func basic(_ user: String, _ password: String, _ host: String) -> String {
    let name = YAMLText.quoted(secrets.reference(user, host, "user"))
    // An empty one is no secret, and a variable would not be empty as long as it is not set.
    let word = YAMLText.quoted(password.isEmpty ? "" : secrets.reference(password, host, "password"))
    return "{basic: {user: \(name), password: \(word)}}"
  }

  private mutating func setHeaders(
    _ target: ForeignTarget, _ host: String, _ addition: inout TargetAddition, _ comments: inout [String]
  ) {
    var seen: Set<String> = []
    for (name, value, line) in target.headers {
      func refuse(_ why: String) {
        comments.append("not converted (line \(line)): the header \(Shown.quoted(name)): \(why)")
      }
      if TargetAddition.isOwnHeader(name) {
        refuse("syncmake sets it itself")
      } else if !seen.insert(name.lowercased()).inserted {
        refuse("it is there twice")
      } else if name.lowercased() == "authorization", addition.auth != nil {
        refuse("there is a user and a password")
      } else if name.lowercased() == "authorization", let auth = authentication(value, host) {
        addition.auth = auth
      } else if SecretWords.isPlain(header: name, value) {
        addition.headers.append((name, Literal.text(value)))
      } else {
        addition.headers.append((name, secrets.reference(value, host, name)))
      }
    }
  }

  /// For `Bearer` and `Basic`; `nil` for other schemes.
  private mutating func authentication(_ value: String, _ host: String) -> String? {
    let (scheme, token) = value.cut(at: 0x20) ?? (value, "")
    switch scheme.lowercased() {
    case "bearer": return "{bearer: \(YAMLText.quoted(secrets.reference(token, host, "token")))}"
    case "basic": return basic(value, value, host)
    default: return nil
    }
  }
}
