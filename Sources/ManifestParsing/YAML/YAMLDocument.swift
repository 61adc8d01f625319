/// A node's place in ``YAMLDocument``.
struct NodeID: Hashable {
  // A manifest has at most 64 MiB, and so fewer nodes than that.
  private let number: Int32

  init(index: Int) { number = Int32(index) }

  var index: Int { Int(number) }
}

/// One document as a flat tree; an alias is the node that it names, so a node may have many parents.
///
/// A node takes 24 bytes, and a scalar whose value is literally in the source takes nothing more: a manifest of a
/// million targets has four million nodes. It is an object, since readers hand it on for every value: a copy of its five
/// fields took 200 instructions.
@safe final class YAMLDocument {
  private var nodes: [YAMLNode] = []
  /// The items of sequences, and key, value, key, value of mappings, node by node.
  private var children: [NodeID] = []
  /// `nil` if the file has no document.
  fileprivate(set) var root: NodeID?
  /// Whether a node has an anchor for aliases.
  fileprivate(set) var hasAnchors = false
  /// What scalars say that do not stand in the source just so.
  private var texts: [UInt8] = []
  /// Valid while the parse runs, or until ``keepTexts()``.
  private var source: UnsafeRawBufferPointer
  private var keptSource: [UInt8]?

  /// A document without nodes; `source` is the text that is read.
  fileprivate init(_ source: UnsafeRawBufferPointer) { unsafe self.source = unsafe source }

  /// One that holds nothing.
  static var empty: YAMLDocument { unsafe YAMLDocument(UnsafeRawBufferPointer(start: nil, count: 0)) }

  subscript(id: NodeID) -> YAMLNode { nodes[id.index] }

