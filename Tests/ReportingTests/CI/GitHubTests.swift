import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

@Suite struct GitHubTests {
  /// A command as GitHub's runner reads it from a line.
  struct Command: Equatable {
    var name: String
    var properties: [String: String]
    var data: String

    init?(_ line: Substring) {
      guard line.hasPrefix("::"), let end = line.dropFirst(2).firstRange(of: "::") else { return nil }
      let head = line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound]
      let space = head.firstIndex(of: " ") ?? head.endIndex
      name = String(head[..<space])
      properties = [:]
      for pair in head[space...].dropFirst().split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        properties[String(parts[0])] = parts.count == 2 ? Self.decoded(parts[1], isProperty: true) : ""
      }
      data = Self.decoded(line[end.upperBound...], isProperty: false)
    }

    private static func decoded(_ text: Substring, isProperty: Bool) -> String {
      var text = text.replacing("%0D", with: "\r").replacing("%0A", with: "\n")
      if isProperty { text = text.replacing("%3A", with: ":").replacing("%2C", with: ",") }
      return String(text.replacing("%25", with: "%"))
    }
  }

  private static func annotations(_ results: [TargetResult], _ manifest: Manifest = Samples.manifest)
    -> String
  {
    var annotations = GitHubAnnotations(manifest, path: { "sub/\($0)" })
    for result in results { annotations.handle(.finished(result)) }
    return annotations.lines(errorsOnly: false)
  }

  private static func failed(_ index: Int, url: String = Samples.url) -> TargetResult {
    var result = Samples.result(Samples.target(index, "t\(index)"), .failed)
    result.failure = TargetFailure(.httpStatus(404, url: url), tries: 1)
    return result
  }

  private static func manifest(_ count: Int, optional: (Int) -> Bool = { _ in false }) -> Manifest {
    var manifest = Samples.manifest
    manifest.targets = (0..<count).map { index in
      var target = Samples.target(index, "t\(index)")
      target.span = SourceSpan(line: 10 + index, column: 3, endColumn: 5)
      target.isOptional = optional(index)
      return target
    }
    return manifest
  }

  @Test func `a failure is an error at its target's line, an optional one a warning`() {
    let text = Self.annotations([Self.failed(0), Self.failed(1)], Self.manifest(2) { $0 == 1 })
    #expect(
      text == """
        ::error file=sub/syncmake.yaml,line=10,col=3,title=t0%3A http-status::HTTP status 404 (not found) \
        from \(Samples.url)%0Ahint: check the URL in the manifest; a list under `url` gives mirrors
        ::warning file=sub/syncmake.yaml,line=11,col=3,title=t1%3A http-status (optional)::HTTP status 404 \
        (not found) from \(Samples.url)%0Ahint: check the URL in the manifest; a list under `url` gives mirrors

        """)
  }

  @Test func `the values of a workflow command can be read back`() throws {
    let odd = "https://h/100%25,a:b::c=d%0A"
    let line = try #require(Self.annotations([Self.failed(0, url: odd)]).split(separator: "\n").first)
    let command = try #require(Command(line))
    #expect(command.name == "error")
    #expect(command.data.contains(odd))
    #expect(command.properties["title"] == "genes: http-status")
  }

  @Test(arguments: [(10, 10), (11, 10), (500, 10), (1, 1), (0, 0)])
  func `only as many annotations are made as GitHub shows, and the last one counts the others`(
    count: Int, shown: Int
  ) {
    let text = Self.annotations((0..<count).map { Self.failed($0) }, Self.manifest(max(1, count)))
    let lines = text.split(separator: "\n")
    #expect(lines.count == shown)
    if count > 10 {
      let missing = count - 9
      #expect(lines.last?.contains("::\(missing) more targets failed: t9, t10") == true)
    }
  }

  @Test func `errors and warnings are counted separately`() {
    let results = (0..<12).map { Self.failed($0) }
    let lines = Self.annotations(results, Self.manifest(12) { $0.isMultiple(of: 2) }).split(separator: "\n")
    #expect(
      lines.map { $0.hasPrefix("::error") } == Array(repeating: true, count: 6)
        + Array(repeating: false, count: 6))
  }

  @Test func `a target that cannot be planned is shown like one that fails in a run`() {
    let manifest = Self.manifest(2)
    var annotations = GitHubAnnotations(manifest, path: { "sub/\($0)" })
    annotations.handle(
      Plan(targets: [
        Samples.planned(manifest.targets[0], .fresh, Samples.confirmed),
        Samples.planned(manifest.targets[1], .error, failure: .httpStatus(404, url: Samples.url)),
      ]))
    let text = annotations.lines(errorsOnly: true)
    #expect(text.hasPrefix("::error file=sub/syncmake.yaml,line=11,col=3,title=t1%3A http-status::"))
    #expect(text.split(separator: "\n").count == 1)
  }

  @Test func `the problems of a manifest are shown at their places`() {
    let problems = (1...12).map { line in
      Diagnostic(
        severity: line == 12 ? .warning : .error, file: "a,b:c.yaml",
        span: SourceSpan(line: line, column: 7, endColumn: 9), message: "unknown key \"x\"", hint: "y")
    }
    let lines = GitHubAnnotations.lines(problems, path: { $0 }).split(separator: "\n")
    #expect(lines.count == 11)
    #expect(
      lines[0] == "::error file=a%2Cb%3Ac.yaml,line=1,col=7,title=syncmake::unknown key \"x\"%0Ahint: y")
    #expect(lines[9] == "::error file=a%2Cb%3Ac.yaml,title=syncmake::2 more errors; see the log for all")
    #expect(lines[10].hasPrefix("::warning file="))
  }

  @Test func `foreign text cannot begin a workflow command`() throws {
    let pieces = [
      "\n::error::x", "\r::set-output::", "##[error]", "%0A::stop-commands::t", "::", ",line=9", "\u{1B}[",
    ]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let text = (0..<4).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      var manifest = Self.manifest(1)
      manifest.fileName = text
      manifest.targets[0].name = TargetName(text)
      let story = RunStory(manifest, results: [Self.failed(0, url: text)], text: text)
      var annotations = GitHubAnnotations(manifest, path: { $0 })
      var made = 0
      for (_, event) in story.events {
        annotations.handle(event)
        if case .warning = event { made += 1 }
        if case .finished = event { made += 1 }
      }
      let all = annotations.lines(errorsOnly: false)
      let lines = all.split(whereSeparator: \.isNewline)
      #expect(lines.count == made)
      for line in lines {
        let command = try #require(Command(line))
        #expect(["error", "warning"].contains(command.name))
        #expect(Set(command.properties.keys).isSubset(of: ["file", "line", "col", "title"]))
        #expect(command.properties["line"].map { Int($0) != nil && $0 != "9" } ?? true)
        // The text that the runner shows in the log after it has resolved the escapes.
        for shown in command.data.split(separator: "\n") {
          #expect(Harm.found(in: String(shown), secrets: []) == nil)
        }
      }
      #expect(!all.contains("##[") && !all.contains("\u{1B}"))
    }
  }
}
