import LocalFiles
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
  /// Else the next file that is opened, such as the state's or an output's, would take its number, and what is
  /// printed would be written into that file. Call before anything is opened.
  /// Standard output is opened for reading only: results that nobody gets are a failure, as on a full disk.
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

  /// Columns and rows of the terminal that `err` goes to; `nil` when it is none.
  static var errorSize: (columns: Int, rows: Int)? { size(of: STDERR_FILENO) }

  /// A terminal that nobody gave a size, such as one that a test or a job runner opened, is taken as a usual one.
  private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  static var errIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Why results could not be written, other than that nobody reads them; 0 where all could.
  static var failure: Int32 { lastFailure.withLock { $0 } }

  private static let lastFailure = Monitor<Int32>(0)

  /// A reader that went away loses the rest; the work goes on.
  private static func write(_ text: String, to descriptor: Int32) {
    let code = StreamWrite.all(text, to: descriptor)
    if code != 0, code != EPIPE, descriptor == STDOUT_FILENO { lastFailure.withLock { $0 = code } }
  }
}
