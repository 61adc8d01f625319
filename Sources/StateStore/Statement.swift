import CSqliteShim

/// A prepared statement; finalizes itself.
struct Statement: ~Copyable {
  let handle: OpaquePointer
  private let connection: Connection
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: RowWriter.usualRow, alignment: 1)

  init(handle: OpaquePointer, connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqliteshim_finalize(handle)
    room.deallocate()
  }

  /// Whether there is a row to be read.
  func step() throws(StateFault) -> Bool {
    switch sqliteshim_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.fault(code)
    }
  }

  /// Performs the statement once with the values that `bind` gives, and leaves it ready for the next time.
  func perform(_ bind: (inout RowWriter) -> Void) throws(StateFault) {
    defer { sqliteshim_reset(handle) }
    var row = RowWriter(handle, room: room)
    bind(&row)
    guard row.code == SQLITE_OK else { throw connection.fault(row.code) }
    // What one row leaves unbound would be the value of the row before.
    guard row.count == sqliteshim_bind_parameter_count(handle) else { throw connection.fault(SQLITE_MISUSE) }
    _ = try step()
  }
}
