#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The permission bits that this process withholds from new files.
enum Umask {
  /// Reads it: from `/proc` where there is one, since asking the system means setting it.
  ///
  /// Elsewhere it is set and set back, so call this before other threads create files.
  static func read() -> mode_t {
    if let known = fromProc() { return known }
    let old = umask(0o077)
    umask(old)
    return old
  }

  private static func fromProc() -> mode_t? {
    #if os(Linux)
      guard let file = try? Descriptor("/proc/self/status", in: AT_FDCWD, O_RDONLY) else { return nil }
      // It stands in the second line, after the program's name of at most 64 escaped bytes.
      let text = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
        let count = (try? file.read(into: buffer, at: 0)) ?? 0
        return String(decoding: buffer[..<count], as: UTF8.self)
      }
      return parse(text)
    #else
      return nil
    #endif
  }

  /// The value of the line `Umask:`, which is octal.
  static func parse(_ status: String) -> mode_t? {
    for line in status.split(separator: "\n") where line.hasPrefix("Umask:") {
      return mode_t(line.dropFirst(6).drop { $0 == "\t" || $0 == " " }, radix: 8)
    }
    return nil
  }
}
