/// What is known of a document's nodes, found by their place instead of a hash: each row of a file asks for several.
///
/// The nodes of one target are close together. An alias may lead far away, which a dictionary is for.
struct NodeTable<Value> {
  private static var reach: Int { 64 }

  private var first = 0
  private var values: [Value?] = []
  private var others: [NodeID: Value] = [:]

  /// What was set for a node last.
  subscript(id: NodeID) -> Value? {
    get {
      let place = id.index - first
      if values.indices.contains(place), let value = values[place] { return value }
      return others.isEmpty ? nil : others[id]
    }
    set {
      if values.isEmpty { first = id.index }
      let place = id.index - first
      guard place >= 0, place < values.count + Self.reach else {
        others[id] = newValue
        return
      }
      if place >= values.count { values += repeatElement(nil, count: place + 1 - values.count) }
      values[place] = newValue
    }
  }
}
