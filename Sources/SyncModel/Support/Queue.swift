/// First in, first out, without moving the elements at each removal; the standard library has no such thing.
///
/// The members are public and inlinable, since only then do other modules specialise them for their elements.
public struct Queue<Element> {
  @usableFromInline var incoming: [Element] = []
  /// The older ones, the oldest last.
  @usableFromInline var outgoing: [Element] = []

  /// Of nothing yet.
  @inlinable
  public init() {}

  /// How many elements there are.
  @inlinable public var count: Int { incoming.count + outgoing.count }
  /// Whether there is none.
  @inlinable public var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  /// The oldest; `nil` if there is none.
  @inlinable public var first: Element? { outgoing.last ?? incoming.first }

  /// Adds the newest.
  @inlinable
  public mutating func append(_ element: Element) { incoming.append(element) }

  /// The oldest, removed; `nil` if there is none.
  @inlinable
  public mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming.removeAll(keepingCapacity: true)
    }
    return outgoing.popLast()
  }

  /// Takes out what `isOut` picks, the oldest first; the rest keeps its order.
  @inlinable
  public mutating func remove(where isOut: (Element) -> Bool) -> [Element] {
    let all = outgoing.reversed() + incoming
    outgoing = []
    incoming = all.filter { !isOut($0) }
    return all.filter(isOut)
  }

  /// Takes out all, the oldest first.
  @inlinable
  public mutating func removeAll() -> [Element] { remove { _ in true } }
}

extension Queue: Sendable where Element: Sendable {}
