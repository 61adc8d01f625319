import CSqliteShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// SQLite itself, loaded the first time that a database is opened.
enum SqliteLibrary {
  /// What is wrong, in words; `nil` once SQLite is loaded.
  private static let fault: String? = unsafe sqliteshim_load().map {
    unsafe "the library SQLite cannot be loaded: \(String(cString: $0))"
  }

  /// Loads SQLite unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads SQLite unless that is done; fails where it cannot be, naming `path`, which was to be opened.
  static func load(for path: String) throws(StateFault) {
    guard let fault else { return }
    // The loader has words only; whether they tell of too many open files, another open shows.
    let probe = unsafe open("/", O_RDONLY | O_CLOEXEC)
    let number = probe < 0 ? errno : 0
    if probe >= 0 { close(probe) }
    throw StateFault(code: StateFault.noLibrary, systemError: number, path: path, text: fault)
  }
}
