import Foundation
import SyncTestSupport
import Testing

/// A pipeline of docs/ci.md, read by `Tests/Support/Tools/pipeline-steps.py`.
struct PipelineDocument: Decodable {
  struct Job: Decodable {
    var name: String
    /// When it runs, in the platform's own words.
    var condition: String
    var steps: [Step]

    enum CodingKeys: String, CodingKey {
      case name, steps
      case condition = "if"
    }
  }

  struct Step: Decodable {
    var name: String
    var condition: String
    /// A foreign action, which tests leave out.
    var uses: String?
    var run: String?
    /// With `${{ … }}` unchanged.
    var env: [String: String]

    enum CodingKeys: String, CodingKey {
      case name, uses, run, env
      case condition = "if"
    }
  }

  var file: String
  var jobs: [Job]

  static func all(in document: String) throws -> [PipelineDocument] {
    let tool = TestTools.path("pipeline-steps.py")
    let result = try runProcess(
      "/usr/bin/env", ["python3", tool, "\(ExampleFolder.project)/\(document)"], timeoutSeconds: 60)
    try #require(result.status == 0, "it needs python3-yaml (Debian's name): \(result.stderr)")
    return try JSONDecoder().decode([PipelineDocument].self, from: Data(result.stdout.utf8))
  }

  /// Whether a condition such as `always() && github.event_name != 'push'` is true; an unknown condition fails the
  /// test.
  static func holds(_ condition: String, _ variables: [String: String]) throws -> Bool {
    try condition.components(separatedBy: "&&").allSatisfy { term in
      let words = term.split(separator: " ").map(String.init)
      if words == ["always()"] || words == ["success()"] { return true }
      try #require(words.count == 3 && ["==", "!="].contains(words[1]), "a condition: \(condition)")
      let values = try [words[0], words[2]].map { try value($0, variables) }
      return (values[0] == values[1]) == (words[1] == "==")
    }
  }

  private static func value(_ word: String, _ variables: [String: String]) throws -> String {
    if let quote = word.first, quote == "'" || quote == "\"" { return String(word.dropFirst().dropLast()) }
    return try #require(variables[word], "\(word) is not known")
  }
}

/// A machine on which the jobs of a pipeline run one after another, as a CI's runner would have them.
struct PipelineRunner {
  enum Event: CaseIterable { case review, push, schedule }

  struct Ran {
    var job: String
    var step: String
    var result: ProcessResult
    /// The text added to the step's summary.
    var summary: String
  }

  let repository: ExampleFolder
  private let machine: TemporaryFolder
  private let server: LoopbackServer
  /// Of the archive that the jobs install from.
  private let programDigest: String

  /// A fresh checkout of a repository with a committed lock.
  init(server: LoopbackServer) throws {
    self.server = server
    machine = try TemporaryFolder()
    repository = try ExampleFolder("in-ci", server: server)
    let program = try #require(SyncmakeProgram.path, "the program is not built")
    // A release's archive, whose program is only a way to the built one.
    try machine.write("#!/bin/sh\nexec '\(program)' \"$@\"\n", to: "syncmake-1/bin/syncmake")
    let pack = "chmod 755 syncmake-1/bin/syncmake && tar -czf archive.tar.gz syncmake-1"
    let packed = try runProcess("/bin/sh", ["-ec", pack], currentDirectory: machine.path)
    try #require(packed.status == 0, "\(packed.stderr)")
    let archive = try #require(machine.read("archive.tar.gz"))
    server.on("/syncmake.tar.gz", .file(archive))
    programDigest = try TestData.digest("sha256", archive)
    // Commands that install packages or use GitHub.
    for name in ["sudo", "apt-get", "gh"] {
      try machine.write(
        "#!/bin/sh\necho \"\(name) $*\" >> '\(machine.path("calls"))'\n", to: "written/\(name)")
    }
    // Another process makes the copy: a file that this process has open for writing while another test forks cannot
    // be run.
    let line = """
      cp -r \(machine.path)/written \(machine.path)/stubs \
      && chmod 755 \(machine.path)/stubs/* && git init -q --bare \(machine.path)/origin \
      && git -C \(machine.path)/origin config receive.advertisePushOptions true \
      && syncmake lock && rm -r .syncmake data && git init -q -b main . && git add -A \
      && git -c user.name=t -c user.email=t@localhost commit -qm t && git remote add origin \(machine.path)/origin
      """
    let result = try repository.shell(line)
    try #require(result.status == 0, "\(result.stderr)")
  }

