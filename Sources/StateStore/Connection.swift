import CSqliteShim
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open SQLite database; closes itself.
///
/// Opened without SQLite's own mutex: used by one thread at a time.
@safe final class Connection {
  /// The subject of faults.
  let path: String
  let handle: OpaquePointer

  /// How long to wait for a lock of another process.
  private static let busyMilliseconds: Int32 = 5000
  /// The longest value that a row may claim; twice the largest sidecar with room to spare.
  private static let longestValue: Int32 = 16 << 20

  private init(path: String, handle: OpaquePointer) {
    self.path = path
    unsafe self.handle = handle
  }

  /// Live statements keep their resources; SQLite frees the rest with the last one.
  deinit { unsafe sqliteshim_close(handle) }

  /// Opens the file at `path` to read and write, rolling back what a killed process left half-done.
  static func open(path: String, creating: Bool) throws(StateFault) -> Connection {
    if creating { try createFile(path) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creating ? SQLITE_OPEN_CREATE : 0)
    return try open(name: path, path: path, flags: flags)
  }

  /// Opens the file at `path` for reading without a lock, and without checking for a hot journal: the caller must
  /// detect changes by other means (sqlite.org/uri.html, `immutable`).
  static func untouched(path: String) throws(StateFault) -> Connection {
    // Two slashes would begin a host's name.
    let plain = path.hasPrefix("//") ? "/" + path.drop { $0 == "/" } : path
    let escaped = plain.utf8.flatMap { byte in
      "%?#".utf8.contains(byte) ? Array("%\(String(byte, radix: 16))".utf8) : [byte]
    }
    return try open(
      name: "file:\(String(decoding: escaped, as: UTF8.self))?immutable=1", path: path,
      flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX)
  }

  /// An empty database that lives in memory; `path` is only what its faults name.
  static func inMemory(standingFor path: String) throws(StateFault) -> Connection {
    try open(name: ":memory:", path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX)
  }

  /// The length of the absolute `path`, with links followed; `nil` if SQLite can open it.
  ///
  /// The limit is 512 bytes, of which the journal's suffix takes eight (`MAX_PATHNAME` in its source).
  private static func excessiveLength(of path: String) -> Int? {
    guard let real = unsafe realpath(path.folderPath, nil) else { return nil }
    defer { unsafe free(real) }
    let length = unsafe strlen(real) + 1 + path.lastPart.utf8.count
    return length + 8 >= 512 ? Int(length) : nil
  }

  private static func open(name: String, path: String, flags: Int32) throws(StateFault) -> Connection {
    var handle: OpaquePointer?
    try SqliteLibrary.load(for: path)
    let code = unsafe sqliteshim_open(name, &handle, flags)
    guard let handle = unsafe handle else {
      throw StateFault(code: SQLITE_NOMEM, path: path, text: "out of memory")
    }
    let connection = unsafe Connection(path: path, handle: handle)
    unsafe sqliteshim_extended_result_codes(handle, 1)
    guard code == SQLITE_OK else {
      var fault = connection.fault(code)
      if let length = excessiveLength(of: path) {
        fault.text = "its path has \(length) bytes, more than SQLite takes"
      }
      throw fault
    }
    unsafe sqliteshim_busy_timeout(handle, busyMilliseconds)
    unsafe sqliteshim_limit(handle, SQLITE_LIMIT_LENGTH, longestValue)
    try connection.run(settings)
    return connection
  }

  /// The settings of every connection.
  ///
  /// - `synchronous = EXTRA`: FULL, and the folder is synced after the journal is removed. With FULL alone a
  ///   power cut can bring the journal back, and with it the state before a commit that had returned.
  /// - `cell_size_check`: damaged pages are detected when they are read.
  /// - `trusted_schema = OFF`: a manipulated schema runs no functions.
  /// - `temp_store = MEMORY`: no files beside our own.
  /// - No `mmap_size`: if another process truncates a mapped file, this process gets a fatal signal.
  /// - The journal mode stays DELETE, SQLite's default: WAL does not work on network file systems.
  private static let settings = """
    PRAGMA synchronous = EXTRA;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    """

  /// Performs statements that have no values to bind and no rows to give.
  func run(_ sql: String) throws(StateFault) {
    let code = unsafe sqliteshim_exec(handle, sql)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// The one number that `sql` asks for.
  func number(_ sql: String) throws(StateFault) -> Int64 {
    let statement = try prepare(sql)
    guard try statement.step() else { throw fault(SQLITE_CORRUPT) }
    return unsafe sqliteshim_column_int64(statement.handle, 0)
  }

  func prepare(_ sql: String) throws(StateFault) -> Statement {
    var statement: OpaquePointer?
    let code = unsafe sqliteshim_prepare(handle, sql, &statement)
    guard code == SQLITE_OK, let statement = unsafe statement else {
      throw fault(code == SQLITE_OK ? SQLITE_ERROR : code)
    }
    return unsafe Statement(handle: statement, connection: self)
  }

  /// Performs `body` all or nothing; when it returns, its changes are on the device.
  func transaction(_ body: () throws(StateFault) -> Void) throws(StateFault) {
    // IMMEDIATE takes the write lock at once: a lock taken later cannot be waited for.
    try run("BEGIN IMMEDIATE")
    do {
      try body()
      try run("COMMIT")
    } catch {
      // SQLite has already rolled back after some errors; then this call fails, which is harmless.
      _ = unsafe sqliteshim_exec(handle, "ROLLBACK")
      throw error
    }
  }

  /// SQLite's message for its last failure, with its result `code`.
  func fault(_ code: Int32) -> StateFault {
    unsafe StateFault(
      code: code, systemError: Self.involvesSystem(code) ? sqliteshim_system_errno(handle) : 0, path: path,
      text: sqliteshim_errmsg(handle).map { unsafe String(cString: $0) } ?? "")
  }

  /// Whether SQLite's note of `errno` belongs to this failure; it is never cleared.
  private static func involvesSystem(_ code: Int32) -> Bool {
    [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_READONLY, SQLITE_PERM].contains(code & 0xFF)
  }
}

/// Makes an empty file with the permissions that the umask leaves, as everything of the state folder has them: SQLite
/// would not let the group write. An existing one is not opened, since closing it would end SQLite's locks.
private func createFile(_ path: String) throws(StateFault) {
  let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
  if file >= 0 {
    close(file)
  } else if errno == EACCES || errno == EPERM || errno == EROFS {
    // The folder is what does not let it be made.
    throw .system(SystemError(errno), path: path.folderPath)
  }
}
