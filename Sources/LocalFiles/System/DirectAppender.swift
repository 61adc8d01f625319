import CSystemShim
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Appends to a file, and keeps a large one's bytes out of the system's page cache.
///
/// Left to itself the system gathers gigabytes there, which costs more processor time than digesting them, and the
/// sync that is due before the rename then waits for all of them. So from ``directFrom`` on whole pages go
/// straight to the disk (`O_DIRECT`, open(2)); what cannot, on a system or a file system that knows nothing of
/// it, is sent on its way stretch by stretch while the next one is filled. Small files are left alone.
struct DirectAppender {
  /// In bytes. The disk works on one stretch while the next one is filled.
  static let stretch: Int64 = 8 << 20
  /// In bytes. A smaller file may be read soon, and needs few pages.
  static let directFrom: Int64 = 8 << 20
  /// In bytes: the alignment of memory and offsets for direct writes. Every disk's block size divides it.
  static let page = 4096

  /// How far the disk was told to write, and how far it has written.
  private var started: Int64 = 0
  private(set) var finished: Int64 = 0
  private var canWriteBehind = true
  private var canWriteDirectly: Bool
  /// The number of bytes that bypassed the page cache.
  private(set) var directBytes: Int64 = 0

  /// For an empty file; `writesDirectly` is `false` to use the fallback.
  init(writesDirectly: Bool = true) { canWriteDirectly = writesDirectly }

  /// Appends all of `pieces` to `file`, whose size is `size`, and updates `size` even if it fails midway.
  ///
  /// Several whole pages are one write. Also throws errors for bytes written before, since the system may not
  /// report them again.
  mutating func append(
    _ pieces: [UnsafeRawBufferPointer], to file: borrowing Descriptor, size: inout Int64
  ) throws(SystemError) {
    let before = size
    let whole = unsafe pieces.prefix { unsafe Self.isWholePages($0) }
    if canWriteDirectly, unsafe !whole.isEmpty, size >= Self.directFrom, size % Int64(Self.page) == 0 {
      try unsafe writeDirectly(whole, to: file, size: &size)
    }
    var done = Int(size - before)
    for place in unsafe pieces.indices {
      let piece = unsafe pieces[place]
      let rest = unsafe UnsafeRawBufferPointer(rebasing: piece.dropFirst(done))
      done -= piece.count - rest.count
      guard unsafe !rest.isEmpty else { continue }
      try unsafe file.write(rest, at: size, counting: &size)
      try sendOn(file, upTo: size)
    }
  }

  /// The file was cut: what follows is new.
  mutating func cut(to size: Int64) {
    started = min(started, size)
    finished = min(finished, size)
  }

  // MARK: Past the page cache

  private static func isWholePages(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count % page == 0 && UInt(bitPattern: bytes.baseAddress) % UInt(page) == 0
  }

  /// Leaves the rest of the bytes to the page cache if the system does not support direct writes.
  private mutating func writeDirectly(
    _ pieces: ArraySlice<UnsafeRawBufferPointer>, to file: borrowing Descriptor, size: inout Int64
  ) throws(SystemError) {
    let (raw, offset) = (file.raw, size)
    guard syncmake_set_direct(raw, 1) == 0 else {
      canWriteDirectly = false
      return
    }
    // Reads through this descriptor need not be page-aligned.
    defer { _ = syncmake_set_direct(raw, 0) }
    let vectors = unsafe pieces.map {
      unsafe iovec(iov_base: .init(mutating: $0.baseAddress), iov_len: $0.count)
    }
    do throws(SystemError) {
      let count = Int64(
        try callForSize { unsafe syncmake_write_pieces(raw, vectors, Int32(vectors.count), offset) })
      size += count
      directBytes += count
    } catch {
      guard error.code == EINVAL else { throw error }
      canWriteDirectly = false
    }
    started = max(started, size)
    finished = max(finished, size)
  }

  // MARK: Through it

  private mutating func sendOn(_ file: borrowing Descriptor, upTo size: Int64) throws(SystemError) {
    while canWriteBehind, size - started >= Self.stretch {
      let (raw, from, earlier) = (file.raw, started, finished)
      try attempt { syncmake_start_writing(raw, from, Self.stretch) }
      if from > earlier {
        try attempt { syncmake_finish_writing(raw, earlier, from - earlier) }
        finished = started
      }
      started += Self.stretch
    }
  }

  /// Some systems, and some file systems, know nothing of this.
  private mutating func attempt(_ body: () -> Int32) throws(SystemError) {
    do throws(SystemError) { try call { body() } } catch {
      guard error.isUnsupported || error.code == ESPIPE else { throw error }
      canWriteBehind = false
    }
  }
}
