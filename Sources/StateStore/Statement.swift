import CSqliteShim

/// A prepared statement; finalizes itself.
@safe struct Statement: ~Copyable {
  let handle: OpaquePointer
  private let connection: Connection
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: RowWriter.usualRow, alignment: 1)

  init(handle: OpaquePointer, connection: Connection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit {
    unsafe sqliteshim_finalize(handle)
    unsafe room.deallocate()
  }

  /// Whether there is a row to be read.
  func step() throws(StateFault) -> Bool {
    switch unsafe sqliteshim_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.fault(code)
    }
  }

  /// Performs the statement once with the values that `bind` gives, and leaves it ready for the next time.
  func perform(_ bind: (inout RowWriter) -> Void) throws(StateFault) {
    defer { unsafe sqliteshim_reset(handle) }
    var row = unsafe RowWriter(handle, room: room)
    bind(&row)
    guard row.code == SQLITE_OK else { throw connection.fault(row.code) }
    // An unbound value of a row would be the value of the row before.
    guard unsafe row.count == sqliteshim_bind_parameter_count(handle) else {
      throw connection.fault(SQLITE_MISUSE)
    }
    _ = try step()
  }
}
