/// Gives each slice of a trace a row on which it overlaps no other, and names the rows.
///
/// Slices come in the order of their ends, and so those of a row come in the order of their beginnings, too.
struct TraceRows {
  /// A process in the trace viewer: rows that belong together.
  enum Process: Int, CaseIterable {
    case targets = 1
    case connections, steps, publishing

    var name: String {
      switch self {
      case .targets: "targets"
      case .connections: "connections"
      case .steps: "steps"
      case .publishing: "putting in place"
      }
    }
  }

  enum Group: Hashable {
    case connection(Int, host: String)
    case noConnection
    case steps
    case publishing

    var process: Process {
      switch self {
      case .connection, .noConnection: .connections
      case .steps: .steps
      case .publishing: .publishing
      }
    }

    var category: String {
      switch self {
      case .connection, .noConnection: "request"
      case .steps: "steps"
      case .publishing: "publish"
      }
    }

    /// The same for all slices of a connection, whichever host's name they go to.
    fileprivate var key: Int {
      switch self {
      case .connection(let number, _): number
      case .noConnection: 0
      case .steps: -1
      case .publishing: -2
      }
    }

    fileprivate func name(_ lane: Int) -> String {
      switch self {
      case .connection(let number, let host):
        "connection \(number): \(host)" + (lane == 0 ? "" : ", stream \(lane + 1)")
      case .noConnection: "no connection" + (lane == 0 ? "" : " \(lane + 1)")
      case .steps: "body \(lane + 1)"
      case .publishing: "file \(lane + 1)"
      }
    }
  }

  private struct Row {
    var id: Int
    var end: Int64
  }

  private var rows: [Int: [Row]] = [:]
  private var lastID = 0
  private var names: [(process: Process, row: Int, name: String)] = []
  private var used: Set<Process> = []

  /// The row for a slice of `group`, in microseconds.
  mutating func row(of group: Group, from began: Int64, to ended: Int64) -> Int {
    used.insert(group.process)
    var lanes = rows[group.key] ?? []
    if let free = lanes.firstIndex(where: { $0.end <= began }) {
      lanes[free].end = ended
      rows[group.key] = lanes
      return lanes[free].id
    }
    lastID += 1
    names.append((group.process, lastID, group.name(lanes.count)))
    lanes.append(Row(id: lastID, end: ended))
    rows[group.key] = lanes
    return lastID
  }

  /// Has the targets' process named.
  mutating func use(_ process: Process) { used.insert(process) }

  /// The events that name and sort the rows in use.
  var metadata: [String] {
    var events: [String] = []
    for process in Process.allCases where used.contains(process) {
      events.append(event("process_name", process, 0) { $0.field("name", process.name) })
      events.append(event("process_sort_index", process, 0) { $0.field("sort_index", process.rawValue) })
    }
    if used.contains(.targets) {
      events.append(event("thread_name", .targets, 1) { $0.field("name", "targets") })
    }
    for (process, row, name) in names {
      events.append(event("thread_name", process, row) { $0.field("name", name) })
      events.append(event("thread_sort_index", process, row) { $0.field("sort_index", row) })
    }
    return events
  }

  private func event(
    _ name: String, _ process: Process, _ row: Int, _ args: (inout JSONWriter) -> Void
  ) -> String {
    let line = JSONWriter.line { json in
      json.field("ph", "M")
      json.field("name", name)
      json.field("pid", process.rawValue)
      json.field("tid", row)
      json.object("args", args)
    }
    return String(line.unicodeScalars.dropLast())
  }
}
