import CSqliteShim

/// Binds the values of a row one after another and sums them up as it goes.
@safe struct RowWriter: ColumnWriter {
  /// The usual size of a row's texts in bytes; the rest of a larger row is copied.
  static let usualRow = 4096
  private static let usualList = 512

  /// The first error that SQLite gave; the statement must not be performed then.
  private(set) var code = SQLITE_OK
  private let statement: OpaquePointer
  private var index: Int32 = 0
  /// How many values were given.
  var count: Int32 { index }
  private var sum = RowSum(seed: 0)
  private var parts: [UInt8] = []
  /// Holds the next texts for SQLite, so that SQLite makes no copy of each.
  private var room: UnsafeMutableRawBufferPointer

  /// `room` must last until the statement was performed and reset, and be used for nothing else until then.
  init(
    _ statement: OpaquePointer,
    room: UnsafeMutableRawBufferPointer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  ) {
    unsafe self.statement = statement
    unsafe self.room = room
  }

  /// Begins the sum of a row of `table`.
  mutating func begin(_ table: Table) { sum = RowSum(seed: table.seed) }

  mutating func integer(_ value: Int64?) {
    index += 1
    guard let value else { return null() }
    sum.add(value)
    unsafe note(sqliteshim_bind_int64(statement, index, value))
  }

  mutating func text(_ value: String?) {
    index += 1
    guard let value else { return null() }
    unsafe value.withBytes { unsafe bind($0) }
  }

  mutating func list(_ fill: (inout [UInt8]) -> Void) {
    index += 1
    if parts.isEmpty { parts.reserveCapacity(Self.usualList) }
    parts.removeAll(keepingCapacity: true)
    fill(&parts)
    unsafe parts.withUnsafeBytes { unsafe bind($0) }
  }

  private mutating func bind(_ bytes: UnsafeRawBufferPointer) {
    unsafe sum.add(bytes)
    if unsafe bytes.count <= room.count, let place = unsafe room.baseAddress {
      unsafe room.copyMemory(from: bytes)
      unsafe room = UnsafeMutableRawBufferPointer(rebasing: room[bytes.count...])
      let text = unsafe place.assumingMemoryBound(to: CChar.self)
      return unsafe note(sqliteshim_bind_lasting_text(statement, index, text, Int32(bytes.count)))
    }
    // An empty buffer has no address, which SQLite would read as NULL.
    let text = unsafe bytes.isEmpty ? nil : bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    unsafe note(
      text.map { unsafe sqliteshim_bind_text(statement, index, $0, Int32(clamping: bytes.count)) }
        ?? sqliteshim_bind_text(statement, index, "", 0))
  }

  mutating func blob(_ value: [UInt8]) {
    index += 1
    let code = unsafe value.withUnsafeBytes { bytes in
      unsafe sum.add(bytes)
      guard let base = bytes.baseAddress, unsafe !bytes.isEmpty else {
        return unsafe sqliteshim_bind_zeroblob(statement, index, 0)
      }
      return unsafe sqliteshim_bind_blob(statement, index, base, Int32(clamping: bytes.count))
    }
    note(code)
  }

  /// Binds the sum of all values since ``begin(_:)``.
  mutating func finish() {
    index += 1
    unsafe note(sqliteshim_bind_int64(statement, index, Int64(bitPattern: sum.value)))
  }

  private mutating func null() {
    sum.addNull()
    unsafe note(sqliteshim_bind_null(statement, index))
  }

  private mutating func note(_ code: Int32) {
    if self.code == SQLITE_OK { self.code = code }
  }
}

extension String {
  /// Gives `body` the string's UTF-8: in place, but for strings that Apple's libraries made.
  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    let inPlace: Void? = unsafe utf8.withContiguousStorageIfAvailable {
      unsafe body(UnsafeRawBufferPointer($0))
    }
    guard inPlace == nil else { return }
    var own = self
    own.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }
}
