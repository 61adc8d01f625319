import SyncModel

/// A manifest's bytes as lines, with the tree that was read from them.
struct ManifestPage {
  private var source: SourceText
  private let document: YAMLDocument
  /// Of the byte order mark.
  private let markLength: Int

  init(_ source: SourceText, _ document: YAMLDocument, _ size: Int) {
    self.source = source
    self.document = document
    markLength = unsafe size - source.bytes.count
  }

  mutating func places(for addition: TargetAddition) throws(ManifestEditFault) -> [TargetInsertion] {
    let lines = addition.lines
    guard let root = document.root, let targets = TargetInsertion.targets(in: document) else {
      throw .noPlace
    }
    let shape = Shape(
      base: document[root].isFlow ? 0 : column(ofKey: targets.key) ?? document[targets.key].start.column,
      entry: entryColumn(targets), key: keyColumn(targets.value), unit: unit(root))
    if document[root].isFlow {
      throw .unusualForm(.braces, line: 1, text: addition.inBraces + "\n")
    }
    let line = document[targets.key].start.line + 1
    // After the present bytes, since it was added only for reading.
    guard holdsKey(targets.key) else { return [atEnd(lines, shape)] }
    let value = document[targets.value]
    if value.kind == .mapping, document.children(of: targets.value).isEmpty, value.start.line + 1 == line {
      return [try inEmpty(targets, addition, shape)]
    }
    if value.start.line + 1 < line { throw .unusualForm(.alias, line: line, text: shape.text(lines)) }
    if value.isFlow { throw .unusualForm(.braces, line: line, text: addition.inBraces + "\n") }
    guard !shape.isOdd else { throw .unusualForm(.other, line: line, text: shape.text(lines)) }
    return behindLast(targets, lines, shape)
  }

  /// How a manifest is indented, in columns from 0.
  private struct Shape {
    /// The indentation of the key `targets`.
    var base: Int
    /// The column of a target's name; `nil` if there is none.
    var entry: Int?
    /// Of a target's keys.
    var key: Int?
    /// The indentation of other keys, if there is no better sample.
    var unit: Int

    private var names: Int { entry ?? base + unit }
    private var step: Int { key.map { $0 - names }.flatMap { $0 > 0 ? $0 : nil } ?? max(1, names - base) }

    /// Whether the names are not below and right of their key.
    var isOdd: Bool { entry.map { $0 <= base } ?? true }

    /// The lines with their indentation, LF between them and at the end.
    func text(_ lines: [TargetAddition.Line]) -> String {
      lines.map { String(repeating: " ", count: names + $0.level * step) + $0.text + "\n" }.joined()
    }
  }

  /// The column of the first target's name; `nil` if no other target may begin there.
  private mutating func entryColumn(_ targets: (key: NodeID, value: NodeID)) -> Int? {
    guard let first = document.children(of: targets.value).first, !document[targets.value].isFlow else {
      return nil
    }
    return column(ofKey: first)
  }

