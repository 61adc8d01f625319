import SyncModel

/// Where a walk through a document is in the shape that is wanted. Every element of a document passes through here, so
/// it is made for speed.
struct XMLPlace {
  /// What the end of an element means.
  enum Ending {
    case nothing
    case wanted(part: Int, text: String?)
    case other(name: String, text: String)
  }

  /// What a name means below one node. Documents have few names, and each of them many times.
  private struct Known {
    var parent: Int
    /// The name's place in ``names``.
    var start: Int
    var count: Int
    /// `nil` if the element is not wanted.
    var node: Int?
  }

  private let nodes: [XMLShape.Node]
  /// The wanted elements that are open, as places in ``nodes``.
  private var path: [Int] = []
  /// The innermost of them.
  private var node: Int?
  /// How many elements are open that are not wanted.
  private var skipped = 0
  /// The root's name, if it is not the wanted one.
  private(set) var otherRoot: String?
  /// The root's namespace.
  private var namespace: [UInt8] = []

  private var isCollecting = false
  private var isDivided = false
  private var value: [UInt8] = []
  /// The name of an open element that is told as another one.
  private var other: String?

  private var known: [Known] = []
  private var names: [UInt8] = []
  /// The one of ``known`` that was met last; the next element is likely to be the next one.
  private var last = 0
  private static let mostKnown = 100

  init(_ shape: XMLShape) { nodes = shape.nodes }

  // MARK: Events

  /// The part of the shape that begins, `nil` for an element that is not wanted; and whether text is wanted now.
  mutating func begin(_ name: UnsafeRawBufferPointer) -> (part: Int?, wantsText: Bool) {
    let part = unsafe enter(name)
    return (part, isCollecting && !isDivided)
  }

  private mutating func enter(_ name: UnsafeRawBufferPointer) -> Int? {
    if isCollecting { isDivided = true }
    guard skipped == 0, other == nil else {
      skipped += 1
      return nil
    }
    guard let wanted = unsafe wanted(name) else {
      unsafe skip(name)
      return nil
    }
    path.append(wanted)
    node = wanted
    if nodes[wanted].hasText { collect() }
    return nodes[wanted].part
  }

  /// Adds a piece of the text; only if text is wanted.
  mutating func add(_ bytes: UnsafeRawBufferPointer) { unsafe value.append(contentsOf: bytes) }

  /// What the innermost element's end means, and whether text is wanted now.
  mutating func end() -> (Ending, wantsText: Bool) {
    let ending = leave()
    return (ending, isCollecting && !isDivided)
  }

  private mutating func leave() -> Ending {
    if skipped > 0 {
      skipped -= 1
    } else if let name = other {
      other = nil
      if let text = collected(), !text.isEmpty { return .other(name: name, text: text) }
    } else if let ended = path.popLast() {
      node = path.last
      return .wanted(part: nodes[ended].part, text: nodes[ended].hasText ? collected() : nil)
    }
    return .nothing
  }

  private mutating func skip(_ name: UnsafeRawBufferPointer) {
    let name = unsafe XMLName(name)
    if let node, nodes[node].keepsOthers, let prefix = name.prefix {
      other = prefix + ":" + name.local
      collect()
    } else {
      skipped += 1
    }
  }

  private mutating func collect() {
    isCollecting = true
    isDivided = false
    value.removeAll(keepingCapacity: true)
  }

  private mutating func collected() -> String? {
    isCollecting = false
    return isDivided ? nil : String(decoding: value[...].trimmingWhiteSpace, as: UTF8.self)
  }

  // MARK: Names

  private mutating func wanted(_ name: UnsafeRawBufferPointer) -> Int? {
    guard let node else { return unsafe root(XMLName(name)) }
    var next = last
    for _ in known.indices {
      next = next + 1 < known.count ? next + 1 : 0
      if known[next].parent == node, known[next].count == name.count, unsafe isName(next, name) {
        last = next
        return known[next].node
      }
    }
    let found = unsafe child(of: node, XMLName(name))
    if known.count < Self.mostKnown {
      known.append(Known(parent: node, start: names.count, count: name.count, node: found))
      unsafe names.append(contentsOf: name)
    }
    return found
  }

  private func isName(_ place: Int, _ name: UnsafeRawBufferPointer) -> Bool {
    let start = known[place].start
    return unsafe names.withUnsafeBytes { names in
      unsafe UnsafeRawBufferPointer(rebasing: names[start..<start + name.count]).holdsSame(as: name)
    }
  }

  private func child(of parent: Int, _ name: XMLName) -> Int? {
    nodes[parent].children.first { child in
      let node = nodes[child]
      guard name.isLocal(node.name) else { return false }
      if node.namespaces.isEmpty { return name.isNamespace(namespace) }
      return node.namespaces.contains { name.isNamespace($0) }
    }
  }

  private mutating func root(_ name: XMLName) -> Int? {
    guard name.isLocal(nodes[0].name),
      nodes[0].namespaces.isEmpty || nodes[0].namespaces.contains(where: { name.isNamespace($0) })
    else {
      otherRoot = name.local
      return nil
    }
    namespace = name.namespace
    return 0
  }
}

/// The name of an element as the parser gives it, only while the element begins.
@safe private struct XMLName {
  private let text: UnsafeRawBufferPointer
  /// The ends of the namespace and of the local name.
  private let start: Int
  private let end: Int

  init(_ text: UnsafeRawBufferPointer) {
    let separator = UInt8(ascii: "\u{C}")
    unsafe self.text = text
    guard let first = unsafe text.firstIndex(of: separator) else {
      (start, end) = (0, text.count)
      return
    }
    start = first + 1
    end = unsafe text[(first + 1)...].firstIndex(of: separator) ?? text.count
  }

  var local: String { unsafe String(decoding: text[start..<end], as: UTF8.self) }

  var prefix: String? {
    unsafe end < text.count ? String(decoding: text[(end + 1)...], as: UTF8.self) : nil
  }

  var namespace: [UInt8] { unsafe Array(text[..<max(0, start - 1)]) }

  func isLocal(_ name: [UInt8]) -> Bool {
    unsafe end - start == name.count && text[start..<end].elementsEqual(name)
  }

  func isNamespace(_ namespace: [UInt8]) -> Bool {
    unsafe max(0, start - 1) == namespace.count && text[..<namespace.count].elementsEqual(namespace)
  }
}
