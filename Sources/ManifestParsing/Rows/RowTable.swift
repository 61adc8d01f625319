package import SyncModel

/// Where the files of `matrix: {rows: FILE}` come from.
@safe package struct RowFileReading: Sendable {
  /// Hands a file's bytes to `body` in blocks from its start, until that wants no more.
  ///
  /// The path is from the manifest's folder. Throws `.sourceUnreadable`, or `.outputUnwritable` for what is no file.
  let read:
    @Sendable (_ path: RelativePath, _ body: (UnsafeRawBufferPointer) -> Bool) throws(FailureCause) -> Void

  /// `read` hands out the blocks of a file, each only as long as `body` takes.
  package init(
    _ read:
      @escaping @Sendable (_ path: RelativePath, _ body: (UnsafeRawBufferPointer) -> Bool)
      throws(FailureCause) -> Void
  ) {
    unsafe self.read = read
  }
}

/// A matrix whose targets are the rows of a file.
struct RowTable {
  struct Conflict {
    var line: Int
    var message: String
    var hint: String
  }

  let path: RelativePath
  let cursor: RowCursor
  /// The file's name in the manifest.
  let place: NodeID
  /// What all its targets share.
  let values: TargetDraft.Values
  /// The number of its first target; the others follow.
  var first = 0
  var count = 0
  /// The sum of the file's bytes; `nil` if not all of them were read.
  var sum: ByteSum.Value?
  /// How many problems the reading for the names has found.
  var problems = 0
  /// The rows whose output conflicts with another one, in the order of their lines.
  var conflicts: [Conflict] = []
  /// Where a target's line is not the line after the target before: its number in the table, and the line.
  private var jumps: [(target: Int, line: Int)] = []

  init(_ path: RelativePath, _ format: RowCursor.Format, at place: NodeID) {
    self.path = path
    self.place = place
    cursor = RowCursor(format)
    values = TargetDraft.Values(Scope(row: cursor))
  }

  var scope: Scope { values.scope }

  /// Adds the cursor's row.
  mutating func add() {
    if jumps.isEmpty || line(of: count) != cursor.line { jumps.append((count, cursor.line)) }
    count += 1
  }

  /// The line of a target, by its number in the table.
  func line(of target: Int) -> Int {
    var (low, high) = (0, jumps.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if jumps[middle].target <= target { low = middle } else { high = middle - 1 }
    }
    return jumps[low].line + target - jumps[low].target
  }

  /// Whether it has that target.
  func contains(_ target: TargetID) -> Bool { (first..<first + count).contains(target.index) }
}
