/// A fenced block of a Markdown file.
struct ReadmeBlock {
  /// The text after the opening fence.
  var language: String
  var lines: [String]

  /// Every block of `text`, in order.
  static func all(in text: String) -> [ReadmeBlock] {
    var blocks: [ReadmeBlock] = []
    var open: ReadmeBlock?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(block) }
        open = open == nil ? ReadmeBlock(language: String(line.dropFirst(3)), lines: []) : nil
      } else {
        open?.lines.append(line)
      }
    }
    return blocks
  }

  /// A command of a `console` block, and its documented output.
  struct Command {
    var line: String
    var output: [String]
  }

  /// The lines after `$ `, each with the lines up to the next one.
  var commands: [Command] {
    lines.reduce(into: []) { commands, line in
      if line.hasPrefix("$ ") {
        commands.append(Command(line: String(line.dropFirst(2)), output: []))
      } else if !commands.isEmpty {
        commands[commands.count - 1].output.append(line)
      }
    }
  }
}
