package import SyncModel

/// The table of a xar, an XML text: where in the archive there are data that liblzma unpacks.
///
/// libarchive reads the table on its own, by an XML parser. So nothing is read here in a way in which that could differ:
/// what could is refused.
package struct XarTable {
  /// Packed data of a file or of an attribute.
  package struct PackedData: Equatable {
    /// In bytes, from the end of the table.
    package var offset: Int64
    /// Of the packed data, in bytes.
    package var length: Int64
    /// Of a file's content, in bytes; `nil` for other data.
    package var size: Int64?
  }

  /// Where the compressed table is in a xar.
  package struct Place {
    package var offset: Int64
    package var length: Int64
    package var end: Int64 { offset + length }
  }

  /// The place that the first bytes of `file` give; `nil` if they are not those of a xar. Throws if it is outside.
  package static func place(in file: any ArchiveBytes) throws(FailureCause) -> Place? {
    let start = try file.bytes(at: 0, 16)
    guard start.count == 16, start.starts(with: "xar!".utf8) else { return nil }
    func number(_ places: Range<Int>) -> UInt64 { start[places].reduce(0) { $0 << 8 | UInt64($1) } }
    let offset = Int64(number(4..<6))
    guard let length = Int64(exactly: number(8..<16)), length <= file.size - offset else {
      // libarchive reads what is there of it.
      throw .archive(.endsEarly("its table is cut off"))
    }
    return Place(offset: offset, length: length)
  }

  /// An element that is open, and the numbers that it contains.
  private struct Element {
    let name: ArraySlice<UInt8>
    /// Where its text begins.
    let start: Int
    var hasElements = false
    var numbers: [Number: Int64] = [:]
    /// Whether a number is there twice, or is none.
    var isAmbiguous = false
    var isPacked = false
    var contentCount = 0
  }

  private enum Number: String { case offset, length, size }

  private let text: [UInt8]
  private var place = 0
  private var open: [Element] = []
  private var found: [PackedData] = []
  private var isAmbiguous = false

  private init(_ text: [UInt8]) { self.text = text }

  /// The data that are packed by liblzma. Throws `.damaged` if that is uncertain.
  package static func packed(_ text: [UInt8]) throws(ArchiveFault.Reason) -> [PackedData] {
    var table = XarTable(text)
    try table.read()
    if table.isAmbiguous && !table.found.isEmpty { throw table.odd }
    return table.found
  }

  private var odd: ArchiveFault.Reason { .damaged("its table is not as programs write it", at: Int64(place)) }

  // MARK: The text

  private mutating func read() throws(ArchiveFault.Reason) {
    // The bytes below are those of the characters only in UTF-8.
    if text.contains(0) || text.starts(with: [0xfe, 0xff]) || text.starts(with: [0xff, 0xfe]) { throw odd }
    while let next = text[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = next
      if text[next...].starts(with: "<!--".utf8) {
        try skip(4, to: "-->")
      } else if text[next...].starts(with: "<?".utf8) {
        let begin = place
        try skip(2, to: "?>")
        if text[begin...].starts(with: "<?xml".utf8) { try checkDeclaration(text[begin..<place]) }
      } else {
        try readTag()
      }
    }
    if !open.isEmpty { throw odd }
  }

  /// Skips `count` bytes, which may not belong to the end, and all up to that.
  private mutating func skip(_ count: Int, to end: StaticString) throws(ArchiveFault.Reason) {
    let end = Array("\(end)".utf8)
    place += count
    while place < text.count {
      if text[place...].starts(with: end) {
        place += end.count
        return
      }
      place += 1
    }
    throw odd
  }

  private func checkDeclaration(_ declaration: ArraySlice<UInt8>) throws(ArchiveFault.Reason) {
    let words = String(decoding: declaration, as: UTF8.self).lowercased()
    let isUTF8 = words.holds("encoding=\"utf-8\"") || words.holds("encoding='utf-8'")
    if words.holds("encoding"), !isUTF8 { throw odd }
  }

  private mutating func readTag() throws(ArchiveFault.Reason) {
    let start = place
    var quote: UInt8?
    repeat {
      place += 1
      guard place < text.count else { throw odd }
      let byte = text[place]
      if let mark = quote {
        if byte == mark { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
    } while quote != nil || text[place] != UInt8(ascii: ">")
    let inner = text[(start + 1)..<place]
    place += 1
    // A document type, which may have entities, or a part without markup.
    guard let first = inner.first, first != UInt8(ascii: "!") else { throw odd }
    if first == UInt8(ascii: "/") {
      try close(Self.name(inner.dropFirst()), at: start)
    } else {
      try begin(inner)
    }
  }

  private static func name(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
    return name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
  }

  // MARK: Elements

  private mutating func begin(_ tag: ArraySlice<UInt8>) throws(ArchiveFault.Reason) {
    let name = Self.name(tag)
    if !open.isEmpty {
      open[open.count - 1].hasElements = true
      if name.elementsEqual("encoding".utf8) {
        open[open.count - 1].isPacked = open[open.count - 1].isPacked || Self.isPacked(tag)
      }
      if name.elementsEqual("data".utf8) { open[open.count - 1].contentCount += 1 }
    }
    // libarchive loses its place in it.
    if name.elementsEqual("acl".utf8) { isAmbiguous = true }
    open.append(Element(name: name, start: place))
    if tag.last == UInt8(ascii: "/") { try close(name, at: place) }
  }

  /// A reference in an attribute may stand for anything.
  private static func isPacked(_ tag: ArraySlice<UInt8>) -> Bool {
    let words = String(decoding: tag, as: UTF8.self)
    return tag.contains(UInt8(ascii: "&")) || words.holds("lzma") || words.holds("xz")
  }

  private mutating func close(_ name: ArraySlice<UInt8>, at end: Int) throws(ArchiveFault.Reason) {
    guard let element = open.popLast(), element.name.elementsEqual(name) else { throw odd }
    if element.contentCount > 1 { isAmbiguous = true }
    if element.isPacked { try take(element) }
    guard !open.isEmpty, let number = Number(rawValue: String(decoding: name, as: UTF8.self)) else { return }
    let digits = text[element.start..<end]
    let isNumber = !element.hasElements && digits.allSatisfy { (0x30...0x39).contains($0) }
    let value = isNumber ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    if value == nil || open[open.count - 1].numbers[number] != nil { open[open.count - 1].isAmbiguous = true }
    open[open.count - 1].numbers[number] = value
  }

  private mutating func take(_ element: Element) throws(ArchiveFault.Reason) {
    guard !element.isAmbiguous, let offset = element.numbers[.offset], let length = element.numbers[.length]
    else { throw odd }
    let isContent = element.name.elementsEqual("data".utf8)
    found.append(
      PackedData(offset: offset, length: length, size: isContent ? element.numbers[.size] ?? 0 : nil))
  }
}
