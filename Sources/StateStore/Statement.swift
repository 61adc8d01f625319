import CLibsqlite

/// A prepared statement; finalizes itself.
struct Statement: ~Copyable {
  let handle: OpaquePointer
  private let connection: Connection

  init(handle: OpaquePointer, connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether there is a row to be read.
  func step() throws(StateFault) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.fault(code)
    }
  }

  /// Performs the statement once with the values that `bind` gives, and leaves it ready for the next time.
  func perform(_ bind: (inout RowWriter) -> Void) throws(StateFault) {
    defer { sqlite3_reset(handle) }
    var row = RowWriter(handle)
    bind(&row)
    guard row.code == SQLITE_OK else { throw connection.fault(row.code) }
    // What one row leaves unbound would be the value of the row before.
    guard row.count == sqlite3_bind_parameter_count(handle) else { throw connection.fault(SQLITE_MISUSE) }
    _ = try step()
  }
}
