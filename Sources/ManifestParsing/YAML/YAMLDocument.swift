/// A node's place in ``YAMLDocument/nodes``.
struct NodeID: Hashable {
  var index: Int
}

/// One document as a flat tree; an alias is the node that it names, so a node may have many parents.
struct YAMLDocument {
  fileprivate(set) var nodes: [YAMLNode] = []
  /// The items of sequences, and key, value, key, value of mappings, node by node.
  fileprivate(set) var children: [NodeID] = []
  /// `nil` if the file has no document.
  fileprivate(set) var root: NodeID?
  /// The texts of the scalars.
  fileprivate var texts: [String] = []
  /// Whether a node has an anchor for aliases.
  fileprivate(set) var hasAnchors = false

  subscript(id: NodeID) -> YAMLNode { nodes[id.index] }

  /// A scalar's text; nothing of a collection.
  func text(of id: NodeID) -> String {
    let place = nodes[id.index].textPlace
    return place < 0 ? "" : texts[Int(place)]
  }

  /// The items of a sequence; keys and values in turn of a mapping; nothing of a scalar.
  func children(of id: NodeID) -> ArraySlice<NodeID> {
    let range = nodes[id.index].children
    return children[Int(range.lowerBound)..<Int(range.upperBound)]
  }

  /// Whether a key is a merge key, whose value's entries are merged.
  func isMerge(_ key: NodeID) -> Bool {
    self[key].isPlain && self[key].kind == .scalar && text(of: key) == "<<"
  }

  /// Whether the node is an empty plain scalar, or one of YAML's words for nothing.
  func isNull(_ id: NodeID) -> Bool {
    guard self[id].kind == .scalar, self[id].isPlain else { return false }
    // Called for every value: the length decides most cases.
    let text = text(of: id)
    switch text.utf8.count {
    case 0: return true
    case 1: return text == "~"
    case 4: return text == "null" || text == "Null" || text == "NULL"
    default: return false
    }
  }
}

/// A scalar, a sequence or a mapping, with its position; its text is stored separately, so that a copy needs no
/// reference counting.
struct YAMLNode {
  enum Kind: UInt8 {
    case scalar, sequence, mapping
    /// Stands for something that was reported already; readers pass it over in silence.
    case broken
  }

  var kind: Kind
  /// A scalar without quotes, and no block scalar.
  var isPlain = false
  /// A collection in braces or brackets.
  var isFlow = false
  /// How many levels of collections it has, aliases followed: 0 for a scalar.
  var height: UInt8 = 0
  /// How many nodes it has, itself included, aliases followed.
  var weight: Int32 = 1
  var start: YAMLMark
  var end: YAMLMark
  /// The index of a scalar's text in the document; negative for none.
  fileprivate(set) var textPlace: Int32 = -1
  fileprivate(set) var children: Range<Int32> = 0..<0
}

extension YAMLDocument {
  /// Grows a document from events: nodes are added when they begin, children when they end.
  struct Builder {
    private(set) var document = YAMLDocument()
    private var open: [(node: NodeID, firstChild: Int)] = []
    private var waiting: [NodeID] = []

    init() {}

    /// Reserves memory for a document of so many bytes: untouched memory costs nothing, and a growing array is
    /// copied each time.
    mutating func reserve(forBytes count: Int) {
      document.nodes.reserveCapacity(count / 12)
      document.children.reserveCapacity(count / 12)
      document.texts.reserveCapacity(count / 12)
    }

    /// How many collections are open.
    var depth: Int { open.count }

    subscript(id: NodeID) -> YAMLNode { document.nodes[id.index] }

    mutating func add(_ node: YAMLNode) -> NodeID {
      let id = NodeID(index: document.nodes.count)
      document.nodes.append(node)
      attach(id)
      return id
    }

    mutating func add(_ scalar: YAMLNode, _ text: String) -> NodeID {
      var node = scalar
      node.textPlace = Int32(document.texts.count)
      document.texts.append(text)
      return add(node)
    }

    /// Makes `id` the next child of the innermost open collection, or the root.
    mutating func attach(_ id: NodeID) {
      if open.isEmpty { document.root = id } else { waiting.append(id) }
    }

    mutating func begin(_ node: YAMLNode) -> NodeID {
      let id = add(node)
      open.append((id, waiting.count))
      return id
    }

    mutating func noteAnchor() { document.hasAnchors = true }

    func isOpen(_ id: NodeID) -> Bool { open.contains { $0.node == id } }

    mutating func end(at mark: YAMLMark) {
      guard let (id, firstChild) = open.popLast() else { return }
      let start = document.children.count
      document.children += waiting[firstChild...]
      waiting.removeSubrange(firstChild...)
      var height: UInt8 = 0
      var weight: Int32 = 1
      for child in document.children[start...] {
        height = max(height, document.nodes[child.index].height)
        let (sum, isTooMany) = weight.addingReportingOverflow(document.nodes[child.index].weight)
        weight = isTooMany ? .max : sum
      }
      document.nodes[id.index].children = Int32(start)..<Int32(document.children.count)
      document.nodes[id.index].end = mark
      document.nodes[id.index].height = min(height, 254) + 1
      document.nodes[id.index].weight = weight
    }
  }
}
