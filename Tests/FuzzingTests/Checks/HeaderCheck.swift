import SyncModel

@testable import Transfer

/// A reply's header: it is read as libcurl reads it, and only received bytes are sent back.
enum HeaderCheck {
  private static let page = "https://a.example/f"

  static func run(_ input: [UInt8]) throws(Violation) {
    let reference = ReferenceHeader(input)
    var header = HeaderBlock()
    let (progress, lineCount) = feed(input, to: &header)
    try demand(feedsAlike(input, header, progress), "two answers")
    guard progress == .complete, header.isComplete else {
      return try demand(!reference.isComplete || isFault(progress), "the end was not seen: \(progress)")
    }
    try demand((200...999).contains(header.status), "status \(header.status)")
    try demand(reference.isComplete, "an end where there is none")
    try demand(lineCount == reference.lineCount, "\(lineCount) lines, not \(reference.lineCount)")
    try demand(reference.status == header.status, "status \(header.status) for \(reference.status)")
    for method in [ExchangeRequest.Method.get, .head] { try framing(header, reference, method) }
    try validators(header, reference)
  }

  private static func isFault(_ progress: HeaderBlock.Progress) -> Bool {
    if case .fault = progress { return true }
    return false
  }

  /// Line by line, each in its own memory, until an end or a fault.
  private static func feed(
    _ input: [UInt8], to header: inout HeaderBlock
  ) -> (progress: HeaderBlock.Progress, lineCount: Int) {
    let lines = ReferenceHeader.lines(input)
    for (index, line) in lines.enumerated() {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
      defer { memory.deallocate() }
      memory.copyBytes(from: line)
      let progress = header.append(UnsafeRawBufferPointer(memory))
      if progress != .more { return (progress, index + 1) }
    }
    return (.more, lines.count)
  }

  private static func feedsAlike(
    _ input: [UInt8], _ header: HeaderBlock, _ progress: HeaderBlock.Progress
  ) -> Bool {
    var again = HeaderBlock()
    return feed(input, to: &again).progress == progress && again.status == header.status
      && again.version == header.version && again.isComplete == header.isComplete
  }

  private static func framing(
    _ header: HeaderBlock, _ reference: ReferenceHeader, _ method: ExchangeRequest.Method
  ) throws(Violation) {
    guard case .success(let announcement) = BodyFraming.of(header, method: method, mayBeStream: true) else {
      return
    }
    let lengths = reference.values("content-length")
    let numbers = lengths.flatMap { $0.split(separator: 0x2C).map(trimmed) }
    let isOne = numbers.allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } && !$0.isEmpty }
    try demand(isOne, "\(announcement) for \(numbers)")
    try demand(Set(numbers.map { withoutZeros($0) }).count <= 1, "\(announcement) for \(numbers)")
    if case .length(let length) = announcement.framing {
      try demand(length >= 0 && !numbers.isEmpty, "\(announcement)")
      try demand(!numbers.contains { UInt64(text($0)) != UInt64(length) }, "\(announcement) for \(numbers)")
    }
    if header.version == 1, !reference.values("transfer-encoding").isEmpty, method == .get {
      if case .length = announcement.framing {
        let codings = reference.values("transfer-encoding").map { text($0).lowercased() }
        let isNone = codings.allSatisfy { $0.allSatisfy { ", \t".contains($0) } || $0.contains("identity") }
        try demand(isNone, "\(announcement) in spite of \(codings)")
      }
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return Array(bytes)
  }

  private static func withoutZeros(_ digits: [UInt8]) -> [UInt8] { Array(digits.drop { $0 == 0x30 }) }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The next request's validators from this reply: the received bytes, or nothing (contract, section 3).
  private static func validators(_ header: HeaderBlock, _ reference: ReferenceHeader) throws(Violation) {
    let head = ResponseHead(header, url: page, length: nil)
    guard let url = HopURL(page) else { return }
    var request = ExchangeRequest(url: page)
    request.conditions = Validators(etag: head.etag, lastModified: head.lastModified, url: page)
    if let etag = head.etag, etag.isStrong {
      request.resume = ResumePoint(offset: 7, total: nil, etag: etag, url: page)
    }
    guard let sent = try? HopRequest(request, at: url, first: url, secrets: SecretMask()) else {
      throw Violation("the next request cannot be made")
    }
    let known = [
      "If-None-Match": "etag", "If-Range": "etag", "If-Modified-Since": "last-modified",
    ]
    for line in sent.conditions {
      try demand(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, line.debugDescription)
      let line = HeaderText.bytes(line)
      let name = line.prefix { $0 != UInt8(ascii: ":") }
      guard let field = known[text(Array(name))] else {
        try demand(text(line) == "Range: bytes=7-", text(line).debugDescription)
        continue
      }
      // Bytes again: to Swift a blank before a combining mark is another character.
      let value = Array(line.dropFirst(name.count + 2))
      let came = reference.values(field)
      try demand(
        came.contains(value), "\(text(line).debugDescription), but \(came.map(text)) came")
    }
    try sameTag(head, reference)
  }

  /// Two tags with different bytes are two versions.
  private static func sameTag(_ head: ResponseHead, _ reference: ReferenceHeader) throws(Violation) {
    guard let etag = head.etag else { return }
    let tags = Set(reference.values("etag"))
    try demand(tags.count == 1, "\(etag.text.debugDescription) of \(tags.count) tags")
    try demand(tags.contains(HeaderText.bytes(etag.text)), "\(etag.text.debugDescription) is not what came")
  }
}

/// A header by RFC 9112, read without regard to speed.
struct ReferenceHeader {
  private(set) var status = 0
  private(set) var isComplete = false
  /// The lines up to the end, which is included.
  private(set) var lineCount = 0
  private var fields: [(name: String, value: [UInt8])] = []

  /// The lines with their ends; a last one without an end does not count.
  static func lines(_ input: [UInt8]) -> [ArraySlice<UInt8>] {
    input.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map {
      input[$0.startIndex...$0.endIndex]
    }
  }

  init(_ input: [UInt8]) {
    // Whether the last line was a field, so that a folded one continues it.
    var isField = false
    for line in Self.lines(input) where !isComplete {
      lineCount += 1
      var text = line.dropLast()
      while text.last == 0x0D { text.removeLast() }
      // An empty line; a line of blanks continues the field before it.
      if line.first == 0x0A || line.first == 0x0D {
        isComplete = status >= 200
      } else if line.first == 0x20 || line.first == 0x09 {
        let more = Self.trimmed(text)
        if isField, !more.isEmpty { fields[fields.count - 1].value += [0x20] + more }
      } else if text.prefix(5).map({ $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }) == Array("http/".utf8) {
        let words = Self.trimmed(text).split(separator: 0x20)
        status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        fields = []
        isField = false
      } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
        let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
        fields.append((name, Self.trimmed(text[colon...].dropFirst())))
        isField = true
      } else {
        isField = false
      }
    }
  }

  func values(_ name: String) -> [[UInt8]] {
    fields.filter { $0.name == name }.map { Self.trimmed($0.value[...]) }.filter { !$0.isEmpty }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 || c == 0x0D }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return Array(bytes)
  }
}
