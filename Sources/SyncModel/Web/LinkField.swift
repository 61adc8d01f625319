/// The header field `Link` (RFC 8288), in which GitHub and others name the next page of a list.
package enum LinkField {
  /// One link, as written.
  struct Link: Equatable {
    var target: String
    /// The relations, in lower case; of several `rel` only the first counts.
    var relations: [String] = []
    /// Whether it is a link of another document.
    var hasAnchor = false
  }

  /// The absolute URL of the first link with the relation `next`; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - values: those of all fields `Link` of a reply.
  ///   - url: the final URL of that reply, against which the link is resolved.
  package static func next(in values: [String], of url: String) -> String? {
    let link = values.flatMap(links).first { $0.relations.contains("next") && !$0.hasAnchor }
    return link.flatMap { URLBase(url)?.resolve($0.target) }
  }

  /// The links of one field's value; what follows a fault is not read.
  static func links(_ value: String) -> [Link] {
    var links: [Link] = []
    var rest = Array(value.utf8)[...]
    while true {
      rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: ",") }
      guard rest.popFirst() == UInt8(ascii: "<"), let close = rest.firstIndex(of: UInt8(ascii: ">")) else {
        return links
      }
      var link = Link(target: String(decoding: rest[..<close], as: UTF8.self))
      rest = rest[(close + 1)...]
      guard readParameters(&rest, into: &link) else { return links }
      links.append(link)
    }
  }

  /// Whether they are well-formed and end at a comma or with the value.
  private static func readParameters(_ rest: inout ArraySlice<UInt8>, into link: inout Link) -> Bool {
    var hasRelation = false
    while true {
      rest = rest.drop(while: isBlank)
      guard let mark = rest.popFirst(), mark != UInt8(ascii: ",") else { return true }
      guard mark == UInt8(ascii: ";") else { return false }
      rest = rest.drop(while: isBlank)
      let name = rest.prefix { !isBlank($0) && !"=;,".utf8.contains($0) }
      rest = rest[name.endIndex...].drop(while: isBlank)
      var value = ""
      if rest.first == UInt8(ascii: "=") {
        rest = rest.dropFirst().drop(while: isBlank)
        guard let read = readValue(&rest) else { return false }
        value = read
      }
      switch String(decoding: name, as: UTF8.self).lowercased() {
      case "rel" where !hasRelation:
        hasRelation = true
        link.relations = value.lowercased().split(separator: " ").map(String.init)
      case "anchor": link.hasAnchor = true
      default: break
      }
    }
  }

  /// A token, or a text in quotes with its escapes undone; `nil` if the quotes have no end.
  private static func readValue(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
      rest = rest[token.endIndex...]
      return String(decoding: token, as: UTF8.self)
    }
    rest = rest.dropFirst()
    var out: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: out, as: UTF8.self)
      case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { out.append(escaped) }
      default: out.append(byte)
      }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
