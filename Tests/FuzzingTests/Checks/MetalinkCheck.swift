import Lists
import Planning
import SyncModel

/// Metalinks: every result is in the document, and declarations in a document do not change the result.
enum MetalinkCheck {
  private typealias Reading = Result<[MetalinkFile], MetalinkFault>

  private static func read(_ bytes: [UInt8]) -> Reading {
    Result { () throws(MetalinkFault) in try MetalinkReader.files(in: bytes) }
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    let reading = read(input)
    try demand(read(input) == reading, "\(reading), but not the second time")
    switch reading {
    case .success(let files):
      try checkFiles(files, input)
      try checkSurroundings(files, input)
      try checkList(files)
    case .failure(.malformed(let line, let text)):
      let isUTF16 = input.contains(0)
      let lines = 1 + input.count { $0 == 0x0A || $0 == 0x0D }
      try demand(line >= 1 && (line <= lines || isUTF16), "a fault in line \(line) of \(lines)")
      try demand(!text.isEmpty, "a fault without words")
    case .failure: break
    }
  }

  /// Without references and other encodings, each name and each digit is as it was written.
  private static func checkFiles(_ files: [MetalinkFile], _ input: [UInt8]) throws(Violation) {
    try demand(files.count <= input.count { $0 == UInt8(ascii: "<") }, "\(files.count) files")
    for hash in files.flatMap(\.hashes) {
      try demand(!hash.value.contains(where: \.isWhitespace), "blanks in \(hash)")
    }
    let text = String(decoding: input, as: UTF8.self)
    guard !text.contains("&"), !text.contains("<!"), !text.contains("<?"), !input.contains(0) else { return }
    let marks = text.split(separator: "<", omittingEmptySubsequences: false)
    let isPlain = marks.dropFirst().allSatisfy { $0.count { $0 == ">" } == 1 }
    let content = marks.map {
      $0.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
    }
    let digits = content.joined().filter { !$0.isWhitespace }
    for file in files {
      try demand(file.name.isEmpty || isWritten(file.name, text), "\(file.name) is not in it")
      for hash in file.hashes {
        try demand(
          hash.value.isEmpty || !isPlain || digits.contains(hash.value), "\(hash.value) is not in it")
      }
    }
  }

  /// White space of an attribute is read as blanks.
  private static func isWritten(_ name: String, _ text: String) -> Bool {
    func blanks(_ text: String) -> String {
      String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        .split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    return blanks(text).contains(blanks(name))
  }

  /// A comment after a document has no effect; a further element or a declaration is a fault.
  private static func checkSurroundings(_ files: [MetalinkFile], _ input: [UInt8]) throws(Violation) {
    guard !input.contains(0) else { return }
    try demand(
      read(input + Array("\n<!-- x -->\n".utf8)) == .success(files), "a comment changes what is read")
    if case .success = read(input + Array("<metalink/>".utf8)) { throw Violation("two documents are one") }
    guard !input.starts(with: [0xEF, 0xBB, 0xBF]), !input.starts(with: Array("<?xml".utf8)) else { return }
    let declared = Array("<!DOCTYPE metalink [<!ENTITY a \"a\">]>".utf8) + input
    try demand(read(declared) == .failure(.hasDoctype), "a DOCTYPE is read over")
  }

  /// A digest of a file in the list is one that the document has for it.
  private static func checkList(_ files: [MetalinkFile]) throws(Violation) {
    let entries = files.flatMap { file in
      file.hashes.map { ChecksumLine(hex: $0.value, name: file.name, tag: $0.type) }
    }
    guard let list = try? ChecksumList(entries: entries) else { return }
    for algorithm in DigestAlgorithm.allCases {
      for file in files {
        guard let digest = try? list.digest(algorithm, names: [file.name], exactName: true) else { continue }
        let isThere = entries.contains { $0.hex.lowercased() == digest.text }
        try demand(isThere, "\(digest) is not of the document")
      }
    }
  }
}
