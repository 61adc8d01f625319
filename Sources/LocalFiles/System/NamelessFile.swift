import CSystemShim
import Platform

// Files that get their names when they are whole: a killed run leaves nothing of them (docs/decisions/0011).

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension OpenFolder {
  /// Creates a file without a name, which may get one later; fails if the system or the file system has no such
  /// files.
  func createNameless(mode: mode_t) throws(SystemError) -> Descriptor {
    Descriptor(owning: try call { syncmake_create_nameless(raw, UInt32(mode)) })
  }

  /// Gives a nameless file a name here; fails with EEXIST if the name exists.
  func name(_ file: borrowing Descriptor, _ name: String) throws(SystemError) {
    let descriptor = file.raw
    try call { unsafe syncmake_name(descriptor, raw, name) }
  }
}

extension Descriptor {
  /// Fails unless the file, which has no name, may be synced before it gets one.
  borrowing func requireKeptNameless() throws(SystemError) {
    let raw = raw
    try call { syncmake_keeps_nameless(raw) }
  }
}
