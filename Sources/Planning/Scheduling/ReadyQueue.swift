/// Numbers, smallest first: a binary heap, so that 100,000 targets that become ready at once cost no more than
/// sorting them.
struct ReadyQueue: Sendable {
  private var heap: [Int] = []

  var count: Int { heap.count }
  /// The smallest number; `nil` if there is none.
  var first: Int? { heap.first }

  mutating func push(_ number: Int) {
    heap.append(number)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// The smallest number, removed; `nil` if there is none.
  mutating func pop() -> Int? {
    guard let last = heap.popLast() else { return nil }
    guard let first = heap.first else { return last }
    heap[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < heap[parent] else { break }
      heap.swapAt(child, parent)
      parent = child
    }
    return first
  }
}
