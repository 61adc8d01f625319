import Platform

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
    do throws(SystemError) {
      let file = try Descriptor(target, in: AT_FDCWD, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      files.append(name)
      try file.write(bytes)
    } catch {
      throw .system(error, path: target)
    }
  }
}
