/// The header field `Link` (RFC 8288), in which GitHub and others name the next page of a list.
package enum LinkField {
  /// One link, as written.
  private struct Link {
    var target: String
    /// The relations, in lower case; of several `rel` only the first counts.
    var relations: [String] = []
    /// Whether it is a link of another document.
    var hasAnchor = false

    var isNext: Bool { relations.contains("next") && !hasAnchor }
  }

  /// Why a link cannot be read.
  private enum Fault: Error {
    case malformed
    /// The value ends before the link does.
    case cutOff
  }

  /// The absolute URL of the first link with the relation `next`; `nil` if there is none.
  ///
  /// Throws if no page can be there. What is missing of a list would pass for gone: so a part that cannot be read is a
  /// fault, too, if it may have such a link.
  ///
  /// - Parameters:
  ///   - values: those of all fields `Link` of a reply.
  ///   - url: the final URL of that reply, against which the link is resolved.
  package static func next(in values: [String], of url: String) throws(ListFault) -> String? {
    for value in values {
      var rest = Array(value.utf8)[...]
      while let link = try nextLink(&rest) {
        guard link.isNext else { continue }
        guard let base = URLBase(url) else { throw ListFault(.badURL(url)) }
        return try base.furtherPage(link.target)
      }
    }
    return nil
  }

  /// Whether the links are those between pages: servers add others, such as `preload`, to any reply.
  package static func isOfPages(_ values: [String]) throws(ListFault) -> Bool {
    for value in values {
      var rest = Array(value.utf8)[...]
      while let link = try nextLink(&rest) {
        if link.relations.contains(where: { ["first", "prev", "previous", "last"].contains($0) }) {
          return true
        }
      }
    }
    return false
  }

  /// Takes one link from a value; `nil` at its end, and where nothing that is left can name a page.
  private static func nextLink(_ rest: inout ArraySlice<UInt8>) throws(ListFault) -> Link? {
    rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: ",") }
    guard !rest.isEmpty else { return nil }
    let unread = rest
    do throws(Fault) { return try readLink(&rest) } catch {
      guard error == .malformed, !hasWordNext(unread) else { throw ListFault(.badLinkField) }
      return nil
    }
  }

  /// Whether the word is there, perhaps with the escapes of a quoted text; not as a part of another one.
  private static func hasWordNext(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: bytes.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self).lowercased()
    return text.split { !($0.isLetter || $0.isNumber || "_-.".contains($0)) }.contains("next")
  }

  private static func readLink(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Link {
    guard rest.popFirst() == UInt8(ascii: "<") else { throw .malformed }
    guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { throw .cutOff }
    // Otherwise it is the end of another link.
    guard !rest[..<close].contains(where: isMark) else { throw .malformed }
    var link = Link(target: String(decoding: rest[..<close], as: UTF8.self))
    rest = rest[(close + 1)...]
    try readParameters(&rest, into: &link)
    return link
  }

  /// They end at a comma or with the value.
  private static func readParameters(_ rest: inout ArraySlice<UInt8>, into link: inout Link) throws(Fault) {
    var hasRelation = false
    while true {
      rest = rest.drop(while: isBlank)
      guard let mark = rest.popFirst(), mark != UInt8(ascii: ",") else { return }
      guard mark == UInt8(ascii: ";") else { throw .malformed }
      rest = rest.drop(while: isBlank)
      let name = try readWord(&rest) { "=;,".utf8.contains($0) }
      rest = rest.drop(while: isBlank)
      var value = ""
      if rest.first == UInt8(ascii: "=") {
        rest = rest.dropFirst().drop(while: isBlank)
        value = try readValue(&rest)
      }
      switch name.lowercased() {
      case "rel" where !hasRelation:
        hasRelation = true
        // Some write single quotes, which are none.
        link.relations = value.lowercased().split { " '".contains($0) }.map(String.init)
      case "anchor": link.hasAnchor = true
      default: break
      }
    }
  }

  /// A word, or a text in quotes with its escapes undone.
  private static func readValue(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> String {
    guard rest.first == UInt8(ascii: "\"") else { return try readWord(&rest) { ";,".utf8.contains($0) } }
    rest = rest.dropFirst()
    var out: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: out, as: UTF8.self)
      case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { out.append(escaped) }
      default: out.append(byte)
      }
    }
    throw .cutOff
  }

  /// A text without quotes, up to a blank or to what `ends` it. More characters are taken than RFC 8288 allows, but none
  /// with which another text or link begins or ends.
  private static func readWord(
    _ rest: inout ArraySlice<UInt8>, _ ends: (UInt8) -> Bool
  ) throws(Fault) -> String {
    let word = rest.prefix { !isBlank($0) && !ends($0) }
    guard !word.contains(where: isMark) else { throw .malformed }
    rest = rest[word.endIndex...]
    return String(decoding: word, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isMark(_ byte: UInt8) -> Bool { "\"<>".utf8.contains(byte) }
}
