import CSystemShim

/// The process's arguments, as the system passed them to `main`.
///
/// Swift's own `CommandLine.arguments` reads `/proc/self/cmdline` on Linux. Without `/proc`, as in a bare chroot,
/// that list is empty, and the program would ignore its arguments.
package enum ProcessArguments {
  /// The program's name first; `nil` if the arguments are not available, which is never so for an empty command line.
  package static func all() -> [String]? {
    var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = unsafe Int(syncmake_arguments(&values))
    guard count >= 0, let values = unsafe values else {
      // Another C library than glibc's and macOS's.
      let arguments = CommandLine.arguments
      return arguments.isEmpty ? nil : arguments
    }
    // A process may be started without even a name.
    guard count > 0 else { return nil }
    return (0..<count).compactMap { unsafe values[$0].map { unsafe String(cString: $0) } }
  }
}
