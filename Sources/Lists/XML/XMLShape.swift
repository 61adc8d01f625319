/// The elements of a document that a reader wants, as a tree. Everything else is passed over.
///
/// Names are local ones. An element must be in the root's own namespace, unless the shape names another.
struct XMLShape: Sendable {
  /// One wanted element.
  struct Element: Sendable {
    fileprivate var name: String
    fileprivate var namespaces: [String]
    fileprivate var part: Int
    fileprivate var hasText = false
    fileprivate var keepsOthers = false
    fileprivate var children: [Element] = []
  }

  /// One place of the tree.
  struct Node: Sendable {
    let name: [UInt8]
    /// Empty for the root's own namespace.
    let namespaces: [[UInt8]]
    /// The reader's number for it.
    let part: Int
    let hasText: Bool
    /// Whether children with a prefix and a text that are not in the shape are told, too.
    let keepsOthers: Bool
    fileprivate(set) var children: [Int] = []
  }

  /// The first one is the root.
  private(set) var nodes: [Node] = []

  init(_ root: Element) { _ = add(root) }

  private mutating func add(_ element: Element) -> Int {
    let place = nodes.count
    nodes.append(
      Node(
        name: Array(element.name.utf8), namespaces: element.namespaces.map { Array($0.utf8) },
        part: element.part, hasText: element.hasText, keepsOthers: element.keepsOthers))
    for child in element.children { nodes[place].children.append(add(child)) }
    return place
  }
}

extension XMLShape.Element {
  /// An element of which its attributes and children count.
  static func element(
    _ name: String, _ part: some RawRepresentable<Int>, in namespaces: [String] = [],
    keepsOthers: Bool = false,
    _ children: [XMLShape.Element] = []
  ) -> XMLShape.Element {
    XMLShape.Element(
      name: name, namespaces: namespaces, part: part.rawValue, keepsOthers: keepsOthers, children: children)
  }

  /// An element of which its text counts, and its attributes.
  static func text(_ name: String, _ part: some RawRepresentable<Int>, in namespaces: [String] = [])
    -> XMLShape.Element
  {
    XMLShape.Element(name: name, namespaces: namespaces, part: part.rawValue, hasText: true)
  }
}
