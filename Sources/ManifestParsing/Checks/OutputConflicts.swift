import SyncModel

/// Two outputs of which one is, or would be a folder of, the other.
struct OutputConflict: Equatable {
  /// Positions in the list of outputs; the conflict is reported at `second`.
  var first: Int
  var second: Int
  /// Whether they are the same path.
  var isSame: Bool

  /// The conflicts among `outputs`, at most one for each; `nil` outputs have none.
  static func find<Outputs: RandomAccessCollection<RelativePath?>>(_ outputs: Outputs) -> [OutputConflict]
  where Outputs.Index == Int {
    // Sorting a million paths takes longer, and more memory, than to see that none of them conflicts.
    guard mayConflict(outputs) else { return [] }
    let sorted = outputs.indices.compactMap { index in outputs[index].map { Item(index: index, path: $0) } }
      .sorted { $0.precedes($1) }
    var conflicts: [OutputConflict] = []
    var folders: [Item] = []
    for item in sorted {
      while let top = folders.last, top.path != item.path, !top.path.isFolder(of: item.path) {
        folders.removeLast()
      }
      if let top = folders.last {
        conflicts.append(
          OutputConflict(
            first: min(top.index, item.index), second: max(top.index, item.index),
            isSame: top.path == item.path))
      }
      // The first of equal paths stays, so that each later one is reported with it.
      if folders.last?.path != item.path { folders.append(item) }
    }
    return conflicts
  }

  /// Whether two paths may be the same, or one a folder of another; `false` is certain.
  private static func mayConflict(_ outputs: some Collection<RelativePath?>) -> Bool {
    var paths = PathHashes(capacity: outputs.count)
    for output in outputs { unsafe output?.text.withBytes { unsafe paths.add($0) } }
    return paths.mayConflict
  }

  private struct Item {
    var index: Int
    var path: RelativePath

    /// In byte order with `/` first, so that a folder's content directly follows it.
    func precedes(_ other: Item) -> Bool {
      var a = path.text.utf8.makeIterator()
      var b = other.path.text.utf8.makeIterator()
      while true {
        switch (a.next(), b.next()) {
        case (nil, nil): return index < other.index
        case (nil, _): return true
        case (_, nil): return false
        case (let x?, let y?) where x != y: return x == slash || (y != slash && x < y)
        default: continue
        }
      }
    }

    private var slash: UInt8 { UInt8(ascii: "/") }
  }
}
