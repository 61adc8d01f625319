import Testing

@testable import SyncmakeCLI

/// The completions at each position, independent of a shell.
@Suite struct CompletionTests {
  private let program: CommandDefinition

  init() throws { program = try #require(CommandDefinition.program) }

  /// The last word is the one being completed.
  private func complete(_ words: [String]) -> Completion {
    Completion.of(words.last ?? "", after: words.dropLast(), in: program) { kind, line in
      let place = line.directories.joined(separator: "/") + (line.file.map { "@\($0)" } ?? "")
      let names = kind == .tags ? ["daily", "big"] : ["genes", "chr1", "chr2", "planets"]
      return (place.isEmpty ? names : names.map { "\($0)-\(place)" }).map { .init(text: $0) }
    }
  }

  private func texts(_ words: String...) -> [String] { complete(words).candidates.map(\.text) }

  @Test func `the first word is a command or a target`() {
    let commands = program.subcommands.map(\.name)
    #expect(texts("") == commands + ["genes", "chr1", "chr2", "planets"])
    #expect(texts("pl") == ["plan", "planets"])
    #expect(texts("-C", "x", "g") == ["graph", "genes-x"])
    // Not those that do not have the option.
    #expect(texts("-k", "g") == ["genes"])
    #expect(texts("-k", "upd") == ["update"])
  }

  @Test func `a target may follow a command, a target, or the option that names one`() {
    #expect(texts("plan", "ch") == ["chr1", "chr2"])
    #expect(texts("chr1", "") == ["genes", "chr2", "planets"])
    #expect(texts("-o", "g") == ["genes"])
    #expect(texts("-og") == ["-ogenes"])
    #expect(texts("-kog") == ["-kogenes"])
    #expect(texts("--assume-new=p") == ["--assume-new=planets"])
    #expect(texts("update", "--json", "g") == ["genes"])
    #expect(texts("--", "g") == ["genes"])
  }

  @Test func `explain accepts one target, and validate none`() {
    #expect(texts("explain", "genes", "") == [])
    #expect(texts("validate", "") == [])
  }

  @Test func `the value of an option is completed from its choices`() {
    #expect(texts("--color", "") == ["auto", "always", "never"])
    #expect(texts("--color=a") == ["--color=auto", "--color=always"])
    #expect(texts("graph", "--format", "m") == ["mermaid"])
    #expect(texts("--tag", "b") == ["big"])
    #expect(texts("-j", "") == [])
    #expect(texts("completions", "") == ["bash", "zsh", "fish"])
    #expect(texts("help", "sch") == ["schema"])
    #expect(texts("help", "schema", "") == [])
  }

  @Test func `the options of the command are offered, wherever the command is`() {
    #expect(texts("plan", "--exit-c") == ["--exit-code"])
    #expect(texts("plan", "--shards") == ["--shards"])
    #expect(texts("--shards") == [])
    #expect(texts("-C", "dir", "plan", "--exit-c") == ["--exit-code"])
    #expect(texts("--assume-o") == ["--assume-old"])
    #expect(texts("-").contains("-k"))
    #expect(texts("schema", "--") == ["--version", "--help"])
  }

  @Test func `an option is offered once, unless it may be repeated`() {
    #expect(texts("-k", "--keep") == [])
    #expect(texts("-kB", "--keep") == [])
    #expect(texts("--tag", "big", "--ta") == ["--tag"])
    #expect(texts("--", "--keep") == [])
  }

  @Test func `files and folders are left to the shell`() {
    #expect(complete(["-f", "x"]).paths == .files)
    #expect(complete(["-C", "x"]).paths == .folders)
    #expect(complete(["-C", "sub", "-f", "x"]).paths == nil)
    #expect(complete(["-C", "sub", "-f", "/x"]).paths == .files)
    #expect(complete(["-C", ""]).paths == .folders)
    let attached = complete(["--file=x"])
    #expect(attached.paths == .files && attached.prefix == "--file=" && attached.candidates.isEmpty)
    #expect(complete(["-Cx"]).prefix == "-C")
    #expect(complete(["genes", ""]).paths == nil)
  }

  @Test func `names are taken from the manifest that the line selects`() {
    #expect(texts("-C", "a", "-Cb", "--file=m.yaml", "plan", "g") == ["genes-a/b@m.yaml"])
    // An option's value is not taken for its name.
    #expect(texts("-o", "-C", "plan", "g") == ["genes"])
  }

  @Test func `too many names are reduced to common beginnings`() {
    let many = Completion(candidates: (1000..<3000).map { .init(text: "part-\($0)") })
    let few = many.limited(to: 30)
    #expect(few.candidates.map(\.text) == (10..<30).map { "part-\($0)" })
    #expect(few.areBeginnings)
    #expect(many.limited(to: 2000) == many)
    #expect(many.limited(to: 0) == many)
    let one = Completion(candidates: (0..<50).map { .init(text: "x\($0)y") }).limited(to: 5)
    #expect(one.candidates.map(\.text) == ["x"])
  }

  @Test func `the answer has a line for each word and instruction, and no word that looks like one`() {
    let completion = Completion(
      candidates: [.init(text: "a", summary: "A."), .init(text: ":folders /"), .init(text: "b")],
      paths: .files, prefix: "--file=",
      areBeginnings: true)
    #expect(CompletionAnswer.text(completion) == ":beginnings\n:files --file=\na\tA.\nb\n")
  }
}
