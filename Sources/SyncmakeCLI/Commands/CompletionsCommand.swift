import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script for a shell that completes commands, options and the manifest's names.",
    discussion: """
      scripts/install installs these scripts. To use one without it, add its line to the shell's own file:

        eval "$(syncmake completions bash)"       # ~/.bashrc
        eval "$(syncmake completions zsh)"        # ~/.zshrc, after compinit
        syncmake completions fish | source       # ~/.config/fish/config.fish
      """)

  @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"))
  var shell: CompletionShellName

  func run() { Console.out(CompletionScript.text(shell)) }
}
