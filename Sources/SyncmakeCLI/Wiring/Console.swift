import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The two streams that a person or a script reads.
enum Console {
  /// Opens the null device for each standard stream that the caller closed.
  ///
  /// Otherwise the next opened file, such as the state or an output, would get its number, and printed text would
  /// go into that file. Call it before anything is opened. Standard output is opened for reading only, so that
  /// results without a reader are a failure, as on a full disk.
  static func holdStandardStreams() {
    for stream in 0...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number, and so this one.
      _ = unsafe open("/dev/null", stream == STDERR_FILENO ? O_RDWR : O_RDONLY)
    }
  }

  /// Results.
  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Progress, warnings and errors.
  static func err(_ text: String) { write(text, to: STDERR_FILENO) }

  static var outIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How what goes to ``out(_:)`` is to look.
  static func outStyle(_ colour: ColorChoice) -> TextStyle {
    let columns = outIsTerminal ? size(of: STDOUT_FILENO)?.columns : nil
    return TextStyle(colour: Environment.wantsColour(colour, isTerminal: outIsTerminal), width: columns)
  }

  /// How what goes to ``err(_:)`` is to look.
  static func errStyle(_ colour: ColorChoice) -> TextStyle {
    let columns = errIsTerminal ? errorSize?.columns : nil
    return TextStyle(colour: Environment.wantsColour(colour, isTerminal: errIsTerminal), width: columns)
  }

  /// Columns and rows of the terminal of `err`; `nil` if it is not a terminal.
  static var errorSize: (columns: Int, rows: Int)? { size(of: STDERR_FILENO) }

  /// A terminal without a size, for example one that a test or a job runner opened, gets the usual size.
  private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  static var errIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The `errno` of a failed write of results, except for a closed pipe; 0 if there was none.
  static var failure: Int32 { lastFailure.withLock { $0 } }

  private static let lastFailure = Monitor<Int32>(0)

  /// If a reader closes the pipe, the rest is lost; the work continues.
  private static func write(_ text: String, to descriptor: Int32) {
    let code = StreamWrite.all(text, to: descriptor)
    if code != 0, code != EPIPE, descriptor == STDOUT_FILENO { lastFailure.withLock { $0 = code } }
  }
}
