/// The form in which a revision is recorded: one line for each part, its name, a blank, its value.
extension ListRevision {
  /// All that the list says; empty if it gives only names.
  package var text: String {
    var lines = digests.map { "\($0.algorithm.rawValue) \($0.value)" }
    if let entityTag { lines.append("etag \(entityTag.onOneLine)") }
    if let version { lines.append("version \(version.onOneLine)") }
    if let versionOrigin { lines.append("origin \(versionOrigin.onOneLine)") }
    if let updated { lines.append("updated \(updated.nanoseconds)") }
    if let size { lines.append("size \(size)") }
    return lines.joined(separator: "\n")
  }

  /// Reads a ``text``; what it does not know is left out.
  package init(text: String) {
    self.init()
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let name = line.prefix { $0 != 0x20 }
      let value = String(Substring(line[name.endIndex...].dropFirst()))
      switch String(Substring(name)) {
      case "etag": entityTag = Self.original(value)
      case "version": version = Self.original(value)
      case "origin": versionOrigin = Self.original(value)
      case "updated": updated = Int64(value).map { Timestamp(nanoseconds: $0) }
      case "size": size = Int64(value)
      case let name:
        guard let algorithm = DigestAlgorithm(rawValue: name), let digest = HexDigest(value, algorithm) else {
          continue
        }
        digests.append(ListedDigest(algorithm, digest))
      }
    }
  }

  /// What people see of the part that decided; `nil` if there is none.
  package func text(of evidence: RevisionEvidence) -> String? {
    switch evidence {
    case .digest(let algorithm): digests.first { $0.algorithm == algorithm }?.value.text
    case .entityTag: entityTag
    case .version: version
    case .updated: updated?.rfc3339
    case .size: size.map { String($0) }
    }
  }

  /// The text of which `text` is ``Swift/String/onOneLine``.
  private static func original(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var out = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        out.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
