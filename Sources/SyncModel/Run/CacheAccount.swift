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

  /// Nothing so far.
  package init() {}

  /// Adds what another cache has done.
  package static func += (a: inout CacheAccount, b: CacheAccount) {
    a.hits += b.hits
    a.misses += b.misses
    a.stored += b.stored
    a.bad += b.bad
    a.errors += b.errors
  }
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
  /// Its path begins with `~/`, and there is no home folder.
  case noHome
  /// It belongs to this user, who could put anything into it.
  case belongs(to: String)
  /// It is in the checkout of a stranger's manifest, and may come from there.
  case ofStranger
  /// The system refuses; its message.
  case system(String)
}

/// What is wrong with a cache on a server.
package enum RemoteCacheFault: Error, Sendable, Equatable {
  /// A request brought no reply, or not all of it.
  case failed(FailureCause)
  /// An answer that means neither yes nor no.
  case status(Int)
  /// An answer to a PUT that does not say that the bytes are there now.
  case notStored(status: Int)
  /// A store that speaks S3 says why it does not do it, such as `AccessDenied`.
  case refused(status: Int, code: String)
  /// There is nothing to sign requests with.
  case noKey(StoreKeyFault)
  /// A page for people instead of a file, as a server gives that wants a login.
  case page
  /// A reply without a length, or in an encoding.
  case form
  /// The bytes are not those that were asked for.
  case otherBytes
  /// It takes too long.
  case slow
  /// So many uploads were left when the time for them was over.
  case unfinished(Int)
  /// Bodies cannot wait for their upload on this machine.
  case spool(CacheFault)
}
