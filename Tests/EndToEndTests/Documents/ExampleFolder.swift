import Foundation
import SyncTestSupport
import Testing

/// A copy of one of the project's examples, to run the program in.
struct ExampleFolder {
  let folder: TemporaryFolder
  private let program: String
  private let mirror: String
  /// The variables by which the manifest finds its publishers: `${env:NAME:-ADDRESS}`.
  let variables: [String]
  /// Those with credentials: `${secret:NAME}`.
  private let secrets: [String]

  /// Part of each credential, so that a test can search for text that must appear nowhere.
  static let secretMark = "sEcReT"

  /// The project's own folder.
  static let project = TestTools.project.path

  /// Copies `examples/NAME`; its publishers are `server`, or an address without a server.
  init(_ name: String, server: LoopbackServer? = nil) throws {
    program = try #require(SyncmakeProgram.path, "the program is not built")
    folder = try TemporaryFolder()
    mirror = server?.url() ?? "http://127.0.0.1:9"
    let source = "\(Self.project)/examples/\(name)"
    // Files of a user's own run in the example are not part of it: its .gitignore names them.
    let ignored = (try? String(contentsOfFile: "\(source)/.gitignore", encoding: .utf8)) ?? ""
    let leftovers = Set(ignored.split(separator: "\n").map { $0.trimmingCharacters(in: ["/", " "]) })
    for entry in try FileManager.default.contentsOfDirectory(atPath: source)
    where entry != ".syncmake" && !leftovers.contains(entry) {
      try FileManager.default.copyItem(atPath: "\(source)/\(entry)", toPath: folder.path(entry))
    }
    var manifest = folder.text("syncmake.yaml") ?? ""
    // Only the publisher has the key to its own signatures.
    let publicKey = /RW[A-Za-z0-9+\/]{54}/
    if manifest.contains(publicKey) {
      manifest = manifest.replacing(publicKey, with: TestKey.one.shared)
      try folder.write(manifest, to: "syncmake.yaml")
    }
    variables = manifest.matches(of: /\$\{env:([A-Z_]+):-/).map { String($0.output.1) }
    secrets = manifest.matches(of: /\$\{secret:([A-Z_]+)\}/).map { String($0.output.1) }
  }

  /// The program's whole environment.
  var environment: [String: String] {
    let publishers = variables.map { ($0, mirror) }
    return withoutPublishers.merging(publishers) { _, mirror in mirror }
  }

  /// As ``environment``, with each publisher at its real address. Nothing that uses the network may be run with it.
  private var withoutPublishers: [String: String] {
    let credentials = secrets.map { ($0, Self.credential($0)) }
    return [
      "PATH": "\((program as NSString).deletingLastPathComponent):/usr/bin:/bin", "HOME": folder.path,
      "NO_PROXY": "*", "LC_ALL": "C", "SYNCMAKE_TEST_TIME_SCALE": "0.01",
    ].merging(credentials) { $1 }
  }

  /// What the variable `name` has.
  static func credential(_ name: String) -> String { "\(secretMark)-\(name)" }

  /// Runs `validate`, which uses no network, with the real addresses.
  func validate() throws -> ProcessResult {
    try runProcess(program, ["validate"], environment: withoutPublishers, currentDirectory: folder.path)
  }

  /// Runs the program in the folder; any exit status is allowed.
  func syncmake(_ arguments: String...) throws -> ProcessResult {
    try runProcess(program, arguments, environment: environment, currentDirectory: folder.path)
  }

  func start(_ arguments: String...) throws -> RunningProcess {
    try startProcess(program, arguments, environment: environment, currentDirectory: folder.path)
  }

  /// Runs a line as a shell would, with the program on its path.
  func shell(_ line: String) throws -> ProcessResult {
    try runProcess("/bin/sh", ["-c", line], environment: environment, currentDirectory: folder.path)
  }

  /// Runs with `--json`, and expects that no target fails.
  func run(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> RunDocument {
    let result = try runProcess(
      program, ["run", "--json"] + arguments, environment: environment, currentDirectory: folder.path)
    #expect(result.status == 0, "\(result.stderr)", sourceLocation: sourceLocation)
    return try JSONDecoder().decode(RunDocument.self, from: Data(result.stdout.utf8))
  }

  /// When a file was last changed, in seconds since 1970.
  func modified(_ path: String) throws -> Double {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(path))
    return try #require(attributes[.modificationDate] as? Date).timeIntervalSince1970
  }

  /// Name, size, inode and time of everything in a folder of it.
  func listing(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(path)).sorted().map { name in
      "\(name) \(try attributes("\(path)/\(name)"))"
    }
  }

  /// Size, inode and time of a file.
  func attributes(_ path: String) throws -> [String] {
    let values = try FileManager.default.attributesOfItem(atPath: folder.path(path))
    let keys: [FileAttributeKey] = [.size, .systemFileNumber, .modificationDate]
    return keys.map { values[$0].map { "\($0)" } ?? "?" }
  }
}

/// The part of `run --json` that these tests read.
struct RunDocument: Decodable {
  struct Failure: Decodable {
    var code: String
  }

  struct Target: Decodable {
    var name: String
    var outcome: String
    var reason: String?
    var httpStatus: Int?
    var requests: Int?
    var bytesTransferred: Int?
    var bytesResumed: Int?
    var unchanged: Bool?
    var error: Failure?

    enum CodingKeys: String, CodingKey {
      case name, outcome, reason, requests, unchanged, error
      case httpStatus = "http_status"
      case bytesTransferred = "bytes_transferred"
      case bytesResumed = "bytes_resumed"
    }
  }

  var status: String
  var summary: [String: Int]
  var targets: [Target]

  /// The outcomes, in the document's order.
  var outcomes: [String] { targets.map(\.outcome) }
  var reasons: [String?] { targets.map(\.reason) }
}
