import ManifestParsing
import SyncModel

/// Any bytes as an included manifest: every problem is in one of the files, and its targets are those that it has alone.
enum IncludesCheck {
  private static let environment: @Sendable (String) -> String? = { $0 == "SET" ? "set" : nil }

  private static func context(_ input: [UInt8]) -> ManifestContext {
    var context = ManifestContext(environment: environment)
    context.included = IncludeReading(
      read: { path throws(FailureCause) in
        guard path.text == "a/m.yaml" else {
          throw .sourceUnreadable(path: path.text, .missing)
        }
        return input
      },
      find: { _ throws(FailureCause) in (try? RelativePath("a/m.yaml")).map { [$0] } ?? [] })
    return context
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    let root = """
      version: 1
      include: [a/m.yaml, "a/*.yaml"]
      targets:
        own: {url: "https://x.org/own", output: own, after: [a/t]}

      """
    let context = context(input)
    let parse = ManifestParser.parse(Array(root.utf8), context: context)
    let again = ManifestParser.parse(Array(root.utf8), context: context)
    try demand(parse.diagnostics == again.diagnostics, "two answers")
    try demand((parse.manifest == nil) == !parse.diagnostics.isEmpty, "no manifest and no problem")
    // libyaml may give the line after the last one.
    let lines = 1 + input.count { [0x0A, 0x0D, 0x85, 0xA8, 0xA9].contains($0) }
    for problem in parse.diagnostics {
      guard let span = problem.span else { continue }
      switch problem.file {
      case "syncmake.yaml": try demand((1...5).contains(span.line), "\(problem)")
      case "a/m.yaml": try demand((1...lines + 1).contains(span.line), "\(problem) in one of \(lines) lines")
      default: throw Violation("\(problem) is in no file")
      }
    }
    guard let manifest = parse.manifest else { return }
    for (index, target) in manifest.targets.enumerated() {
      try demand(target.id.index == index, "the target \(target.name) is not number \(index)")
      try demand(
        target.name.text == "own" || target.name.text.hasPrefix("a/"), "the name \(target.name)")
    }
    // It may need what is not there alone.
    guard let alone = ManifestParser.parse(input, context: ManifestContext(environment: environment)).manifest
    else { return }
    try demand(
      manifest.targets.dropLast().map { "\($0.name) \($0.path)" }
        == alone.targets.map { "a/\($0.name) a/\($0.path)" }, "other targets than alone")
    try demand(
      manifest.groups.map { "\($0.name) \($0.members)" }
        == alone.groups.map { "a/\($0.name) \($0.members)" }, "other groups than alone")
  }
}
