import ManifestParsing
import SyncModel

/// The text of a manifest that is made of a foreign file: targets, and comments for what is not converted.
///
/// The manifest's parser decides what is valid. A target that it refuses becomes a comment, with its reason.
struct ManifestDraft {
  private struct Part {
    var line: Int
    var addition: TargetAddition?
    var comments: [String]
    /// Why the parser refuses it; `nil` if it does not.
    var refusal: String?
  }

  private let head: String
  private var parts: [Part] = []
  private(set) var environment: [String] = []
  private(set) var usesBase = false

  /// `fileName`: of the foreign file.
  init(_ manifest: ForeignManifest, _ kind: ForeignKind, fileName: String, withSchema: Bool) {
    var maker = ForeignAddition()
    for item in manifest.items {
      switch item {
      case .remark(let line, let what, let why):
        parts.append(Part(line: line, comments: ["not converted (line \(line)): \(what): \(why)"]))
      case .target(let target):
        let (addition, comments) = maker.addition(target)
        parts.append(
          Part(
            line: target.refusal?.line ?? target.line, addition: addition, comments: comments,
            refusal: target.refusal?.why))
      }
    }
    environment = maker.secrets.all
    usesBase = maker.usesBase
    head = FirstManifest.head(withSchema: withSchema) + Self.head(kind, fileName, maker.usesBase)
  }

  private static func head(_ kind: ForeignKind, _ fileName: String, _ usesBase: Bool) -> String {
    var text = """
      # Written by `syncmake init --from` from \(Shown.clean(fileName)), \(kind.name).
      # "not converted" marks what syncmake cannot do, or does in another way; lines are those of that file.
      version: 1


      """
    guard usesBase else { return text }
    text += """
      # Fill this in, without a slash at its end: \(kind.name) does not say where its files are.
      vars:
        \(ForeignAddition.base): https://fill-this-in.invalid


      """
    return text
  }

  /// The number of targets in the text.
  var targetCount: Int { parts.count { $0.addition != nil && $0.refusal == nil } }

  /// How many comments say that something is not converted.
  var openCount: Int {
    parts.reduce(0) { count, part in
      count + (part.refusal == nil ? 0 : 1) + part.comments.count { $0.hasPrefix("not converted") }
    }
  }

  /// The manifest's text, after the parser has accepted it; `nil` if it accepts none, which is a mistake of ours.
  mutating func validText(_ context: ManifestContext) -> String? {
    while true {
      var starts: [Int] = []
      let text = text(&starts)
      let parse = ManifestParser.parse(Array(text.utf8), context: context)
      guard parse.manifest == nil else { return text }
      var refused = false
      for problem in parse.diagnostics {
        guard let line = problem.span?.line, let place = Self.last(in: starts, notAfter: line),
          parts[place].addition != nil, parts[place].refusal == nil
        else { continue }
        parts[place].refusal = problem.message
        refused = true
      }
      guard refused else { return nil }
    }
  }

  /// The place of the last number that is not after `line`; they are in order.
  private static func last(in starts: [Int], notAfter line: Int) -> Int? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= line { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// `starts` gets the line at which each part begins.
  private func text(_ starts: inout [Int]) -> String {
    var lines = targetCount > 0 ? ["targets:"] : ["targets: {}"]
    let before = head.utf8.count { $0 == 0x0A }
    for (index, part) in parts.enumerated() {
      if index > 0, part.addition != nil || parts[index - 1].addition != nil { lines.append("") }
      starts.append(before + lines.count + 1)
      lines += part.comments.map { "  # \(Shown.clean($0))" }
      guard let addition = part.addition else { continue }
      if let refusal = part.refusal {
        lines.append("  # not converted (line \(part.line)): \(Shown.clean(refusal))")
        lines += addition.text.map { "  # \(Shown.clean(String($0.dropFirst(2)), longest: .max))" }
      } else {
        lines += addition.text
      }
    }
    return head + lines.joined(separator: "\n") + "\n"
  }
}
