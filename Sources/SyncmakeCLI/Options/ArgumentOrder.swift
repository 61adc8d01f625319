/// Lets options stand before the command, as make's and git's users write them: `syncmake -C dir plan`.
enum ArgumentOrder {
  private static let commands: Set<String> = [
    "run", "plan", "status", "validate", "explain", "graph", "clean", "schema", "help",
  ]
  /// Options that take the next argument as their value; a one-letter one may also have it attached.
  private static let takeValue: Set<String> = [
    "-C", "--directory", "-f", "--file", "--state-dir", "-j", "--jobs", "-o", "--assume-old", "-W",
    "--assume-new", "--tag", "--color", "--progress", "--format",
  ]

  /// `arguments` with the command, if the first word that is no option is one, moved to the front.
  static func commandFirst(_ arguments: [String]) -> [String] {
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      if argument == "--" { return arguments }
      guard argument.hasPrefix("-"), argument != "-" else {
        guard commands.contains(argument) else { return arguments }
        var moved = arguments
        moved.remove(at: index)
        return [argument] + moved
      }
      index += takeValue.contains(argument) ? 2 : 1
    }
    return arguments
  }
}
