package import SyncModel

/// A part of a document that is not a manifest: text, a list or a mapping, with its place.
///
/// A class, since every look at an enumeration with payloads would copy them: that took a fifth of the code.
package final class DataNode {
  /// Numbers and truth values are text too, and `null` is empty; `nil` for a collection.
  package var text: String?
  /// A mapping's keys, each once, in the order of the file; `nil` for anything else.
  package var keys: [String]?
  /// The items of a list, or the values of ``keys``.
  package var items: [DataNode]
  /// Of its first line.
  package let span: SourceSpan
  /// The lines of ``keys``.
  package private(set) var keyLines: [Int] = []

  /// Nothing is checked; entries of a mapping are added by ``add(_:_:line:)``.
  package init(text: String? = nil, keys: [String]? = nil, items: [DataNode] = [], _ span: SourceSpan) {
    self.text = text
    self.keys = keys
    self.items = items
    self.span = span
  }

  /// The value of a mapping's key.
  package subscript(key: String) -> DataNode? {
    // The last one is nearly always the one that a writer means.
    keys?.lastIndex { $0.hasSameBytes(as: key) }.map { items[$0] }
  }

  /// The text of a mapping's key; empty if there is none.
  package func text(_ key: String) -> String { self[key]?.text ?? "" }

  /// The items of the list at a mapping's key.
  package func list(_ key: String) -> [DataNode] {
    guard let node = self[key], node.keys == nil else { return [] }
    return node.items
  }

  /// The line of a mapping's key, which may be above that of its value; its own line without such a key.
  package func line(of key: String) -> Int {
    keys?.lastIndex { $0.hasSameBytes(as: key) }.map { keyLines[$0] } ?? span.line
  }

  /// Adds an entry to a mapping; `line` is that of the key.
  package func add(_ key: String, _ value: DataNode, line: Int) {
    keys?.append(key)
    keyLines.append(line)
    items.append(value)
  }

  /// Reads a YAML document, which may be JSON; aliases and merges are followed.
  ///
  /// `subject` is what the file is called in messages, with its article. The node is `nil` exactly if there are
  /// diagnostics; a file without a document is empty text.
  package static func read(_ bytes: [UInt8], fileName: String, subject: String) -> (DataNode?, [Diagnostic]) {
    unsafe bytes.withUnsafeBytes { raw in
      var source = unsafe SourceText(raw)
      var log = DiagnosticLog()
      let document = YAMLDocumentReader.read(source, log: &log, subject: subject)
      if !log.isEmpty {
        return (nil, log.diagnostics(file: fileName, source: &source, secrets: SecretMask()))
      }
      guard let document, let root = document.root else { return (DataNode(text: "", .unknown), []) }
      return (node(document, root), [])
    }
  }

  private static func node(_ document: YAMLDocument, _ id: NodeID) -> DataNode {
    let node = DataNode(SourceSpan(document[id].start, document[id].end))
    switch document[id].kind {
    case .scalar, .broken: node.text = document.isNull(id) ? "" : document.text(of: id)
    case .sequence: for child in document.children(of: id) { node.items.append(self.node(document, child)) }
    case .mapping: node.addEntries(document, id)
    }
    return node
  }

  /// A key's first value counts, and a key of the mapping itself before a merged one.
  private func addEntries(_ document: YAMLDocument, _ id: NodeID) {
    keys = []
    var merged: [DataNode] = []
    var seen: Set<ByteString> = []
    let children = document.children(of: id)
    for index in stride(from: children.startIndex, to: children.endIndex - 1, by: 2) {
      let (key, value) = (children[index], Self.node(document, children[index + 1]))
      let name = document.text(of: key)
      if document.isMerge(key) {
        merged += value.keys == nil ? value.items : [value]
      } else if seen.insert(ByteString(name)).inserted {
        add(name, value, line: SourceSpan(document[key].start, document[key].end).line)
      }
    }
    for mapping in merged {
      for (index, key) in (mapping.keys ?? []).enumerated() where seen.insert(ByteString(key)).inserted {
        add(key, mapping.items[index], line: mapping.keyLines[index])
      }
    }
  }
}
