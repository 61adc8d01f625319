/// First in, first out, without moving the elements at each removal.
struct Queue<Element> {
  private var incoming: [Element] = []
  /// The older ones, the oldest last.
  private var outgoing: [Element] = []

  var count: Int { incoming.count + outgoing.count }
  var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  var first: Element? { outgoing.last ?? incoming.first }

  mutating func append(_ element: Element) { incoming.append(element) }

  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming.removeAll(keepingCapacity: true)
    }
    return outgoing.popLast()
  }

  /// Takes out what `isOut` picks, the oldest first; the rest keeps its order.
  mutating func remove(where isOut: (Element) -> Bool) -> [Element] {
    let all = outgoing.reversed() + incoming
    outgoing = []
    incoming = all.filter { !isOut($0) }
    return all.filter(isOut)
  }

  mutating func removeAll() -> [Element] { remove { _ in true } }
}
