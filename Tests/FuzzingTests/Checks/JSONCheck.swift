import Planning
import SyncModel

/// JSON documents and the pointers into them: the first line is a pointer, the rest a document.
enum JSONCheck {
  /// The number of values that are looked up in a document.
  private static let mostPlaces = 200

  static func run(_ input: [UInt8]) throws(Violation) {
    let lines = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let document = lines.count > 1 ? Array(lines[1]) : []
    let pointer = try pointer(lines[0])
    try checkSidecar(document, pointer)
    guard let value = try? JSONValue(document) else { return }
    try checkReading(value, document)
    var left = mostPlaces
    try checkPlaces(of: value, in: value, "", &left)
  }

  // MARK: Pointers

  /// The pointer in `bytes`, if it is valid: it has the written content.
  private static func pointer(_ bytes: ArraySlice<UInt8>) throws(Violation) -> JSONPointer? {
    guard let text = String(validating: bytes, as: UTF8.self), let pointer = JSONPointer(text) else {
      return nil
    }
    let written = pointer.parts.map { "/" + escaped($0.text) }.joined()
    try demand(ByteString(written) == ByteString(text), "\(text) is read as \(written)")
    return pointer
  }

  private static func escaped(_ part: String) -> String {
    part.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Each value is found at its pointer.
  private static func checkPlaces(
    of value: JSONValue, in document: JSONValue, _ path: String, _ left: inout Int
  ) throws(Violation) {
    guard left > 0, let pointer = JSONPointer(path) else {
      return try demand(left == 0, "\(path) is no pointer")
    }
    left -= 1
    let found = document.find(pointer)
    try demand(found == .value(value) || found == .ambiguous, "\(path) leads to \(found)")
    switch value {
    case .array(let items):
      for (index, item) in items.enumerated() {
        guard left > 0 else { return }
        try checkPlaces(of: item, in: document, "\(path)/\(index)", &left)
      }
      guard left > 0, found != .ambiguous, let beyond = JSONPointer("\(path)/\(items.count)") else { return }
      try demand(document.find(beyond) == .nothing, "\(beyond.text) leads to something")
    case .object(let members):
      for member in members {
        guard left > 0 else { return }
        let isTwice = members.count { $0.key == member.key } > 1
        let place = "\(path)/\(escaped(member.key.text))"
        if isTwice, let pointer = JSONPointer(place) {
          try demand(document.find(pointer) == .ambiguous, "\(place) is there twice, and is found")
        } else {
          try checkPlaces(of: member.value, in: document, place, &left)
        }
      }
    default: break
    }
  }

  // MARK: Documents

  /// Blanks around a document are ignored, anything else is a fault; a rewritten document is read as the same.
  private static func checkReading(_ value: JSONValue, _ document: [UInt8]) throws(Violation) {
    try demand((try? JSONValue([0x20, 0x0D, 0x0A] + document + [0x09])) == value, "blanks change the value")
    for more in ["x", ",", "}", "\"\"", "null"] {
      // A number at the end must not be followed by a letter or a digit.
      try demand((try? JSONValue(document + [0x20] + Array(more.utf8))) == nil, "\(more) may follow")
    }
    let written = written(value)
    try demand((try? JSONValue(Array(written.utf8))) == value, "written anew it is \(written)")
  }

  private static func written(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): written(text)
    case .array(let items): "[" + items.map(written).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(written($0.key.text)):\(written($0.value))" }.joined(separator: ",") + "}"
    }
  }

  /// Each scalar by its number, as pairs of UTF-16.
  private static func written(_ text: String) -> String {
    "\"" + text.utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined() + "\""
  }

  // MARK: Digests

  /// A digest that a pointer finds is in the string that it leads to.
  private static func checkSidecar(_ bytes: [UInt8], _ pointer: JSONPointer?) throws(Violation) {
    let document: JSONValue
    do throws(SidecarFault) { document = try JSONDigest.document(bytes) } catch {
      if case .brokenJSON(let line) = error {
        // In UTF-16, line feeds are at other positions.
        let lines = 1 + bytes.count { $0 == 0x0A }
        let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        try demand(line >= 1 && (line <= lines || isUTF16), "a fault in line \(line) of \(lines)")
      }
      return
    }
    guard let pointer else { return }
    for algorithm in DigestAlgorithm.allCases {
      guard let digest = try? JSONDigest.digest(in: document, at: pointer, algorithm) else { continue }
      guard case .value(.string(let text)) = document.find(pointer) else {
        throw Violation("\(digest) where no string is")
      }
      try demand(digest.text.utf8.count == algorithm.hexCount, "\(digest) for \(algorithm)")
      try demand(SidecarCheck.contains(digest, in: Array(text.utf8)), "\(digest) is not in \(text)")
    }
  }
}