  /// The column of the keys of this key's mapping: the key's or, in the form `? key`, the `?`'s.
  ///
  /// `nil` unless only spaces and the signs of that form precede it on the line: `: key` begins a mapping that is
  /// the value of an explicit key.
  private mutating func column(ofKey key: NodeID) -> Int? {
    let mark = document[key].start
    guard let line = source.range(ofLine: mark.line + 1) else { return nil }
    let before = unsafe Array(source.bytes[line].prefix(mark.column))
    guard before.allSatisfy({ $0 == 0x20 || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ":") }) else {
      return nil
    }
    guard let sign = before.lastIndex(where: { $0 != 0x20 }), before[sign] == UInt8(ascii: "?") else {
      return mark.column
    }
    return sign
  }

  /// The column of a target's keys, if they are on separate lines.
  private mutating func keyColumn(_ targets: NodeID) -> Int? {
    let children = Array(document.children(of: targets))
    for index in stride(from: 1, to: children.count, by: 2) {
      let target = document[children[index]]
      guard target.kind == .mapping, !target.isFlow, let key = document.children(of: children[index]).first,
        document[key].start.line > document[children[index - 1]].start.line
      else { continue }
      return column(ofKey: key)
    }
    return nil
  }

  /// How far the keys of the first top-level mapping that has them on their own lines are indented; 2 without one.
  private func unit(_ root: NodeID) -> Int {
    let children = Array(document.children(of: root))
    for index in stride(from: 1, to: children.count, by: 2) {
      let (key, value) = (document[children[index - 1]].start, document[children[index]])
      guard value.kind == .mapping, !value.isFlow, let first = document.children(of: children[index]).first
      else { continue }
      let column = document[first].start.column
      if document[first].start.line > key.line, column > key.column { return column - key.column }
    }
    return 2
  }

  /// Whether the key is in these bytes, and not only in their completion.
  private mutating func holdsKey(_ key: NodeID) -> Bool {
    unsafe source.offset(document[key].start) < source.bytes.count
  }

  // MARK: The places

  /// `targets:` and the lines, at the end of the document.
  private mutating func atEnd(_ lines: [TargetAddition.Line], _ shape: Shape) -> TargetInsertion {
    let end = source.start(ofLine: documentEnd(from: 1))
    let indent = String(repeating: " ", count: shape.base)
    return insertion(at: end, "\(indent)targets:\n" + shape.text(lines))
  }

  /// Below `targets:` or in place of the braces of `targets: {}`.
  private mutating func inEmpty(
    _ targets: (key: NodeID, value: NodeID), _ addition: TargetAddition, _ shape: Shape
  ) throws(ManifestEditFault) -> TargetInsertion {
    let line = document[targets.key].start.line + 1
    var place = insertion(at: source.start(ofLine: line + 1), shape.text(addition.lines))
    guard let range = source.range(ofLine: line) else { throw .noPlace }
    let rest = unsafe source.bytes[source.offset(document[targets.key].end)..<range.upperBound]
    var value = unsafe rest.drop { $0 != UInt8(ascii: ":") }.dropFirst().drop(while: Self.isBlank)
    if unsafe value.first == UInt8(ascii: "&") {
      unsafe value = value.drop { !Self.isBlank($0) }.drop(while: Self.isBlank)
    }
    guard unsafe value.first == UInt8(ascii: "{") else { return place }
    let inside = unsafe value.dropFirst().drop(while: Self.isBlank)
    guard unsafe inside.first == UInt8(ascii: "}") else {
      throw .unusualForm(.braces, line: line, text: addition.inBraces + "\n")
    }
    var start = unsafe value.startIndex
    while unsafe Self.isBlank(source.bytes[start - 1]) { start -= 1 }
    place.replaced = unsafe (start + markLength)..<(inside.startIndex + 1 + markLength)
    return place
  }

  private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 }

  /// After the last line of the last target; then further down, since that target may end in lines that look like
  /// comments.
  private mutating func behindLast(
    _ targets: (key: NodeID, value: NodeID), _ lines: [TargetAddition.Line], _ shape: Shape
  ) -> [TargetInsertion] {
    let first = document[targets.key].start.line + 2
    let end = regionEnd(after: targets.key, from: first)
    var last = end - 1
    while last > first, isForeign(last, base: shape.base) { last -= 1 }
    let gap = isSpaced(targets.value) ? "\n" : ""
    let text = shape.text(lines)
    return [
      insertion(at: source.start(ofLine: last + 1), gap + text, shown: text),
      insertion(at: source.start(ofLine: end), text),
    ]
  }

  /// The number of the first line after the targets.
  private mutating func regionEnd(after key: NodeID, from first: Int) -> Int {
    let end = documentEnd(from: first)
    guard let root = document.root else { return end }
    let children = Array(document.children(of: root))
    let keys = stride(from: 0, to: children.count, by: 2).map { document[children[$0]].start.line + 1 }
    return keys.filter { $0 >= first }.min().map { min($0, end) } ?? end
  }

  /// The number of the line that ends the document, `...`, or one more than there are.
  private mutating func documentEnd(from first: Int) -> Int {
    for number in stride(from: first, through: source.lineCount, by: 1) {
      guard let line = source.range(ofLine: number) else { continue }
      let bytes = unsafe source.bytes[line]
      guard unsafe bytes.starts(with: "...".utf8) else { continue }
      if unsafe bytes.count == 3 || bytes.dropFirst(3).first == 0x20 || bytes.dropFirst(3).first == 0x09 {
        return number
      }
    }
    // A line's end at the file's end begins no further line.
    let count = source.lineCount
    return unsafe source.start(ofLine: count) == source.bytes.count ? count : count + 1
  }

  /// Whether the line is blank, or a comment that is not right of `targets`.
  private mutating func isForeign(_ number: Int, base: Int) -> Bool {
    guard let line = source.range(ofLine: number) else { return true }
    let bytes = unsafe source.bytes[line]
    let indent = unsafe bytes.prefix { $0 == 0x20 }.count
    guard let mark = unsafe bytes.dropFirst(indent).first(where: { $0 != 0x20 && $0 != 0x09 }) else {
      return true
    }
    return mark == UInt8(ascii: "#") && indent <= base
  }

  /// Whether targets are set apart by blank lines: the last one from the one before it.
  private mutating func isSpaced(_ targets: NodeID) -> Bool {
    let children = document.children(of: targets)
    guard children.count >= 4, let last = children.dropLast().last else { return false }
    var number = document[last].start.line
    while number > 0, let line = source.range(ofLine: number) {
      let text = unsafe source.bytes[line].drop { $0 == 0x20 || $0 == 0x09 }
      guard unsafe text.first == UInt8(ascii: "#") else { return unsafe text.isEmpty }
      number -= 1
    }
    return false
  }

  // MARK: Line ends

  /// `text` with the file's own line ends; if the line before has none, one is added before and none after.
  private mutating func insertion(at offset: Int, _ text: String, shown: String? = nil) -> TargetInsertion {
    let lineEnd = lineEnd
    var written = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd)
    let before = unsafe offset > 0 ? source.bytes[offset - 1] : 0x0A
    if before != 0x0A, before != 0x0D {
      written =
        lineEnd
        + String(written.unicodeScalars.prefix(written.unicodeScalars.count - lineEnd.unicodeScalars.count))
    }
    return TargetInsertion(at: offset + markLength, written, shown: shown ?? text)
  }

  /// The first line's end; LF if there is none.
  private var lineEnd: String {
    mutating get {
      guard source.lineCount > 1, let first = source.range(ofLine: 1) else { return "\n" }
      return unsafe String(decoding: source.bytes[first.upperBound..<source.start(ofLine: 2)], as: UTF8.self)
    }
  }
}
