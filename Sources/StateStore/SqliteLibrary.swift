import CSqliteShim

/// SQLite itself, loaded the first time that a database is opened.
enum SqliteLibrary {
  /// What is wrong, in words; `nil` once SQLite is loaded.
  private static let fault: String? = sqliteshim_load().map {
    "the library SQLite cannot be loaded: \(String(cString: $0))"
  }

  /// Loads SQLite unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads SQLite unless that is done; fails where it cannot be, naming `path`, which was to be opened.
  static func load(for path: String) throws(StateFault) {
    if let fault { throw StateFault(code: StateFault.noLibrary, path: path, text: fault) }
  }
}