  /// Commands that were only recorded, each with its arguments.
  var calls: String { machine.text("calls") ?? "" }

  func git(_ arguments: String) throws -> String {
    try repository.shell("git --git-dir=\(machine.path)/origin \(arguments)").stdout
  }

  /// Runs what the platform would run; a step that fails ends its job.
  func run(_ pipeline: PipelineDocument, on event: Event) throws -> [Ran] {
    var all: [Ran] = []
    let isGitHub = pipeline.file.hasPrefix(".github")
    let variables = isGitHub ? github(event) : gitlab(event)
    for job in pipeline.jobs where try PipelineDocument.holds(job.condition, variables) {
      for step in job.steps where try PipelineDocument.holds(step.condition, variables) {
        guard let lines = step.run else { continue }
        let summary = "summary-\(all.count)"
        var environment = isGitHub ? githubEnvironment(summary) : gitlabEnvironment(variables)
        for (name, text) in step.env { environment[name] = try expanded(text) }
        let shell = isGitHub ? ["-e", "-c", lines] : ["-e", "-o", "pipefail", "-c", lines]
        let result = try runProcess(
          "/bin/bash", shell, environment: environment, currentDirectory: repository.folder.path,
          timeoutSeconds: 60)
        all.append(Ran(job: job.name, step: step.name, result: result, summary: machine.text(summary) ?? ""))
        guard result.status == 0 else { break }
      }
    }
    return all
  }

  private func github(_ event: Event) -> [String: String] {
    let names: [Event: String] = [.review: "pull_request", .push: "push", .schedule: "schedule"]
    return ["github.event_name": names[event] ?? ""]
  }

  private func gitlab(_ event: Event) -> [String: String] {
    let names: [Event: String] = [.review: "merge_request_event", .push: "push", .schedule: "schedule"]
    return [
      "$CI_PIPELINE_SOURCE": names[event] ?? "", "$CI_COMMIT_BRANCH": event == .review ? "" : "main",
      "$CI_DEFAULT_BRANCH": "main",
    ]
  }

  private func environment(path more: [String]) -> [String: String] {
    var environment = repository.environment
    environment["PATH"] = (more + [machine.path("stubs"), "/usr/bin", "/bin"]).joined(separator: ":")
    environment["HOME"] = machine.path("home")
    environment["CI"] = "true"
    return environment
  }

  private func githubEnvironment(_ summary: String) -> [String: String] {
    let added = (machine.text("path") ?? "").split(separator: "\n").map(String.init)
    return environment(path: added.reversed()).merging([
      "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": repository.folder.path,
      "GITHUB_STEP_SUMMARY": machine.path(summary), "GITHUB_PATH": machine.path("path"),
      "RUNNER_TEMP": machine.path,
    ]) { $1 }
  }

  private func gitlabEnvironment(_ variables: [String: String]) -> [String: String] {
    var environment = environment(path: [])
    for (name, value) in variables { environment[String(name.dropFirst())] = value }
    return environment.merging([
      "GITLAB_CI": "true", "CI_PROJECT_DIR": repository.folder.path, "CI_SERVER_HOST": "gitlab.example",
      "CI_PROJECT_PATH": "group/data", "SYNCMAKE_TOKEN": "t", "SYNCMAKE_URL": server.url("/syncmake.tar.gz"),
      "SYNCMAKE_SHA256": programDigest,
      "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "url.\(machine.path("origin")).insteadOf",
      "GIT_CONFIG_VALUE_0": "https://oauth2:t@gitlab.example/group/data.git",
    ]) { $1 }
  }

  private func expanded(_ text: String) throws -> String {
    let known = [
      "${{ vars.SYNCMAKE_URL }}": server.url("/syncmake.tar.gz"),
      "${{ vars.SYNCMAKE_SHA256 }}": programDigest,
      "${{ steps.app.outputs.token }}": "t",
    ]
    return text.hasPrefix("${{") ? try #require(known[text], "\(text) is not known") : text
  }
}
