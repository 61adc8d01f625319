import Testing

@testable import SyncmakeCLI

/// The program's definition of itself, and its uses.
@Suite struct DefinitionsTests {
  private let program: CommandDefinition

  init() throws { program = try #require(CommandDefinition.program) }

  @Test func `every command can follow options`() {
    #expect(Set(program.subcommands.map(\.name)) == ArgumentOrder.commands)
  }

  @Test func `every option with a value is known to the search for the command`() {
    let options = program.subcommands.flatMap(\.switches).filter(\.takesValue).flatMap(\.names)
    #expect(Set(options) == ArgumentOrder.takeValue)
  }

  @Test func `every one-letter option can be combined with others`() {
    let options = program.subcommands.flatMap(\.switches)
    func letters(_ kind: ParameterDefinition.Kind) -> Set<Character> {
      Set(options.filter { $0.kind == kind }.flatMap(\.names).filter { $0.count == 2 }.compactMap(\.last))
    }
    #expect(letters(.option) == Set(ArgumentOrder.lettersWithValue.keys))
    for (letter, name) in ArgumentOrder.lettersWithValue {
      #expect(options.filter { $0.names.contains("-\(letter)") }.allSatisfy { $0.names.contains(name) })
    }
    // A request for help has no other effect.
    #expect(letters(.flag).subtracting("h") == ArgumentOrder.flags)
  }

  /// Contract, section 1: the options of sections 12 to 14.
  @Test(arguments: [
    "--config", "--cache", "--remote-cache", "--cache-wait", "--shard", "--with-shared", "--untrusted",
    "--policy",
  ])
  func `a plan takes what a run takes of caches, shards and policies`(option: String) {
    for name in ["run", "plan", "outdated"] {
      #expect(program.subcommand(name)?.parameter(option) != nil, "\(name)")
    }
  }

  @Test(arguments: ["lock", "update"])
  func `what downloads shows its progress as a run does`(command: String) {
    #expect(
      program.subcommand(command)?.parameter("--progress")
        == program.subcommand("run")?.parameter("--progress"))
  }

  @Test func `every command and every option has a help text`() {
    for command in program.subcommands {
      #expect(!command.abstract.isEmpty, "\(command.name)")
      for parameter in command.parameters where command.name != "help" {
        #expect(!parameter.abstract.isEmpty, "\(command.name) \(parameter.names)")
      }
    }
  }

  @Test func `every option that takes a name from the manifest is completed from it`() {
    let parameters = program.subcommands.flatMap(\.parameters)
    for parameter in parameters where ["target", "tag"].contains(parameter.valueName) {
      let kinds: [ManifestNameKind] = parameter.valueName == "tag" ? [.tags] : [.targets, .target]
      #expect(kinds.contains { parameter.values == .names($0) }, "\(parameter)")
    }
    for parameter in parameters
    where parameter.kind != .flag && ["dir", "file"].contains(parameter.valueName) {
      #expect([.files, .folders].contains(parameter.values), "\(parameter)")
    }
  }

  @Test(arguments: [
    (
      #"{"a" : [1, -2.5e3, true, null], "b\n\"" : {}}"#,
      DumpedJSON.object([
        "a": .array([.number("1"), .number("-2.5e3"), .bool(true), .null]), "b\n\"": .object([:]),
      ])
    ),
    (#""A\/\\""#, .string("A/\\")),
    (#" [ ] "#, .array([])),
  ])
  func `a dump of the definitions is read`(text: String, value: DumpedJSON) {
    #expect(DumpedJSON(text) == value)
  }

  @Test(arguments: ["", "{", "[1,]", "{\"a\"}", "\"a", "[1] 2", "nothing", "{\"a\": \"\\u12\"}"])
  func `anything but JSON is refused`(text: String) { #expect(DumpedJSON(text) == nil) }
}
