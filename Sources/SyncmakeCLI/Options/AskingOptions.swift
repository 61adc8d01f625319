import ArgumentParser

/// How to request a URL from the command line.
struct AskingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Send this header to the URL's own origin; may be repeated. ${env:NAME} and ${secret:NAME} are replaced.",
      valueName: "name: value"))
  var header: [String] = []

  @Flag(name: .shortAndLong, help: "Print each request and its status.")
  var verbose = false

  @OptionGroup var user: UserOptions
  @OptionGroup var trust: PolicyOptions

  /// Names and values as a manifest has them.
  var headers: [(name: String, value: String)] {
    header.compactMap { header in
      guard let colon = header.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = header[colon...].dropFirst().drop { $0 == " " }
      return (String(header[..<colon]), String(value))
    }
  }

  func validate() throws {
    for header in header where !header.utf8.contains(UInt8(ascii: ":")) {
      throw ValidationError("the value of --header must be 'Name: value', not '\(header)'")
    }
  }
}
