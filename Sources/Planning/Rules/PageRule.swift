package import SyncModel

/// Whether a reply is probably a page for people, such as a login or a notice, in place of the file.
///
/// Servers send such pages with status 200. The contract lets them pass: this is the rule for a warning.
package enum PageRule {
  /// The media types of pages, in lower case.
  private static let mediaTypes: Set<String> = ["text/html", "application/xhtml+xml"]
  /// Endings of names under which a page is expected, in lower case.
  private static let endings: Set<String> = [
    "html", "htm", "xhtml", "xht", "shtml", "phtml", "mhtml", "mht", "php", "asp", "aspx", "jsp", "do", "cgi",
  ]

  /// Whether `head` is that of a page, which the target would store under the name of something else.
  ///
  /// `false` for a target whose steps or digest tell what its bytes are: then its failure says what is wrong.
  package static func isPage(_ head: ResponseHead, for target: Target) -> Bool {
    guard let type = head.contentType, mediaTypes.contains(type), target.steps.isEmpty,
      target.digestRule == nil, target.source.listedDigests.isEmpty, !target.output.isFolder
    else { return false }
    let name = target.path.name
    let parts = name.lowercased().utf8.split(separator: UInt8(ascii: ".")).dropFirst().map {
      String(Substring($0))
    }
    // A number is a part of a version.
    guard let ending = parts.last, !ending.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return !parts.contains(where: endings.contains)
  }
}
