import SyncModel

/// The text beside a partial download: a header line, a line for each server digest of the whole file, and then a
/// line for each checkpoint.
///
///     syncmake-partial 1 URL ETAG TOTAL [DATE]
///     digest FIELD ALGORITHM HEX
///     OFFSET SHA256
///
/// The fields are percent-encoded, so that none contains a space or a line end. TOTAL is `-` if it is unknown. DATE
/// is present if the reply had a Last-Modified. ETAG is `-` if there is none and a range depends on DATE. Lines are
/// appended without a sync: a torn or invalid line ends the list, and a wrong line is detected by its digest.
struct PartialJournal: Equatable {
  private static let mark = "syncmake-partial 1"
  /// syncmake writes no longer ones; a longer file is read up to here.
  static let sizeLimit = 16 << 20

  var facts: PartialFacts
  var checkpoints: [PartialDownload.Checkpoint] = []
  /// How many bytes of the text make sense, from its start.
  private(set) var length: Int64

  init(facts: PartialFacts) {
    self.facts = facts
    length = 0
    length = Int64(header.utf8.count)
  }

  /// `nil` if the header is invalid.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: newline), let facts = Self.facts(bytes[..<end]) else { return nil }
    self.facts = facts
    length = Int64(end + 1)
    var rest = bytes[(end + 1)...]
    while let end = rest.firstIndex(of: newline), let digest = Self.digest(rest[..<end]) {
      self.facts.digests.append(digest)
      length += Int64(end + 1 - rest.startIndex)
      rest = rest[(end + 1)...]
    }
    while let end = rest.firstIndex(of: newline) {
      guard let checkpoint = Self.checkpoint(rest[..<end]), append(checkpoint) else { return }
      rest = rest[(end + 1)...]
    }
  }

  var header: String {
    let total = facts.total.map { String($0) } ?? "-"
    let date = facts.lastModified.map { " " + Self.escape($0) } ?? ""
    let tag = facts.validator.etag.map { Self.escape($0.text) } ?? "-"
    let first = "\(Self.mark) \(Self.escape(facts.url)) \(tag) \(total)\(date)\n"
    return facts.digests.reduce(first) { $0 + Self.line($1) }
  }

  private static let digestMark = "digest"

  private static func line(_ digest: ServerDigest) -> String {
    "\(digestMark) \(digest.field.rawValue) \(digest.algorithm.rawValue) \(digest.digest)\n"
  }

  /// `nil` for any other line.
  private static func digest(_ line: ArraySlice<UInt8>) -> ServerDigest? {
    let fields = line.split(separator: space, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard fields.count == 4, fields[0] == digestMark, let name = DigestField.Name(rawValue: fields[1]),
      let algorithm = DigestAlgorithm(rawValue: fields[2]), let digest = HexDigest(fields[3], algorithm)
    else { return nil }
    return ServerDigest(name, algorithm, digest)
  }

  static func line(_ checkpoint: PartialDownload.Checkpoint) -> String {
    "\(checkpoint.offset) \(checkpoint.sha256)\n"
  }

  /// Adds a checkpoint beyond the last one; others are not taken.
  mutating func append(_ checkpoint: PartialDownload.Checkpoint) -> Bool {
    guard checkpoint.offset > (checkpoints.last?.offset ?? 0) else { return false }
    checkpoints.append(checkpoint)
    length += Int64(Self.line(checkpoint).utf8.count)
    return true
  }

  /// Forgets checkpoints beyond `size`.
  mutating func cut(to size: Int64) {
    while let last = checkpoints.last, last.offset > size {
      length -= Int64(Self.line(last).utf8.count)
      checkpoints.removeLast()
    }
  }

  private static func facts(_ line: ArraySlice<UInt8>) -> PartialFacts? {
    let fields = line.split(separator: space, omittingEmptySubsequences: false)
    guard fields.count == 5 || fields.count == 6, (fields[0] + [space] + fields[1]).elementsEqual(mark.utf8),
      let url = unescape(fields[2]), let tag = unescape(fields[3])
    else { return nil }
    var total: Int64?
    if !fields[4].elementsEqual("-".utf8) {
      guard let number = number(fields[4]) else { return nil }
      total = number
    }
    var date: String?
    if fields.count == 6 {
      guard let text = unescape(fields[5]) else { return nil }
      date = text
    }
    guard let validator = validator(tag, date) else { return nil }
    return PartialFacts(url: url, validator: validator, total: total, lastModified: date)
  }

  private static func validator(_ tag: String, _ date: String?) -> StrongValidator? {
    if tag == "-" { return date.map { .date($0) } }
    let etag = EntityTag(tag)
    return etag.isStrong ? .etag(etag) : nil
  }

  private static func checkpoint(_ line: ArraySlice<UInt8>) -> PartialDownload.Checkpoint? {
    let fields = line.split(separator: space, omittingEmptySubsequences: false)
    guard fields.count == 2, let offset = number(fields[0]), offset > 0 else { return nil }
    // Only what we write ourselves: the length of a line is computed from its value.
    let text = String(decoding: fields[1], as: UTF8.self)
    guard let digest = HexDigest(text, .sha256), digest.text == text else { return nil }
    return PartialDownload.Checkpoint(offset: offset, sha256: digest)
  }

  /// Digits only, spelt as we spell them.
  private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
    let text = String(decoding: field, as: UTF8.self)
    guard let number = Int64(text), number >= 0, String(number) == text else { return nil }
    return number
  }

  private static func escape(_ text: String) -> String {
    var out: [UInt8] = []
    for byte in text.utf8 {
      if byte > space, byte < 0x7F, byte != percent {
        out.append(byte)
      } else {
        out.append(percent)
        out += HexDigest(bytes: [byte]).text.utf8
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func unescape(_ field: ArraySlice<UInt8>) -> String? {
    var out: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == percent else {
        out.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        return nil
      }
      out.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: out, as: UTF8.self)
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let percent = UInt8(ascii: "%")