  /// Lets the document outlive the bytes that it was read from.
  func keepTexts() {
    keptSource = unsafe Array(source)
    unsafe source = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// A scalar's text; nothing of a collection.
  func text(of id: NodeID) -> String {
    unsafe withText(of: id) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Gives `body` a scalar's text as bytes, which cost no object; none of a collection.
  func withText<Result>(of id: NodeID, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let node = nodes[id.index]
    guard node.kind == .scalar else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    func part(_ bytes: UnsafeRawBufferPointer) -> Result {
      unsafe body(UnsafeRawBufferPointer(rebasing: bytes[node.content]))
    }
    guard node.isVerbatim else { return unsafe texts.withUnsafeBytes(part) }
    return unsafe keptSource?.withUnsafeBytes(part) ?? part(source)
  }

  /// Whether two scalars say the same, byte for byte.
  func haveSameText(_ a: NodeID, _ b: NodeID) -> Bool {
    unsafe withText(of: a) { a in
      unsafe withText(of: b) { b in unsafe a.count == b.count && a.elementsEqual(b) }
    }
  }

  /// The items of a sequence; keys and values in turn of a mapping; nothing of a scalar.
  func children(of id: NodeID) -> ArraySlice<NodeID> {
    let node = nodes[id.index]
    return node.isCollection ? children[node.content] : []
  }

  /// Whether a key is a merge key, whose value's entries are merged.
  func isMerge(_ key: NodeID) -> Bool {
    unsafe self[key].isPlain && self[key].kind == .scalar
      && withText(of: key) { unsafe $0.elementsEqual("<<".utf8) }
  }

  /// Whether the node is an empty plain scalar, or one of YAML's words for nothing.
  func isNull(_ id: NodeID) -> Bool {
    guard self[id].kind == .scalar, self[id].isPlain else { return false }
    // Called for every value: the length decides most cases.
    return unsafe withText(of: id) { text in
      switch text.count {
      case 0: true
      case 1: unsafe text[0] == UInt8(ascii: "~")
      case 4: ["null", "Null", "NULL"].contains { unsafe text.elementsEqual($0.utf8) }
      default: false
      }
    }
  }

  /// How many nodes `id` has, itself included, and how many levels of collections; both aliases followed.
  ///
  /// Counts no further than a few more than `limit`.
  func extent(of id: NodeID, limit: Int = .max) -> (weight: Int, height: Int) {
    guard nodes[id.index].isCollection else { return (1, 0) }
    var (weight, height) = (1, 0)
    for child in children(of: id) where weight <= limit {
      let inner = extent(of: child, limit: limit - weight)
      weight += inner.weight
      height = max(height, inner.height)
    }
    return (weight, height + 1)
  }
}

/// A scalar, a sequence or a mapping, with its position; its text is stored separately, so that a copy needs no
/// reference counting.
struct YAMLNode {
  enum Kind: UInt32 {
    case scalar, sequence, mapping
    /// Stands for something that was reported already; readers pass it over in silence.
    case broken
  }

  let start: YAMLMark
  private var endColumn: Int32
  /// The place of its text or its children.
  private var first: UInt32 = 0
  private var count: UInt32 = 0
  /// The ``Kind`` in two bits, three flags, and in the others how many lines its end is below its start.
  private var packed: UInt32

  private enum Bits {
    static let kind: UInt32 = 3
    static let plain: UInt32 = 4
    static let flow: UInt32 = 8
    static let verbatim: UInt32 = 16
    static let lines: UInt32 = 5
  }

  init(kind: Kind, isPlain: Bool = false, isFlow: Bool = false, start: YAMLMark, end: YAMLMark) {
    self.start = start
    packed = kind.rawValue | (isPlain ? Bits.plain : 0) | (isFlow ? Bits.flow : 0)
    endColumn = 0
    self.end = end
  }

  var kind: Kind { Kind(rawValue: packed & Bits.kind) ?? .broken }
  /// A scalar without quotes, and no block scalar.
  var isPlain: Bool { packed & Bits.plain != 0 }
  /// A collection in braces or brackets.
  var isFlow: Bool { packed & Bits.flow != 0 }
  /// Whether its text is part of the source.
  fileprivate var isVerbatim: Bool { packed & Bits.verbatim != 0 }
  fileprivate var isCollection: Bool { kind == .sequence || kind == .mapping }

  fileprivate(set) var end: YAMLMark {
    get { YAMLMark(line: start.line + Int(packed >> Bits.lines), column: Int(endColumn)) }
    set {
      endColumn = Int32(clamping: newValue.column)
      packed = packed & (1 << Bits.lines - 1) | UInt32(max(0, newValue.line - start.line)) << Bits.lines
    }
  }

  fileprivate var content: Range<Int> { Int(first)..<Int(first) + Int(count) }

  fileprivate mutating func setContent(_ content: Range<Int>, isVerbatim: Bool = false) {
    first = UInt32(content.lowerBound)
    count = UInt32(content.count)
    if isVerbatim { packed |= Bits.verbatim }
  }
}

extension YAMLDocument {
  /// Grows a document from events: nodes are added when they begin, children when they end.
  struct Builder {
    let document: YAMLDocument
    private var open: [(node: NodeID, firstChild: Int)] = []
    private var waiting: [NodeID] = []

    /// Reserves memory for a document of so many bytes: untouched memory costs nothing, and a growing array is
    /// copied each time.
    init(_ source: UnsafeRawBufferPointer) {
      document = unsafe YAMLDocument(source)
      document.nodes.reserveCapacity(source.count / 12)
      document.children.reserveCapacity(source.count / 12)
    }

    /// How many collections are open.
    var depth: Int { open.count }

    /// Those collections, the innermost last.
    var openNodes: [YAMLNode] { open.map { document[$0.node] } }

    mutating func add(_ node: YAMLNode) -> NodeID {
      let id = NodeID(index: document.nodes.count)
      document.nodes.append(node)
      attach(id)
      return id
    }

    /// `offset` is the possible place of `text` in the source.
    mutating func add(_ scalar: YAMLNode, _ text: UnsafeBufferPointer<UInt8>, maybeAt offset: Int) -> NodeID {
      var node = scalar
      let end = offset + text.count
      if offset >= 0, unsafe end <= document.source.count,
        // `elementsEqual` takes five times as long here.
        text.indices.allSatisfy({ unsafe document.source[offset + $0] == text[$0] })
      {
        node.setContent(offset..<end, isVerbatim: true)
      } else {
        node.setContent(document.texts.count..<document.texts.count + text.count)
        unsafe document.texts.append(contentsOf: text)
      }
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
      document.nodes[id.index].setContent(start..<document.children.count)
      document.nodes[id.index].end = mark
    }
  }
}
