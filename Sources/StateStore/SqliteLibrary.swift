import CSqliteShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// SQLite itself, loaded the first time that a database is opened.
enum SqliteLibrary {
  /// The fault in words; `nil` once SQLite is loaded.
  private static let fault: String? = unsafe sqliteshim_load().map {
    unsafe "the library SQLite cannot be loaded: \(String(cString: $0))"
  }

  /// Loads SQLite unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads SQLite unless it is loaded; fails if it cannot be, naming `path`, which was to be opened.
  static func load(for path: String) throws(StateFault) {
    guard let fault else { return }
    // The loader returns only text; another open shows whether too many files are open.
    let probe = unsafe open("/", O_RDONLY | O_CLOEXEC)
    let number = probe < 0 ? errno : 0
    if probe >= 0 { close(probe) }
    throw StateFault(code: StateFault.noLibrary, systemError: number, path: path, text: fault)
  }
}
