import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script for a shell that completes commands, options and the manifest's names.",
    discussion: """
      scripts/install installs these scripts. To install one by hand:

        syncmake completions bash > ~/.local/share/bash-completion/completions/syncmake
        syncmake completions zsh > "${fpath[1]}/_syncmake"
        syncmake completions fish > ~/.config/fish/completions/syncmake.fish
      """)

  @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"))
  var shell: CompletionShellName

  func run() { Console.out(CompletionScript.text(shell)) }
}
