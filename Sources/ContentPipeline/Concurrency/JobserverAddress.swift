/// The place of a surrounding make's tokens (GNU make's manual, "POSIX Jobserver Interaction").
package enum JobserverAddress: Sendable, Equatable {
  /// Two open descriptors of one pipe.
  case pipe(read: Int32, write: Int32)
  /// A named pipe; make 4.4 and later.
  case fifo(path: String)

  /// The address in `MAKEFLAGS`, by its last word; `nil` if there is none, or none that can be used.
  package init?(makeFlags: String) {
    var found: JobserverAddress?
    for word in makeFlags.split(separator: " ") {
      // Variables follow, whose values may look like anything.
      if word == "--" { break }
      for name in ["--jobserver-auth=", "--jobserver-fds="] where word.hasPrefix(name) {
        found = JobserverAddress(value: word.dropFirst(name.count))
      }
    }
    guard let found else { return nil }
    self = found
  }

  private init?(value: Substring) {
    if value.hasPrefix("fifo:") {
      self = .fifo(path: String(value.dropFirst(5)))
      return
    }
    let numbers = value.split(separator: ",", omittingEmptySubsequences: false).map { Int32($0) }
    // make writes -2 for a rule that is not recursive.
    guard numbers.count == 2, let read = numbers[0], let write = numbers[1], read >= 0, write >= 0 else {
      return nil
    }
    self = .pipe(read: read, write: write)
  }
}
