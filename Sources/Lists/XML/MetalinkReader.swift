import SyncModel

/// One file that a Metalink describes.
package struct MetalinkFile: Sendable, Equatable {
  /// One digest that the Metalink states; nothing about it is checked here.
  package struct Hash: Sendable, Equatable {
    /// As written, such as `sha-256`.
    package var type: String
    /// As written, normally hexadecimal digits; blanks around it are removed.
    package var value: String
  }

  /// As written; it may contain a folder, and nothing keeps it inside the root.
  package var name: String
  /// The digests of the whole file, not of its pieces.
  package var hashes: [Hash] = []
  /// As written, best first; of any protocol.
  package var urls: [String] = []
  /// As written.
  package var size: String?
  /// As written.
  package var version: String?
}

/// Why bytes are not a Metalink.
package enum MetalinkFault: Error, Sendable, Equatable {
  /// Another XML document.
  case otherDocument
  /// The document is not well-formed XML; `line` counts from 1, `text` is expat's.
  case malformed(line: Int, text: String)
  /// The document has a DOCTYPE, which could define entities without end.
  case hasDoctype
  /// The library expat is missing.
  case noLibrary
}

/// Reads Metalinks, RFC 5854 and the earlier version 3, with expat. A DOCTYPE ends the reading.
package enum MetalinkReader {
  /// The files that a whole document describes, in its order.
  package static func files(in bytes: [UInt8]) throws(MetalinkFault) -> [MetalinkFile] {
    do throws(XMLFault) { return try read(bytes) } catch {
      switch error {
      case .otherRoot: throw .otherDocument
      case .malformed(let line, let text): throw .malformed(line: line, text: text)
      case .hasDoctype: throw .hasDoctype
      case .noLibrary: throw .noLibrary
      }
    }
  }

  static func read(_ bytes: [UInt8]) throws(XMLFault) -> [MetalinkFile] {
    let listener = MetalinkListener()
    try XMLWalk.read(bytes, shape, listener)
    return listener.files
  }

  fileprivate enum Part: Int {
    case metalink, files, file, verification, resources, hash, url, earlierURL, size, version
  }

  /// Version 3 has `files` around all files, `verification` around a file's digests and `resources` around its URLs.
  private static let shape = XMLShape(
    .element(
      "metalink", Part.metalink,
      [
        .element(
          "file", Part.file,
          [
            .text("hash", Part.hash), .text("url", Part.url), .text("size", Part.size),
            .text("version", Part.version),
          ]),
        .element(
          "files", Part.files,
          [
            .element(
              "file", Part.file,
              [
                .element("verification", Part.verification, [.text("hash", Part.hash)]),
                .element("resources", Part.resources, [.text("url", Part.earlierURL)]),
                .text("size", Part.size), .text("version", Part.version),
              ])
          ]),
      ]))
}

private final class MetalinkListener: XMLListener {
  private(set) var files: [MetalinkFile] = []
  private var file = MetalinkFile(name: "")
  private var urls: [(rank: Int, text: String)] = []
  /// Of the open digest or URL.
  private var type = ""
  private var rank = 0

  func began(_ part: Int, _ attributes: XMLAttributes) {
    func number(_ name: String) -> Int? { attributes[name].flatMap { Int($0) } }
    switch MetalinkReader.Part(rawValue: part) {
    case .file:
      file = MetalinkFile(name: attributes["name"] ?? "")
      urls = []
    case .hash, .earlierURL:
      type = attributes["type"] ?? ""
      // From 100 down to 0.
      rank = number("preference").map { 0 - max(0, min($0, 100)) } ?? 0
    // The first one is the best, and 999999 the worst (RFC 5854, section 4.1.2.1).
    case .url: rank = number("priority") ?? 999_999
    default: break
    }
  }

  func ended(_ part: Int, _ text: String?) {
    switch MetalinkReader.Part(rawValue: part) {
    case .hash:
      guard let text else { return }
      file.hashes.append(MetalinkFile.Hash(type: type, value: text.filter { !$0.isWhitespace }))
    case .url: if let text { urls.append((rank, text)) }
    // A torrent is not the file itself.
    case .earlierURL: if let text, type != "bittorrent" { urls.append((rank, text)) }
    case .size: file.size = file.size ?? text
    case .version: file.version = file.version ?? text
    case .file:
      let ranked = urls.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      file.urls = ranked.map(\.element.text)
      files.append(file)
    default: break
    }
  }
}
