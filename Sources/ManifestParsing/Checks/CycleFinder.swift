/// Finds cycles in a graph whose nodes are 0 to `count` - 1; without recursion, however long the chains.
struct CycleFinder {
  let count: Int
  /// The dependencies of each node.
  let neighbours: (Int) -> [Int]

  init(count: Int, neighbours: @escaping (Int) -> [Int]) {
    self.count = count
    self.neighbours = neighbours
  }

  /// Cycles that share no node, each from its first node on; every cycle of the graph has a node in one of them.
  ///
  /// `order` gets every node, after its dependencies if it is in no cycle.
  func cycles(order: inout [Int]) -> [[Int]] {
    var cycles: [[Int]] = []
    var isInCycle = [Bool](repeating: false, count: count)
    var depths = [Int](repeating: Self.unseen, count: count)
    for root in 0..<count where depths[root] == Self.unseen {
      var stack = [Frame(node: root, rest: neighbours(root)[...])]
      depths[root] = 0
      while let top = stack.last {
        guard let next = stack[stack.count - 1].rest.popFirst() else {
          depths[top.node] = Self.done
          order.append(top.node)
          stack.removeLast()
          continue
        }
        if depths[next] == Self.unseen {
          depths[next] = stack.count
          stack.append(Frame(node: next, rest: neighbours(next)[...]))
        } else if depths[next] >= 0 {
          let cycle = stack[depths[next]...].map(\.node)
          guard !cycle.contains(where: { isInCycle[$0] }) else { continue }
          for node in cycle { isInCycle[node] = true }
          cycles.append(Self.fromFirst(cycle))
        }
      }
    }
    return cycles
  }

  private struct Frame {
    var node: Int
    var rest: ArraySlice<Int>
  }

  private static let unseen = -1
  private static let done = -2

  private static func fromFirst(_ cycle: [Int]) -> [Int] {
    guard let smallest = cycle.min(), let start = cycle.firstIndex(of: smallest) else { return cycle }
    return Array(cycle[start...] + cycle[..<start])
  }
}
