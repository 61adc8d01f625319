#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder for copies of the state file, of no use to anybody else; removes itself and them.
final class PrivateFolder {
  let path: String
  private var files: [String] = []

  /// Makes it in `parent`, readable by its owner only.
  init(in parent: String) throws(StateFault) {
    var template = Array("\(parent)/syncmake-state-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw .system(path: parent) }
    path = unsafe String(cString: made)
  }

  deinit {
    // SQLite may have made or removed the journal meanwhile.
    for name in files { unsafe unlink("\(path)/\(name)") }
    unsafe unlink("\(path)/state.db-journal")
    unsafe rmdir(path)
  }

  func write(_ bytes: [UInt8], to name: String) throws(StateFault) {
    let target = "\(path)/\(name)"
    let descriptor = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(path: target) }
    files.append(name)
    defer { close(descriptor) }
    var offset = 0
    while offset < bytes.count {
      let wrote = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Self.write(descriptor, buffer, from: offset)
      }
      guard wrote > 0 else { throw .system(path: target) }
      offset += wrote
    }
  }

  private static func write(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, from offset: Int) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    while true {
      #if canImport(Darwin)
        let wrote = Darwin.write(descriptor, base + offset, buffer.count - offset)
      #else
        let wrote = unsafe Glibc.write(descriptor, base + offset, buffer.count - offset)
      #endif
      if wrote >= 0 || errno != EINTR { return wrote }
    }
  }
}
