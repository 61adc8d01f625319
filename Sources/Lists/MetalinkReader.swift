import CExpatShim
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
  package var hashes: [Hash]
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
  private static let isLoaded = expatshim_load() != 0

  /// The files that a whole document describes, in its order.
  package static func files(in bytes: [UInt8]) throws(MetalinkFault) -> [MetalinkFile] {
    guard isLoaded else { throw .noLibrary }
    // An empty array may have no address.
    guard !bytes.isEmpty else { throw .malformed(line: 1, text: "no element found") }
    let walk = MetalinkWalk()
    var line = 0
    var words: UnsafePointer<CChar>?
    let outcome = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
        guard let start = bytes.baseAddress else { return expatshim_no_memory }
        return withExtendedLifetime(walk) {
          unsafe expatshim_parse(
            start, bytes.count, MetalinkWalk.events, Unmanaged.passUnretained(walk).toOpaque(), &line, &words)
        }
      }
    }
    switch outcome {
    case expatshim_whole where walk.isMetalink: return walk.files
    case expatshim_whole: throw .otherDocument
    case expatshim_doctype: throw .hasDoctype
    case expatshim_malformed:
      throw unsafe .malformed(line: line, text: words.map { unsafe String(cString: $0) } ?? "")
    default: throw .malformed(line: line, text: "out of memory")
    }
  }
}

/// Follows the elements of one document.
private final class MetalinkWalk {
  private(set) var files: [MetalinkFile] = []
  private(set) var isMetalink = false
  private var path: [String] = []
  private var type = ""
  private var value: [UInt8] = []
  /// Whether the present digest has an element inside, so that it is none.
  private var isDivided = false

  static var events: expatshim_events {
    unsafe expatshim_events(
      began: { context, name, attributes in
        unsafe MetalinkWalk.of(context)?.begin(String(cString: name), MetalinkWalk.attributes(attributes))
      },
      ended: { context, _ in unsafe MetalinkWalk.of(context)?.end() },
      text: { context, bytes, size in
        unsafe MetalinkWalk.of(context)?.add(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
      })
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MetalinkWalk? {
    unsafe context.map { unsafe Unmanaged<MetalinkWalk>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func attributes(_ list: UnsafePointer<UnsafePointer<CChar>?>) -> [(
    name: String, value: String
  )] {
    var attributes: [(name: String, value: String)] = []
    var next = unsafe list
    while let name = unsafe next[0], let value = unsafe next[1] {
      unsafe attributes.append((String(cString: name), String(cString: value)))
      unsafe next += 2
    }
    return attributes
  }

  private func begin(_ name: String, _ attributes: [(name: String, value: String)]) {
    isDivided = isDivided || isHash
    // The namespace precedes the name.
    path.append(name.split(separator: " ").last.map(String.init) ?? name)
    if path.count == 1 { isMetalink = path[0] == "metalink" }
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    if isFile {
      files.append(MetalinkFile(name: attribute("name") ?? "", hashes: []))
    } else if isHash {
      type = attribute("type") ?? ""
      value = []
      isDivided = false
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    if isHash { unsafe value += bytes }
  }

  private func end() {
    if isHash, !files.isEmpty, !isDivided {
      let text = String(decoding: value, as: UTF8.self)
      let hash = MetalinkFile.Hash(type: type, value: text.filter { !$0.isWhitespace })
      files[files.count - 1].hashes.append(hash)
    }
    path.removeLast()
  }

  /// Version 3 has `files` around all files, and `verification` around a file's digests.
  private var isFile: Bool { path == ["metalink", "file"] || path == ["metalink", "files", "file"] }

  private var isHash: Bool {
    path == ["metalink", "file", "hash"] || path == ["metalink", "files", "file", "verification", "hash"]
  }
}
