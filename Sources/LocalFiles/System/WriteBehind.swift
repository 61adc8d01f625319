import CSystemShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps a large file's bytes moving to the disk while it is written, and out of memory once they are there.
///
/// Left to itself the system gathers gigabytes in its page cache, which costs more processor time than digesting
/// them, and the sync that is due before the rename then waits for all of them. Small files are left alone.
struct WriteBehind {
  /// In bytes. The disk works on one stretch while the next one is filled.
  static let stretch: Int64 = 8 << 20

  /// How far the disk was told to write, and how far it has.
  private var started: Int64 = 0
  private var finished: Int64 = 0
  private var isPossible = true

  /// To be called after each write; `size` is the file's now.
  ///
  /// Throws what the disk says of bytes written before, since nobody may be told of it again.
  mutating func wrote(upTo size: Int64, _ file: borrowing Descriptor) throws(SystemError) {
    while isPossible, size - started >= Self.stretch {
      let (raw, from, earlier) = (file.raw, started, finished)
      try attempt { syncmake_start_writing(raw, from, Self.stretch) }
      if from > earlier {
        try attempt { syncmake_finish_writing(raw, earlier, from - earlier) }
        finished = started
      }
      started += Self.stretch
    }
  }

  /// The file was cut: what follows is new.
  mutating func cut(to size: Int64) {
    started = min(started, size)
    finished = min(finished, size)
  }

  /// Some systems, and some file systems, know nothing of this.
  private mutating func attempt(_ body: () -> Int32) throws(SystemError) {
    do throws(SystemError) { try call { body() } } catch {
      guard [ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL, ESPIPE].contains(error.code) else { throw error }
      isPossible = false
    }
  }
}
