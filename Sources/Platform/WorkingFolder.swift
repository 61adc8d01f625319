import CSystemShim

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process's working folder, held open so that the process can return to it.
package struct WorkingFolder: ~Copyable {
  private let descriptor: Descriptor

  /// The present one; no right to list it is needed where the system allows that.
  package init() throws(SystemError) {
    descriptor = try Descriptor(".", in: AT_FDCWD, syncmake_open_folder_flags)
  }

  /// Makes it the working folder again; fails if the right to enter it was taken away.
  package borrowing func enter() throws(SystemError) {
    try call { fchdir(descriptor.raw) }
  }
}
