import Foundation
import ManifestParsing
import SyncModel
import Testing

/// The manifests in `Corpus`: `good` ones, `bad` ones, and those with a fault that a schema cannot detect.
///
/// Beside each bad one is `NAME.expected`: each diagnostic as `LINE:COLUMN-END: message`, then its hint.
@Suite struct `The corpus` {
  @Test(arguments: try Corpus.files(["good"]))
  func `a good manifest has no diagnostic`(file: Corpus.File) throws {
    let parse = try Corpus.parse(file.folder, file.name)
    #expect(Corpus.render(parse.diagnostics) == "")
    #expect(parse.manifest != nil)
  }

  @Test(arguments: try Corpus.badNames())
  func `a bad manifest has exactly the expected diagnostics`(file: Corpus.File) throws {
    let parse = try Corpus.parse(file.folder, file.name)
    let rendered = Corpus.render(parse.diagnostics)
    #expect(parse.manifest == nil)
    #expect(rendered != "")
    #expect(rendered == (try Corpus.text(file.folder, file.name + ".expected")))
  }

  @Test func `every diagnostic shows the line that it points to`() throws {
    for file in try Corpus.badNames() {
      let lines = try Corpus.lines(file.folder, file.name)
      for diagnostic in try Corpus.parse(file.folder, file.name).diagnostics {
        let span = try #require(diagnostic.span, "\(file.name)")
        let line = span.line <= lines.count ? lines[span.line - 1] : ""
        #expect(diagnostic.sourceLine == line, "\(file.name)")
        #expect(
          span.column >= 1 && span.column <= line.unicodeScalars.count + 1,
          "\(file.name): \(diagnostic.message)")
      }
    }
  }

  @Test func `messages begin in lower case and end without a full stop`() throws {
    for file in try Corpus.badNames() {
      for diagnostic in try Corpus.parse(file.folder, file.name).diagnostics {
        for text in [diagnostic.message, diagnostic.hint].compactMap(\.self) {
          #expect(!(text.first?.isUppercase ?? true), "\(file.name): \(text)")
          #expect(text.last != ".", "\(file.name): \(text)")
        }
      }
    }
  }

  @Test func `parser and schema agree on every manifest that both can judge`() throws {
    try compare(["good", "bad", "bad-to-the-parser-only"], ManifestSchema.text)
  }

  private func compare(_ folders: [String], _ schema: String) throws {
    let files = try Corpus.files(folders)
    let verdicts = try SchemaValidator.verdicts(
      files.map { Corpus.url($0.folder, $0.name + ".yaml").path }, schema: schema)
    for file in files {
      let verdict = try #require(verdicts[Corpus.url(file.folder, file.name + ".yaml").path])
      if file.folder.hasPrefix("good") {
        #expect(verdict == nil, "the schema refuses \(file.name): \(verdict ?? "")")
      } else if !file.folder.hasPrefix("bad-to-the-parser-only") {
        #expect(verdict != nil, "the schema accepts \(file.name)")
      } else {
        // Some of them are not YAML; in the others an editor must not show errors that do not exist.
        #expect(verdict == nil || Corpus.isUnreadable(file.name), "\(file.name): \(verdict ?? "")")
      }
    }
  }
}

/// The corpus's files.
enum Corpus {
  struct File: Sendable, CustomTestStringConvertible {
    var folder: String
    var name: String
    var testDescription: String { name }
  }

  static let environment = ["MIRROR": "https://mirror.example.org", "TOKEN": "hunter2", "EMPTY": ""]

  static func url(_ folder: String, _ file: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(folder)/\(file)")
  }

  static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url(folder, "").path)
      .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }

  static func badNames() throws -> [File] {
    try files(["bad", "bad-to-the-parser-only"])
  }

  static func files(_ folders: [String]) throws -> [File] {
    try folders.flatMap { folder in try names(folder).map { File(folder: folder, name: $0) } }
  }

  static func text(_ folder: String, _ file: String) throws -> String {
    try String(contentsOf: url(folder, file), encoding: .utf8)
  }

  static func lines(_ folder: String, _ name: String) throws -> [String] {
    try text(folder, name + ".yaml").replacing("hunter2", with: "***")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  static func parse(_ folder: String, _ name: String) throws -> ManifestParse {
    var context = ManifestContext { environment[$0] }
    context.included = Included.reading
    return ManifestParser.parse(try bytes(folder, name), context: context)
  }

  static func bytes(_ folder: String, _ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url(folder, name + ".yaml")))
  }

  /// Each diagnostic on its own line, with its hint below.
  static func render(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.map { diagnostic in
      let place = diagnostic.span.map { "\($0.line):\($0.column)-\($0.endColumn): " } ?? ""
      let hint = diagnostic.hint.map { "  hint: \($0)\n" } ?? ""
      return "\(place)\(diagnostic.message)\n\(hint)"
    }.joined()
  }

  /// Manifests that a schema's validator does not read as YAML either, or not as one document without tags.
  static func isUnreadable(_ name: String) -> Bool {
    [
      "anchor-in-itself", "at-sign", "colon-in-a-value", "cut-off-behind-a-comma", "key-is-a-list",
      "merge-of-a-text", "missing-colon",
      "backslash-in-quotes", "no-blank-behind-a-colon", "open-brace", "star-value", "syntax-error",
      "quote-ends-late", "tab-indentation", "tags", "two-documents",
      "unclosed-quote",
      "unknown-anchor",
      "unquoted-template-in-braces",
    ].contains(name)
  }
}
