import Planning
import SyncModel

/// What a document is that is not of the wanted format.
enum DocumentKind {
  /// The words for bytes that are no text; `nil` if they may be text.
  static func binary(_ bytes: [UInt8]) -> String? {
    guard let kind = FileKind.recognised(in: bytes) else { return nil }
    return kind.words
  }

  /// The words for a text that is of another kind than `wanted`; `nil` if it may be of that.
  static func other(than wanted: FileKind?, _ bytes: [UInt8]) -> String? {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let kind = FileKind.recognised(inText: text), kind != wanted else { return nil }
    return kind.words
  }

  /// The fault of a text that cannot be read as JSON.
  static func fault(_ bytes: [UInt8], _ fault: JSONValue.Fault) -> ListFault {
    if let kind = other(than: .json, bytes) { return ListFault(.otherFormat(found: kind)) }
    return ListFault(.malformed("this is not JSON"), line: fault.line)
  }

  /// The fault of a text that cannot be read as the wanted kind of XML.
  static func fault(_ bytes: [UInt8], _ fault: XMLFault) -> ListFault {
    switch fault {
    case .noLibrary: ListFault(.noLibrary)
    case .otherRoot(let name):
      ListFault(.otherFormat(found: isHTML(name) ? FileKind.html.words : "XML with the root \(name)"))
    case .hasDoctype:
      isHTMLDoctype(bytes) ? ListFault(.otherFormat(found: FileKind.html.words)) : ListFault(.hasDoctype)
    case .malformed(let line, let text):
      if let kind = FileKind.recognised(inText: bytes), kind != .xml, kind != .html {
        ListFault(.otherFormat(found: kind.words))
      } else {
        ListFault(.malformed(text), line: line)
      }
    }
  }

  private static func isHTML(_ name: String) -> Bool { name.lowercased() == "html" }

  /// Whether the declaration that ended the reading is that of a web page.
  private static func isHTMLDoctype(_ bytes: [UInt8]) -> Bool {
    let head = String(decoding: bytes.prefix(4096), as: UTF8.self).lowercased()
    guard let start = head.firstPlace(of: "<!doctype") else { return false }
    return head[start.upperBound...].drop { $0.isWhitespace }.hasPrefix("html")
  }
}
