/// Why a sidecar gives no digest.
package enum SidecarFault: Error, Sendable, Equatable {
  /// The file has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// The file is not text.
  case notText
  /// The file looks like something else.
  case seems(FileKind)
  /// The file has no text, or only blanks.
  case empty
  /// There is text, but no digest in it.
  case noDigest
  /// None of `count` lines names `name`, which may be a pattern.
  case noEntry(name: String, count: Int)
  /// The lines for `name` are of another algorithm, by its name in them; of a JSON document, `name` is the pointer.
  case otherAlgorithm(String, name: String)
  /// The lines of `count` different files match the pattern `name`.
  case severalEntries(name: String, count: Int)
  /// Two lines give `name` different digests; of a JSON document, `name` is the pointer.
  case ambiguous(name: String)
  /// The digest has `actual` digits, the algorithm `expected`.
  case wrongLength(expected: Int, actual: Int)
  /// The text of the line that could not be read.
  case unreadableLine(number: Int)
  /// A PGP clear-signed message is damaged at this line.
  case brokenFrame(line: Int, FrameFault)
  /// A Metalink is not well-formed at this line; the words are the XML library's.
  case brokenXML(line: Int, text: String)
  /// A Metalink has a DOCTYPE, which may define entities without end.
  case hasDoctype
  /// A JSON document is malformed at this line.
  case brokenJSON(line: Int)
  /// A JSON document has nothing at this pointer.
  case noValue(pointer: String)
  /// The value at this pointer of a JSON document is not a digest.
  case notADigest(pointer: String)
}

/// In what way the frame of a PGP clear-signed message is broken.
package enum FrameFault: Sendable, Equatable, CaseIterable {
  /// A line outside the frame, which no signature covers.
  case textOutside
  /// Between the first line and the text there is something else than `Hash: …` and an empty line.
  case header
  /// A line of the text begins with a dash that is not escaped.
  case dash
  /// The text ends without a signature.
  case noSignature
  /// The signature has no end.
  case noEnd
}
