import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script that lets a shell complete commands, options and the manifest's names.",
    discussion: """
      scripts/install puts them where the shells look. By hand:

        syncmake completions bash > ~/.local/share/bash-completion/completions/syncmake
        syncmake completions zsh > "${fpath[1]}/_syncmake"
        syncmake completions fish > ~/.config/fish/completions/syncmake.fish
      """)

  @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"))
  var shell: CompletionShellName

  func run() { Console.out(CompletionScript.text(shell)) }
}
