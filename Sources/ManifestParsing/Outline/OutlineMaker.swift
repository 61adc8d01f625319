import SyncModel

/// Divides a document's text into the parts of a ``ManifestOutline``.
///
/// There is none for a text whose entries do not each begin on their own line, or that has anchors: an alias refers
/// to another part.
struct OutlineMaker {
  private let document: YAMLDocument
  private var source: SourceText
  private let key: ByteSum.Key
  /// A buffer for the sums, kept for its capacity.
  private var spelling: [UInt8] = []

  /// `document` is what `source` was read as, without a problem.
  init(_ document: YAMLDocument, _ source: SourceText, _ key: ByteSum.Key) {
    self.document = document
    self.source = source
    self.key = key
  }

  /// For a manifest, or one that ends before its first target or after any of them; `nil` if it cannot be divided.
  mutating func outline() -> ManifestOutline? {
    guard let (margin, root) = blockMapping(document.root) else { return nil }
    let isTargets = { [document] (place: Int) in document.text(of: root[place]) == "targets" }
    let keys = stride(from: root.startIndex, to: root.endIndex, by: 2)
    guard keys.allSatisfy({ document[root[$0]].kind == .scalar }),
      let place = keys.first(where: isTargets), !keys.contains(where: { $0 > place && isTargets($0) }),
      start(of: root[place], column: margin) != nil, let (indent, entries) = entries(of: root[place + 1])
    else { return nil }

    guard let startsOfTargets = starts(of: entries, column: indent) else { return nil }
    var starts = [0] + startsOfTargets
    let tail = root[(place + 2)...]
    if let first = tail.first {
      guard let start = start(of: first, column: margin) else { return nil }
      starts.append(start)
    }
    var contents = [Content(meaning: meaning(root[..<place]))]
    contents += self.contents(entries)
    if !tail.isEmpty { contents.append(Content(meaning: meaning(tail))) }
    return ManifestOutline(
      parts: parts(starts, contents), hasTail: !tail.isEmpty, margin: margin, indent: indent)
  }

  /// For entries of `targets` only, beginning with the first, with their keys in `column`; `nil` for anything else.
  mutating func entries(column: Int) -> [ManifestOutline.Part]? {
    guard let (indent, entries) = blockMapping(document.root), indent == column,
      let starts = starts(of: entries, column: indent), starts.first == 0
    else { return nil }
    return parts(starts, contents(entries))
  }

  // MARK: Places

  /// The column and the keys and values in turn of a mapping without braces.
  private func blockMapping(_ id: NodeID?) -> (column: Int, children: ArraySlice<NodeID>)? {
    guard !document.hasAnchors, let id, document[id].kind == .mapping, !document[id].isFlow else {
      return nil
    }
    return (document[id].start.column, document.children(of: id))
  }

  /// The same for the value of `targets`, which is empty if the text ends before the first target.
  private func entries(of id: NodeID) -> (column: Int, children: ArraySlice<NodeID>)? {
    let node = document[id]
    if node.kind == .scalar, node.isPlain, document.text(of: id).isEmpty { return (0, []) }
    return blockMapping(id)
  }

  /// The lines of a mapping's keys; `nil` if one of them is not in its mapping's `column`.
  private mutating func starts(of entries: ArraySlice<NodeID>, column: Int) -> [Int]? {
    var starts: [Int] = []
    starts.reserveCapacity(entries.count / 2)
    for key in stride(from: entries.startIndex, to: entries.endIndex, by: 2) {
      guard let start = start(of: entries[key], column: column) else { return nil }
      starts.append(start)
    }
    return starts
  }

  /// The line of a key that is in its mapping's `column`, after spaces only.
  ///
  /// A question mark may precede a key, on the same line or on an earlier one: then the entry begins there, and the
  /// column is the question mark's.
  private mutating func start(of key: NodeID, column: Int) -> Int? {
    let node = document[key]
    guard node.kind == .scalar, node.start.column == column else { return nil }
    let start = source.start(ofLine: node.start.line + 1)
    guard unsafe start + column <= source.bytes.count,
      unsafe source.bytes[start..<start + column].allSatisfy({ $0 == UInt8(ascii: " ") })
    else { return nil }
    return start
  }

  private func parts(_ starts: [Int], _ contents: [Content]) -> [ManifestOutline.Part] {
    zip(starts.indices, contents).map { index, content in
      let end = unsafe index + 1 < starts.count ? starts[index + 1] : source.bytes.count
      let text = unsafe UnsafeRawBufferPointer(rebasing: source.bytes[starts[index]..<end])
      return unsafe ManifestOutline.Part(
        length: UInt32(text.count), sum: ByteSum.of(text, key).hash, meaning: content.meaning,
        name: content.name)
    }
  }

  // MARK: Meanings

  /// Sums of a part's content.
  private struct Content {
    var meaning: UInt64
    var name: UInt64 = 0
  }

  private mutating func contents(_ entries: ArraySlice<NodeID>) -> [Content] {
    var contents: [Content] = []
    contents.reserveCapacity(entries.count / 2)
    for place in stride(from: entries.startIndex, to: entries.endIndex, by: 2) {
      let name = isName(entries[place]) ? meaning(entries[place..<place + 1]) : 0
      contents.append(Content(meaning: meaning(entries[place..<place + 2]), name: name))
    }
    return contents
  }

  /// Whether an entry of that key is one target of that name, whatever its value: variables make other names, and of a
  /// merge the value has the names.
  private func isName(_ key: NodeID) -> Bool {
    unsafe !document.withText(of: key) { unsafe $0.contains(UInt8(ascii: "$")) } && !document.isMerge(key)
  }

  private mutating func meaning(_ nodes: ArraySlice<NodeID>) -> UInt64 {
    spelling.removeAll(keepingCapacity: true)
    for node in nodes { spell(node) }
    return unsafe spelling.withUnsafeBytes { unsafe ByteSum.of($0, key).hash }
  }

  /// Adds everything in a node that a manifest's reader can distinguish, so that no two nodes have the same bytes.
  private mutating func spell(_ id: NodeID) {
    let node = document[id]
    spelling.append(UInt8(node.kind.rawValue) << 2 | (node.isPlain ? 2 : 0) | (node.isFlow ? 1 : 0))
    guard node.kind == .scalar else {
      let children = document.children(of: id)
      spell(count: children.count)
      for child in children { spell(child) }
      return
    }
    unsafe document.withText(of: id) { text in
      spell(count: text.count)
      unsafe spelling.append(contentsOf: text)
    }
  }

  /// Seven bits a byte, of which the last is the only one below 128.
  private mutating func spell(count: Int) {
    var rest = count
    while rest >= 0x80 {
      spelling.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    spelling.append(UInt8(rest))
  }
}
