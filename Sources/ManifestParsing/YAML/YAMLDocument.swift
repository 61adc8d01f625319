/// A node's place in ``YAMLDocument/nodes``.
struct NodeID: Hashable {
  var index: Int
}

/// One document as a flat tree; an alias is the node that it names, so a node may have many parents.
struct YAMLDocument {
  fileprivate(set) var nodes: [YAMLNode] = []
  /// The items of sequences, and key, value, key, value of mappings, node by node.
  fileprivate(set) var children: [NodeID] = []
  /// `nil` when the file holds no document.
  fileprivate(set) var root: NodeID?
  /// Whether a node is named so that an alias may stand for it.
  fileprivate(set) var hasAnchors = false

  subscript(id: NodeID) -> YAMLNode { nodes[id.index] }

  /// The items of a sequence; keys and values in turn of a mapping; nothing of a scalar.
  func children(of id: NodeID) -> ArraySlice<NodeID> { children[nodes[id.index].children] }

  /// Whether a key stands for the entries of its value, which are merged in.
  func isMerge(_ key: NodeID) -> Bool {
    let node = nodes[key.index]
    return node.isPlain && node.text == "<<" && node.kind == .scalar
  }

  /// Whether the node is an empty plain scalar, or one of YAML's words for nothing.
  func isNull(_ id: NodeID) -> Bool {
    let node = nodes[id.index]
    guard node.kind == .scalar, node.isPlain else { return false }
    // Asked of every value: most are told by their length.
    switch node.text.utf8.count {
    case 0: return true
    case 1: return node.text == "~"
    case 4: return node.text == "null" || node.text == "Null" || node.text == "NULL"
    default: return false
    }
  }
}

/// A scalar, a sequence or a mapping, with its place.
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
  var weight = 1
  var start: YAMLMark
  var end: YAMLMark
  /// A scalar's text.
  var text = ""
  var children: Range<Int> = 0..<0
}

extension YAMLDocument {
  /// Grows a document from events: nodes are added when they begin, children when they end.
  struct Builder {
    private(set) var document = YAMLDocument()
    private var open: [(node: NodeID, firstChild: Int)] = []
    private var waiting: [NodeID] = []

    init() {}

    /// Makes room for what a document of so many bytes has, as manifests are: memory that is not written to costs none,
    /// and a list that grows is copied each time.
    mutating func reserve(forBytes count: Int) {
      document.nodes.reserveCapacity(count / 12)
      document.children.reserveCapacity(count / 12)
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
      var weight = 1
      for child in document.children[start...] {
        height = max(height, document.nodes[child.index].height)
        weight = min(weight + document.nodes[child.index].weight, Int(Int32.max))
      }
      document.nodes[id.index].children = start..<document.children.count
      document.nodes[id.index].end = mark
      document.nodes[id.index].height = min(height, 254) + 1
      document.nodes[id.index].weight = weight
    }
  }
}
