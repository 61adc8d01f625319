#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open file, closed exactly once.
struct Descriptor: ~Copyable, Sendable {
  /// The system's number for it; -1 after it was closed or handed over.
  private(set) var raw: Int32

  /// Takes over `raw`.
  init(owning raw: Int32) { self.raw = raw }

  /// Opens `name` in `folder`; `mode` matters only if `flags` create it.
  ///
  /// It is never inherited by child processes, and never waits for the other end of a FIFO.
  init(
    _ name: String, in folder: Int32, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) {
    raw = try call { unsafe openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK, mode) }
  }

  deinit { if raw >= 0 { _ = systemClose(raw) } }

  /// Closes it early; a second call does nothing.
  mutating func close() {
    if raw >= 0 { _ = systemClose(raw) }
    raw = -1
  }

  /// Leaves the closing to the caller.
  mutating func disown() { raw = -1 }

  /// Hands it over and leaves a closed one here.
  mutating func take() -> Descriptor {
    defer { raw = -1 }
    return Descriptor(owning: raw)
  }

  /// The bytes at `offset`, at most as many as `buffer` holds; 0 at the end.
  borrowing func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int
  {
    let raw = raw
    return try call { unsafe pread(raw, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Writes all of `bytes` at `offset`, and counts into `written` also when it fails midway.
  borrowing func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, counting written: inout Int64
  ) throws(SystemError) {
    let raw = raw
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try call { unsafe pwrite(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(done)) }
      // A file system that takes nothing and names no reason would be asked for ever.
      guard count > 0 else { throw SystemError(EIO) }
      done += count
      written += Int64(count)
    }
  }

  /// Writes all of `text` at `offset`.
  borrowing func write(_ text: String, at offset: Int64) throws(SystemError) {
    var written: Int64 = 0
    let failure: SystemError? = unsafe Array(text.utf8).withUnsafeBytes { bytes in
      do throws(SystemError) {
        try unsafe write(bytes, at: offset, counting: &written)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Cuts or extends the file to `size` bytes.
  borrowing func truncate(to size: Int64) throws(SystemError) {
    let raw = raw
    try call { ftruncate(raw, off_t(size)) }
  }

  /// Waits until the file's bytes and properties are on the disk.
  borrowing func sync() throws(SystemError) {
    let raw = raw
    try call { fsync(raw) }
  }

  /// Copies `size` bytes from the start of this file to the start of `other`.
  borrowing func copy(to other: borrowing Descriptor, size: Int64) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { unsafe buffer.deallocate() }
    var done: Int64 = 0
    while done < size {
      let part = unsafe UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<Int(min(size - done, Int64(buffer.count)))])
      let count = try unsafe read(into: part, at: done)
      // Somebody cut the file short under us.
      guard count > 0 else { throw SystemError(EIO) }
      try unsafe other.write(UnsafeRawBufferPointer(rebasing: part[..<count]), at: done, counting: &done)
    }
  }
}

/// `close` under another name, since `Descriptor` has a method that hides it.
///
/// It is not repeated after an interruption: Linux has already released the number.
private func systemClose(_ raw: Int32) -> Int32 { close(raw) }
