import ManifestParsing
import SyncModel

/// Any bytes as a file of rows: how they are cut into blocks makes no difference, and every problem is in a line of them.
enum RowsCheck {
  private static func parse(_ input: [UInt8], _ format: String, block: Int) -> ManifestParse {
    var context = ManifestContext { _ in nil }
    context.rowFiles = unsafe RowFileReading { _, body throws(FailureCause) in
      unsafe input.withUnsafeBytes { bytes in
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty, unsafe body(UnsafeRawBufferPointer(rebasing: rest.prefix(block))) {
          unsafe rest = rest.dropFirst(block)
        }
      }
    }
    let text = """
      version: 1
      targets:
        t/${id}: {matrix: {rows: f.\(format)}, url: "https://x.org/${id}", output: "o/${name}", tags: ["${id}"]}

      """
    return ManifestParser.parse(Array(text.utf8), context: context)
  }

  /// One check for each format: the inputs that teach one about its reader say nothing of the other.
  static let all = ["tsv", "ndjson"].map { format in
    FuzzCheck(name: "rows-\(format)") { input throws(Violation) in try run(input, format) }
  }

  private static func run(_ input: [UInt8], _ format: String) throws(Violation) {
    let lines = 1 + input.count { $0 == 0x0A }
    let parse = parse(input, format, block: 1 << 16)
    // A second size of blocks for each input, and not all of them: more inputs are tried in the same time.
    let block = 1 + input.count % 4
    let other = self.parse(input, format, block: block)
    try demand(parse.diagnostics == other.diagnostics, "other problems in blocks of \(block)")
    try demand(shown(parse) == shown(other), "other targets in blocks of \(block)")
    try demand(parse.manifest?.rowFiles == other.manifest?.rowFiles, "another sum")
    try demand((parse.manifest == nil) == !parse.diagnostics.isEmpty, "no manifest and no problem")
    for problem in parse.diagnostics where problem.file == "f.\(format)" {
      try demand((1...lines).contains(problem.span?.line ?? 0), "\(problem) in one of \(lines) lines")
    }
    // Twenty of rows, and as many of their outputs. The manifest has three references to columns, a name that must have
    // one, and a file that must have rows.
    let count = parse.diagnostics.count { $0.file == "f.\(format)" }
    try demand(count <= 40 && parse.diagnostics.count <= count + 5, "\(parse.diagnostics.count) problems")
    try demand((parse.manifest?.targets.count ?? 0) <= lines, "more targets than lines")
  }

  private static func shown(_ parse: ManifestParse) -> [String] {
    (parse.manifest?.targets ?? []).map {
      "\($0.name) \($0.output.path) \($0.source.mirrors ?? []) \($0.tags)"
    }
  }
}
