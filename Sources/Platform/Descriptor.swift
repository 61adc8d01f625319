#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// An open file, closed exactly once.
package struct Descriptor: ~Copyable, Sendable {
  /// The system's number for it; -1 after it was closed or handed over.
  package private(set) var raw: Int32

  /// Takes over `raw`.
  package init(owning raw: Int32) { self.raw = raw }

  /// Opens `name` in `folder`; `mode` matters only if `flags` create it.
  ///
  /// It is never inherited by child processes, and never waits for the other end of a FIFO.
  package init(
    _ name: String, in folder: Int32, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) {
    raw = try call { unsafe openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK, mode) }
  }

  deinit { if raw >= 0 { _ = systemClose(raw) } }

  /// Closes it early; a second call does nothing.
  package mutating func close() {
    if raw >= 0 { _ = systemClose(raw) }
    raw = -1
  }

  /// Closes it early, and throws what the system says only then; a second call does nothing.
  package mutating func finish() throws(SystemError) {
    let old = raw
    raw = -1
    if old >= 0, systemClose(old) != 0, errno != EINTR { throw SystemError(errno) }
  }

  /// Leaves the closing to the caller.
  package mutating func disown() { raw = -1 }

  /// Hands it over and leaves a closed one here.
  package mutating func take() -> Descriptor {
    defer { raw = -1 }
    return Descriptor(owning: raw)
  }

  /// The bytes at `offset`, at most as many as `buffer` holds; 0 at the end.
  package borrowing func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64)
    throws(SystemError) -> Int
  {
    let raw = raw
    return try callForSize { unsafe pread(raw, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Writes all of `bytes` at `offset`, and counts into `written` also when it fails midway.
  package borrowing func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, counting written: inout Int64
  ) throws(SystemError) {
    let raw = raw
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try callForSize {
        unsafe pwrite(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      }
      // Without this check, a file system that writes nothing without an error would cause an endless loop.
      guard count > 0 else { throw SystemError(EIO) }
      done += count
      written += Int64(count)
    }
  }

  /// Writes all of `bytes` at `offset`.
  package borrowing func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(SystemError) {
    var written: Int64 = 0
    let failure: SystemError? = unsafe bytes.withUnsafeBytes { bytes in
      do throws(SystemError) {
        try unsafe write(bytes, at: offset, counting: &written)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// The whole file, but no more than `limit` bytes: ask for one byte more than you take, to see a longer file.
  package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8] {
    try read(upTo: min(limit, Int(clamping: try FileStatus(self).signature.size)), at: 0, limit: limit)
  }

  /// `count` bytes from `offset` on; fewer only where the file ends.
  package borrowing func read(upTo count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    try read(upTo: count, at: offset, limit: count)
  }

  /// Makes room for `expected` bytes and reads on to the end or to `limit`, for a file that grew.
  private borrowing func read(upTo expected: Int, at offset: Int64, limit: Int) throws(SystemError) -> [UInt8]
  {
    var bytes: [UInt8] = []
    var (room, isEnd) = (expected, false)
    while !isEnd, bytes.count < limit {
      var failure: SystemError?
      let start = offset + Int64(bytes.count)
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        do throws(SystemError) {
          count = try unsafe fill(UnsafeMutableRawBufferPointer(buffer), at: start)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      isEnd = piece.count < room
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      room = min(limit - bytes.count, 64 << 10)
    }
    return bytes
  }

  /// Reads until `buffer` is full or the file ends.
  private borrowing func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError)
    -> Int
  {
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try unsafe read(into: rest, at: offset + Int64(filled))
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Hands out a file's or a pipe's bytes in blocks, up to the end or until `body` wants no more.
  package borrowing func readBlocks(_ body: (UnsafeRawBufferPointer) -> Bool) throws(SystemError) {
    let raw = raw
    let failure: SystemError? = unsafe withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 64) {
      block in
      do throws(SystemError) {
        while true {
          let count = try callForSize { unsafe systemRead(raw, block) }
          guard count > 0, unsafe body(UnsafeRawBufferPointer(rebasing: block[..<count])) else { return nil }
        }
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Sets the permission bits, set-id and sticky bit, without regard to the umask.
  package borrowing func setMode(_ mode: mode_t) throws(SystemError) {
    let raw = raw
    try call { fchmod(raw, mode) }
  }

  /// Gives it to a group; its owner may name only groups that he belongs to.
  package borrowing func setGroup(_ group: gid_t) throws(SystemError) {
    let raw = raw
    try call { fchown(raw, uid_t.max, group) }
  }

  /// Cuts or extends the file to `size` bytes.
  package borrowing func truncate(to size: Int64) throws(SystemError) {
    let raw = raw
    try call { ftruncate(raw, off_t(size)) }
  }

  /// Waits until the file's bytes and properties are on the disk.
  package borrowing func sync() throws(SystemError) {
    let raw = raw
    #if canImport(Darwin)
      // There `fsync` does not wait for the drive. Some file systems know only that one.
      if fcntl(raw, F_FULLFSYNC) == 0 { return }
    #endif
    try call { fsync(raw) }
  }

  /// Copies `size` bytes from the start of this file to the start of `other`.
  package borrowing func copy(to other: borrowing Descriptor, size: Int64) throws(SystemError) {
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

private func systemRead(_ raw: Int32, _ block: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(raw, block.baseAddress, block.count)
}
