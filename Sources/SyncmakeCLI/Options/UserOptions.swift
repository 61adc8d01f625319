import ArgumentParser

/// The user's configuration.
struct UserOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The user's configuration; off: use none (default: syncmake/config.yaml in XDG_CONFIG_HOME, or in ~/.config).",
      valueName: "file"),
    completion: .file())
  var config: String?

  func validate() throws {
    if config == "" { throw ValidationError("--config needs a file's name") }
  }
}
