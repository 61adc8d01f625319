import Foundation
import SyncTestSupport
import Testing

/// Real shells complete command lines by the scripts that the program prints.
@Suite(.waits) struct ShellCompletionTests {
  /// A folder with a manifest, and a home folder for each shell.
  private let world: CompletionWorld

  init() throws { world = try CompletionWorld() }

  @Test(arguments: [
    (["pl"], ["plan", "planets"]),
    (["plan", "--exit-c"], ["--exit-code"]),
    (["-o", "g"], ["genes"]),
    (["update", "all-c"], ["all-chr"]),
    (["plan", "chr"], ["chr1", "chr2", "chr3"]),
    (
      ["--tag", ""],
      [
        "daily", "k=v", "ns:x", "ns:y", #"two\ words"#, #"semi\;touch\ x"#, #"back\\slash"#, #"it\'s"#,
        #"run\$\(touch\ x\)\!\"y"#,
      ]
    ),
    (["--tag", #"two\ w"#], [#"two\ words"#]),
    (["--tag", "'tw"], ["two words"]),
    // What an open quote leaves special, and what follows one, is quoted.
    (["--tag", "\"run"], [#"run\$(touch x)"\!"\"y"#]),
    (["--tag", "=", "\"run"], [#"run\$(touch x)"\!"\"y"#]),
    (["--tag", #""run\$(touch x)"\!"\""#], [#"\"y"#]),
    (["--tag", "'run"], [#"run$(touch x)!"y"#]),
    (["--tag", #""ru"n"#], [#"run\$\(touch\ x\)\!\"y"#]),
    (["--tag", "\"back"], [#"back\\slash"#]),
    (["--tag", "'it"], [#"it'\''s"#]),
    (["--tag", #"it\'"#], [#"it\'s"#]),
    (["--tag", "=", "tw"], [#"two\ words"#]),
    // As bash splits a word.
    (["--color", "=", "a"], ["auto", "always"]),
    (["--color", "="], ["auto", "always", "never"]),
    (["-f", "syn"], ["syncmake.yaml"]),
    (["--tag", "=", "k", "="], ["v"]),
    (["--tag", "ns", ":"], ["x", "y"]),
    (["--tag", "ns", ":", "y"], ["y"]),
    (["-f", "odd", "=", "na"], ["name.yaml"]),
    (["-f", "odd", "=", "name.yaml", "plan", "th"], ["there"]),
    (["--file", "=", "syn"], ["syncmake.yaml"]),
    (["-C", "sub"], ["sub/"]),
    (["-Csub"], ["-Csub/"]),
    (["-C", "sub", "plan", "o"], ["other"]),
    (["-C", "\"sub\"", "plan", "o"], ["other"]),
    (["-C", "nowhere", "plan", ""], []),
    (["xyz"], []),
  ]) func `bash`(words: [String], expected: [String]) throws {
    let found = try world.bash(words)
    #expect(Set(found) == Set(expected))
  }

  @Test(.enabled(if: CompletionWorld.has("zsh"), "zsh is not installed"))
  func `zsh`() throws {
    let lines = [
      "syncmake pla", "syncmake -o g", "syncmake --color=al", "syncmake -f sy", "syncmake -C s",
      "syncmake --file=sy", "syncmake plan --exit-c", "syncmake --tag d", "syncmake -C sub plan o",
      "syncmake --tag tw", "syncmake --tag back", "syncmake xyz", #"syncmake --tag="da"#,
      "syncmake --tag='da", #"syncmake --file="sy"#, #"syncmake graph --format="m"#, "syncmake -n pla",
      "syncmake ch", #"syncmake --tag "run"#, "syncmake --tag 'it",
    ]
    #expect(
      try world.zsh(lines) == [
        "syncmake plan", "syncmake -o genes ", "syncmake --color=always ", "syncmake -f syncmake.yaml ",
        "syncmake -C sub/", "syncmake --file=syncmake.yaml ", "syncmake plan --exit-code ",
        "syncmake --tag daily ", "syncmake -C sub plan other ", #"syncmake --tag two\ words "#,
        #"syncmake --tag back\\slash "#, "syncmake xyz", "syncmake --tag=daily ", "syncmake --tag=daily ",
        "syncmake --file=syncmake.yaml ", "syncmake graph --format=mermaid ", "syncmake -n planets ",
        "syncmake chr", #"syncmake --tag "run\$(touch x)\!\"y" "#, #"syncmake --tag 'it'\''s' "#,
      ])
  }

  @Test(
    .enabled(if: CompletionWorld.has("fish"), "fish is not installed"),
    arguments: [
      ("syncmake pl", ["plan\tShow what a run would do; write nothing.", "planets"]),
      ("syncmake -o g", ["genes"]),
      ("syncmake update all", ["all-chr\tgroup"]),
      ("syncmake --color=a", ["--color=always", "--color=auto"]),
      ("syncmake --file=sy", ["--file=syncmake.yaml"]),
      ("syncmake -C ", ["sub/", "y z/"]),
      (#"syncmake -f y\ z/"#, ["y z/in.yaml"]),
      ("syncmake --tag ns:", ["ns:x", "ns:y"]),
      ("syncmake -C sub plan o", ["other"]),
      ("syncmake --tag d", ["daily"]),
      (#"syncmake --tag="d"#, ["--tag=daily"]),
      (#"syncmake explain "g"#, ["genes"]),
      ("syncmake explain all", []),
      ("syncmake xyz", []),
    ]) func `fish`(line: String, expected: [String]) throws
  {
    #expect(Set(try world.fish(line)) == Set(expected))
  }

  @Test func `an invalid manifest causes no message`() throws {
    for text in ["{", "targets: [", "\u{0}", "version: 9\ntargets: {genes: {ulr: x}}\n"] {
      try world.folder.write(text, to: "syncmake.yaml")
      let ended = try world.run(["__complete", "500", "g", "plan"])
      #expect(ended.status == 0 && ended.stderr == "")
      #expect(ended.stdout == (text.hasPrefix("version") ? "genes\n" : ""))
    }
    #expect(!world.folder.exists(".syncmake"))
  }

  @Test func `a manifest that is a pipe is not read by completion`() throws {
    #expect(mkfifo(world.folder.path("pipe"), 0o600) == 0)
    let ended = try world.run(["__complete", "500", "g", "-f", "pipe", "plan"])
    #expect(ended.status == 0 && !ended.timedOut && ended.stdout == "")
  }

  @Test func `bash shows common beginnings if there are too many names`() throws {
    let names = (10_000..<12_000).map { "  part-\($0): {url: \"file:p\($0)\", output: o\($0)}\n" }
    try world.folder.write("version: 1\ntargets:\n" + names.joined(), to: "syncmake.yaml")
    #expect(try world.bash(["plan", "part-1"]).sorted() == (1000..<1200).map { "part-\($0)" })
    #expect(try world.bash(["plan", "part-1199"]).count == 10)
  }

  @Test func `an unknown shell is a wrong command line`() throws {
    let ended = try world.run(["completions", "tcsh"])
    #expect(ended.status == 64 && ended.stdout == "")
    #expect(ended.stderr.contains("'bash', 'zsh' or 'fish'"))
  }
}
