import SyncModel

@testable import ManifestParsing

/// Any path in a manifest or a URL: the result is inside the root.
enum PathCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    try path(text)
    try lastPart(text)
    try sourceURL(text)
  }

  private static func path(_ text: String) throws(Violation) {
    let expected = Self.resolved(Array(text.utf8))
    guard let path = try? RelativePath(text) else {
      return try demand(expected == nil, "\(text.debugDescription) was refused")
    }
    try demand(
      Array(path.text.utf8) == expected,
      "\(text.debugDescription) became \(path.text.debugDescription), not \(String(describing: expected))")
    try inside(path)
    try demand(path.parts.joined(separator: "/").utf8.elementsEqual(path.text.utf8), "parts of \(path)")
    try demand(path.name.utf8.elementsEqual((path.parts.last ?? "").utf8), "the name of \(path)")
    try demand(path.parentParts.count == path.parts.count - 1, "the folder of \(path)")
    try demand(!path.isFolder(of: path) && !(path < path), "\(path) below itself")
    guard let below = try? RelativePath(path.text + "/x") else { throw Violation("nothing below \(path)") }
    try demand(path.isFolder(of: below) && !below.isFolder(of: path), "\(below) not below \(path)")
  }

  private static func inside(_ path: RelativePath) throws(Violation) {
    let parts = path.text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    for part in parts {
      let isOdd = part.isEmpty || part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
      try demand(!isOdd && !part.contains(0), "\(path.text.debugDescription) leaves the root")
    }
    try demand((try? RelativePath(path.text)) == path, "\(path) is not normal")
  }

  /// The system's view of these bytes below a folder; `nil` if they cannot name a file in it.
  private static func resolved(_ bytes: [UInt8]) -> [UInt8]? {
    guard let first = bytes.first, first != 0x2F, bytes.last != 0x2F, !bytes.contains(0) else { return nil }
    var parts: [[UInt8]] = []
    for part in bytes.split(separator: 0x2F).map(Array.init) {
      if part == [0x2E] { continue }
      if part != [0x2E, 0x2E] {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    return parts.isEmpty ? nil : Array(parts.joined(separator: [0x2F]))
  }

  /// The default output's name comes from a URL, and is one part of a path.
  private static func lastPart(_ text: String) throws(Violation) {
    let url = "https://a.example/" + text
    if let whole = WebURL(url) {
      try demand(
        whole.lastPathPart.hasSameBytes(as: WebURL.lastPathPart(of: url)),
        "\(url.debugDescription) has two names")
    }
    for name in [WebURL.lastPart(ofPath: text), WebURL("https://a.example/" + text)?.lastPathPart] {
      guard let name else { continue }
      guard let path = try? RelativePath(name) else { throw Violation("\(name.debugDescription) is no file") }
      try demand(path.parts.count == 1 && path.text.utf8.elementsEqual(name.utf8), "\(name) is a folder's")
    }
  }

  private static func sourceURL(_ text: String) throws(Violation) {
    guard let source = try? SourceURLText.parse(text) else { return }
    try demand(!source.text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a control")
    switch source {
    case .web(let url):
      guard let parsed = WebURL(url) else { throw Violation("\(url.debugDescription) is no URL") }
      try demand(!parsed.hasCredentials && !url.utf8.contains(0x23), "\(url.debugDescription)")
      try demand((1...65535).contains(parsed.origin.port) && !parsed.host.isEmpty, "\(parsed)")
    case .file(let path, _):
      try demand(
        !path.isEmpty && path.utf8.last != 0x2F && !path.utf8.contains(0), "\(path.debugDescription)")
    }
  }
}
