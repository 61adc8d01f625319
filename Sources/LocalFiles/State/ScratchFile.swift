import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file without a name for bytes that are needed until the end of one body only; it disappears with this object.
///
/// Used by one thread at a time.
package final class ScratchFile: @unchecked Sendable {
  /// The number of bytes.
  package private(set) var size: Int64 = 0
  private let file: Descriptor
  private let subject: FailureSubject

  /// An empty file in the folder for files that are being written. Throws `.stateDiskFull` or `.outputUnwritable`
  /// with a path in the state folder.
  package init(in state: StateFolder) throws(FailureCause) {
    let subject = FailureSubject.state(state.path(of: "staging"), in: state)
    self.subject = subject
    file = try subject.attempt { () throws(SystemError) in
      if let nameless = try? state.staging.createNameless(mode: 0o600) { return nameless }
      // A run that is killed between the two calls leaves the name to the next run.
      let name = StagingPlace.unusedName(in: state)
      let named = try state.staging.create(name, mode: 0o600)
      try state.staging.remove(name)
      return named
    }
  }

  /// Appends all of `bytes`; if it throws, ``size`` counts the written ones.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    try subject.attempt { () throws(SystemError) in try unsafe file.write(bytes, at: size, counting: &size) }
  }

  /// Reads at `offset` into `buffer`, which is not empty; returns how many bytes came, 0 at the end.
  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FailureCause) -> Int {
    try subject.attempt { () throws(SystemError) in try unsafe file.read(into: buffer, at: offset) }
  }
}
