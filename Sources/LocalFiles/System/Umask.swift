import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The permission bits that this process withholds from new files.
enum Umask {
  /// Reads it from `/proc` if possible, since otherwise reading means setting it.
  ///
  /// Elsewhere it is set and restored, so call this before other threads create files.
  static func read() -> mode_t {
    if let known = fromProc() { return known }
    let old = umask(0o077)
    umask(old)
    return old
  }

  private static func fromProc() -> mode_t? {
    #if os(Linux)
      guard let file = try? Descriptor("/proc/self/status", in: AT_FDCWD, O_RDONLY) else { return nil }
      // It is in the second line, after the program's name of at most 64 escaped bytes.
      return unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
        let count = unsafe (try? file.read(into: buffer, at: 0)) ?? 0
        return unsafe parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    #else
      return nil
    #endif
  }

  /// The value of the line `Umask:`, which is octal.
  ///
  /// Byte by byte: every run asks, and cutting a string into lines would be a tenth of a run that has nothing to do.
  static func parse(_ status: UnsafeRawBufferPointer) -> mode_t? {
    var rest = unsafe status[...]
    while unsafe !rest.starts(with: "Umask:".utf8) {
      guard let end = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      unsafe rest = rest[(end + 1)...]
    }
    let digits = unsafe rest.dropFirst("Umask:".utf8.count).drop {
      $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ")
    }
    .prefix { $0 != UInt8(ascii: "\n") }
    guard unsafe (1...4).contains(digits.count), unsafe digits.allSatisfy({ (0x30...0x37).contains($0) })
    else {
      return nil
    }
    return unsafe digits.reduce(0) { $0 << 3 | mode_t($1 - 0x30) }
  }
}
