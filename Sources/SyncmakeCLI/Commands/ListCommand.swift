import ArgumentParser
import Reporting

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List targets and groups with their descriptions; use no network.",
    usage: "syncmake list [<options>]",
    discussion: """
      Matrices are expanded. The first column has the names for the command line.

      Examples:
        syncmake list          targets and groups
        syncmake list --json   for scripts
      """)

  @OptionGroup var project: ProjectOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() throws {
    var opened = try Project(project)
    try opened.expandStoredLists()
    opened.tellUnlisted()
    Console.out(
      json ? ListJSON.render(opened.manifest) : ListText.render(opened.manifest, style: opened.outStyle))
  }
}
