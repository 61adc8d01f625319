import Foundation
import SyncTestSupport
import Testing

/// A manifest, and shells that complete command lines beside it.
struct CompletionWorld {
  let folder: TemporaryFolder
  private let home: TemporaryFolder
  private let program: String

  init() throws {
    program = try #require(SyncmakeProgram.path, "the program is not built")
    folder = try TemporaryFolder()
    home = try TemporaryFolder()
    try folder.write(
      #"""
      version: 1
      targets:
        genes: {url: source/a, output: genes, tags: [daily, two words, "semi;touch x", 'back\slash']}
        planets: {url: source/b, output: planets, tags: [k=v, "ns:x", "ns:y", it's, 'run$$(touch x)!"y']}
        chr${c}: {matrix: {c: [1..3]}, url: "source/c${c}", output: "chr${c}"}
      groups: {all-chr: [chr1, chr2]}

      """#, to: "syncmake.yaml")
    try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: true)
    try folder.write("version: 1\ntargets: {other: {url: a, output: b}}\n", to: "sub/syncmake.yaml")
    try folder.write("version: 1\ntargets: {there: {url: a, output: b}}\n", to: "odd=name.yaml")
    try FileManager.default.createDirectory(atPath: folder.path("y z"), withIntermediateDirectories: true)
    try folder.write("", to: "y z/in.yaml")
  }

  static func has(_ shell: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  var environment: [String: String] {
    [
      "PATH":
        "\((program as NSString).deletingLastPathComponent):/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin",
      "HOME": home.path, "TERM": "dumb", "LC_ALL": "C",
    ]
  }

  func run(_ arguments: [String]) throws -> ProcessResult {
    try runProcess(program, arguments, environment: environment, currentDirectory: folder.path)
  }

  /// The function's `COMPREPLY` for these words after the program's name, the last one under the cursor.
  func bash(_ words: [String]) throws -> [String] {
    let script = #"""
      set -u
      source <(syncmake completions bash)
      COMP_WORDS=(syncmake "$@") COMP_CWORD=$# COMP_LINE=syncmake last=' '
      # As the words were typed: the signs that bash takes for words have no blanks beside them.
      for word; do
        [[ $word == [=:] || $last == [=:] ]] || COMP_LINE+=' '
        COMP_LINE+=$word last=$word
      done
      COMP_POINT=${#COMP_LINE}
      _syncmake syncmake "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || exit
      [[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
      """#
    return try lines("/usr/bin/env", ["bash", "-c", script, "bash"] + words)
  }

  /// Candidates with their descriptions.
  func fish(_ line: String) throws -> [String] {
    let script = "source (syncmake completions fish | psub); complete -C $argv"
    return try lines("/usr/bin/env", ["fish", "--no-config", "-c", script, line])
  }

  /// Each line in the editor after the tab key.
  func zsh(_ typed: [String]) throws -> [String] {
    // The mark is broken in two, so that the terminal's echo of the script does not show it.
    try home.write(
      #"""
      PS1= PS2= RPS1=
      autoload -Uz compinit
      compinit -u -D
      source <(syncmake completions zsh)
      tell() { print -r -- "LI""NE<$BUFFER>"; BUFFER= }
      zle -N tell
      bindkey '^Xt' tell
      print REA''DY

      """#, to: "setup.zsh")
    let script = #"""
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "source $HOME/setup.zsh"
      zpty -r shell out '*READY*' || exit
      for line in "$@"; do
        zpty -w -n shell "$line"$'\t\C-xt'
        zpty -r shell out $'*LINE<*>*' || exit
        print -r -- "${${out##*LINE<}%%>*}"
      done
      zpty -d shell
      """#
    return try lines("/usr/bin/env", ["zsh", "-f", "-c", script, "zsh"] + typed)
  }

  private func lines(_ executable: String, _ arguments: [String]) throws -> [String] {
    let ended = try runProcess(
      executable, arguments, environment: environment, currentDirectory: folder.path, timeoutSeconds: 60)
    #expect(ended.status == 0 && ended.stderr == "", "\(ended)")
    return ended.stdout.split(separator: "\n").map(String.init)
  }
}
