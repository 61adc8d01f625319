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
  static func holdStandardStreams() {
    var descriptor = open("/dev/null", O_RDWR)
    while (0...STDERR_FILENO).contains(descriptor) { descriptor = open("/dev/null", O_RDWR) }
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Results.
  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Progress, warnings and errors.
  static func err(_ text: String) { write(text, to: STDERR_FILENO) }

  static var outIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How what goes to ``out(_:)`` is to look.
  static func outStyle(_ colour: ColorChoice) -> TextStyle {
    let columns = outIsTerminal ? size(of: STDOUT_FILENO)?.columns : nil
    return TextStyle(colour: Surroundings.wantsColour(colour, isTerminal: outIsTerminal), width: columns)
  }

  /// How what goes to ``err(_:)`` is to look.
  static func errStyle(_ colour: ColorChoice) -> TextStyle {
    let columns = errIsTerminal ? errorSize?.columns : nil
    return TextStyle(colour: Surroundings.wantsColour(colour, isTerminal: errIsTerminal), width: columns)
  }

  /// Columns and rows of the terminal that `err` goes to; `nil` when it is none.
  static var errorSize: (columns: Int, rows: Int)? { size(of: STDERR_FILENO) }

  private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
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
