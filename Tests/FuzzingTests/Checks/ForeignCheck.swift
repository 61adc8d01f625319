import ForeignManifests
import ManifestParsing
import Reporting
import SyncModel

/// Any bytes as the file of another program: a valid manifest, or a refusal with its place.
enum ForeignCheck {
  private static let context = ManifestContext { _ in nil }
  /// One for each reader that a name chooses; the first leaves it to the content.
  private static let names = [
    "list", "a.toml", ".chezmoiexternal.toml", ".chezmoiexternal.yaml", "vendir.yml", "data/a.dvc",
  ]

  static func run(_ input: [UInt8]) throws(Violation) {
    for name in names {
      switch ForeignConversion.convert(input, fileName: name, context: context, withSchema: true) {
      case .success(let conversion): try check(conversion)
      case .failure(let refusal): try check(refusal.diagnostics)
      }
    }
  }

  private static func check(_ conversion: ForeignConversion) throws(Violation) {
    let text = conversion.text
    let parse = ManifestParser.parse(Array(text.utf8), context: context)
    try demand(parse.manifest?.targets.count == conversion.targetCount, "not valid:\n\(text)")
    let marks = text.split(separator: "\n").count { $0.hasPrefix("  # not converted (") }
    try demand(marks == conversion.openCount, "\(conversion.openCount) not converted:\n\(text)")
    let isSeen = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F }
    try demand(isSeen, "a control character in\n\(text)")
    for name in conversion.environment {
      try demand(text.holds("${env:\(name):-"), "\(name) is not in\n\(text)")
    }
  }

  private static func check(_ problems: [Diagnostic]) throws(Violation) {
    try demand(!problems.isEmpty, "refused without a reason")
    for problem in problems {
      try demand(!problem.message.isEmpty && !problem.message.hasPrefix("no valid manifest"), "\(problem)")
    }
    if let harm = Harm.found(in: DiagnosticText.render(problems, style: TextStyle())) {
      throw Violation(harm)
    }
  }
}
