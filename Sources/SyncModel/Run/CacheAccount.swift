/// What a run has had from its cache, and has put there.
package struct CacheAccount: Sendable, Equatable {
  /// Bodies that came from it.
  package var hits = 0
  /// Bodies that it did not have.
  package var misses = 0
  /// Bodies that were put there.
  package var stored = 0
  /// Files with other bytes than their names say.
  package var bad = 0
  /// Failed tries to read or to write it.
  package var errors = 0

  /// How often something was wrong with it.
  package var troubles: Int { bad + errors }

  /// Nothing so far.
  package init() {}
}

/// What a cache holds, or what was removed from one.
package struct CacheContents: Sendable, Equatable {
  /// The number of files.
  package var files = 0
  /// Their bytes in all.
  package var bytes: Int64 = 0
  /// The number of records, and of other programs' values.
  package var values = 0

  /// Nothing.
  package init() {}
}

/// Why a folder is not used as a cache, or only in part.
package enum CacheFault: Error, Sendable, Equatable {
  /// It is missing, and was not to be made.
  case missing
  /// It belongs to this user, who could put anything into it.
  case belongs(to: String)
  /// The system refuses; its message.
  case system(String)
}
