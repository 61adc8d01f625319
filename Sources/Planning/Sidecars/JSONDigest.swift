package import SyncModel

/// The digest in a JSON document (`{url: …, json: /pointer}`).
package enum JSONDigest {
  /// The document in `bytes`: UTF-8, or UTF-16 with a byte order mark.
  package static func document(_ bytes: [UInt8]) throws(SidecarFault) -> JSONValue {
    let text = try SidecarText.decoded(bytes)
    do throws(JSONValue.Fault) { return try JSONValue(text) } catch {
      switch FileKind.recognised(in: bytes) ?? FileKind.recognised(inText: text) {
      case .json?, nil: throw .brokenJSON(line: error.line)
      case let kind?: throw .seems(kind)
      }
    }
  }

  /// The digest at `pointer`: a string in one of the forms that a line of a list may have.
  package static func digest(
    in document: JSONValue, at pointer: JSONPointer, _ algorithm: DigestAlgorithm
  ) throws(SidecarFault) -> HexDigest {
    switch document.find(pointer) {
    case .nothing: throw .noValue(pointer: pointer.text)
    case .ambiguous: throw .ambiguous(name: pointer.text)
    case .value(.string(let text)):
      let entries = ChecksumLine.values(text)
      guard let entry = entries.first(where: { $0.mayBe(algorithm) }) else {
        if let other = entries.first?.tag { throw .otherAlgorithm(other, name: pointer.text) }
        throw .notADigest(pointer: pointer.text)
      }
      guard let digest = HexDigest(entry.hex, algorithm) else {
        throw .wrongLength(expected: algorithm.hexCount, actual: entry.hex.utf8.count)
      }
      return digest
    case .value: throw .notADigest(pointer: pointer.text)
    }
  }
}
