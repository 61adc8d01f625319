/// Places the nodes of a small graph without cycles in columns, dependencies to the left, with few crossings.
///
/// A pure function of its input: the same nodes and arrows give the same places.
struct GraphLayout {
  /// A node's centre, in columns and in rows that may be fractions.
  struct Place: Equatable {
    var column: Int
    var row: Double
  }

  /// By node.
  private(set) var places: [Place]
  /// For each arrow the places that it passes between its ends, left to right.
  private(set) var bends: [[Place]]
  private(set) var columns: Int
  private(set) var rows: Double

  /// `arrows` lead from a target to its dependents; nodes are numbered in an order in which they could run.
  init(nodes count: Int, arrows: [(from: Int, to: Int)]) {
    var work = Work(nodes: count, arrows: arrows)
    work.order()
    let rows = work.settledRows()
    columns = work.layers.count
    places = (0..<count).map { Place(column: work.column[$0], row: rows[$0]) }
    bends = work.chains.map { chain in chain.map { Place(column: work.column[$0], row: rows[$0]) } }
    self.rows = (rows.max() ?? 0) + 1
  }

  /// The layout in the making: an arrow over several columns gets a node without a name in each between.
  private struct Work {
    var column: [Int]
    var layers: [[Int]]
    /// By arrow, the nodes without names on its way.
    var chains: [[Int]] = []
    private var before: [[Int]]
    private var behind: [[Int]]

    init(nodes count: Int, arrows: [(from: Int, to: Int)]) {
      column = Self.columns(count, arrows)
      before = Array(repeating: [], count: count)
      behind = before
      for arrow in arrows {
        var last = arrow.from
        var chain: [Int] = []
        for place in (column[arrow.from] + 1)..<max(column[arrow.from] + 1, column[arrow.to]) {
          let node = column.count
          column.append(place)
          before.append([last])
          behind.append([])
          behind[last].append(node)
          chain.append(node)
          last = node
        }
        before[arrow.to].append(last)
        behind[last].append(arrow.to)
        chains.append(chain)
      }
      layers = Array(repeating: [], count: (column.max() ?? -1) + 1)
      for node in column.indices { layers[column[node]].append(node) }
    }

    /// As far left as its dependencies allow; then nodes without dependencies move as far right as possible.
    private static func columns(_ count: Int, _ arrows: [(from: Int, to: Int)]) -> [Int] {
      var column = Array(repeating: 0, count: count)
      var hasBefore = Array(repeating: false, count: count)
      for arrow in arrows.sorted(by: { ($0.to, $0.from) < ($1.to, $1.from) }) {
        column[arrow.to] = max(column[arrow.to], column[arrow.from] + 1)
        hasBefore[arrow.to] = true
      }
      var nearest = Array(repeating: Int.max, count: count)
      for arrow in arrows { nearest[arrow.from] = min(nearest[arrow.from], column[arrow.to] - 1) }
      for node in column.indices where !hasBefore[node] && nearest[node] < .max {
        column[node] = nearest[node]
      }
      return column
    }

    /// Sorts each column by the middle of its neighbours, to and fro.
    mutating func order() {
      for _ in 0..<4 {
        var position = positions()
        for layer in layers.indices { sort(layer, by: before, &position) }
        position = positions()
        for layer in layers.indices.reversed() { sort(layer, by: behind, &position) }
      }
    }

    /// Sorts one column by the mean position of each node's `neighbours`; equal nodes keep their order.
    private mutating func sort(_ layer: Int, by neighbours: [[Int]], _ position: inout [Double]) {
      let nodes = layers[layer]
      var keys: [Double] = []
      for node in nodes {
        keys.append(Self.mean(neighbours[node].map { position[$0] }) ?? position[node])
      }
      let order = nodes.indices.sorted { a, b in keys[a] == keys[b] ? a < b : keys[a] < keys[b] }
      layers[layer] = order.map { nodes[$0] }
      for (place, node) in layers[layer].enumerated() { position[node] = Double(place) }
    }

    private func positions() -> [Double] {
      var position = Array(repeating: 0.0, count: column.count)
      for layer in layers { for (place, node) in layer.enumerated() { position[node] = Double(place) } }
      return position
    }

    /// Rows in which neighbours are close and nothing overlaps, beginning at 0.
    func settledRows() -> [Double] {
      var row = positions()
      for sweep in 0..<12 {
        let isForward = sweep % 2 == 0
        for layer in isForward ? Array(layers.indices) : layers.indices.reversed() {
          let wanted = layers[layer].map { node in
            Self.mean((before[node] + behind[node]).map { row[$0] }) ?? row[node]
          }
          for (node, place) in zip(layers[layer], Self.spread(wanted)) { row[node] = place }
        }
      }
      let first = row.min() ?? 0
      return row.map { (($0 - first) * 100).rounded() / 100 }
    }

    /// The places nearest to `wanted` that keep their order and are one apart.
    private static func spread(_ wanted: [Double]) -> [Double] {
      var down = wanted
      for i in down.indices.dropFirst() { down[i] = max(down[i], down[i - 1] + 1) }
      var up = wanted
      for i in up.indices.dropLast().reversed() { up[i] = min(up[i], up[i + 1] - 1) }
      var middle = zip(down, up).map { ($0 + $1) / 2 }
      for i in middle.indices.dropFirst() { middle[i] = max(middle[i], middle[i - 1] + 1) }
      return middle
    }

    private static func mean(_ values: [Double]) -> Double? {
      values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
  }
}
