import Foundation
import SyncTestSupport
import Testing

/// The program with an independent server.
///
/// The tests run one at a time: several depend on time.
@Suite(.waits, .serialized, .enabled(if: NginxServer.isHere, "needs nginx, openssl and curl")) enum NginxTests
{}

/// A folder to run the program in.
struct ProgramFolder {
  let folder: TemporaryFolder
  private let program: String

  init(manifest: String) throws {
    program = try #require(SyncmakeProgram.path, "build the program, or name it in SYNCMAKE_BINARY")
    folder = try TemporaryFolder()
    try folder.write(manifest, to: "syncmake.yaml")
  }

  /// Runs the program to its end; any exit status is allowed.
  func syncmake(_ arguments: String..., environment: [String: String] = [:], seconds: Double = 20) throws
    -> ProcessResult
  {
    try start(arguments, environment: environment).wait(seconds: seconds)
  }

  /// Starts the program with a minimal environment and the given variables.
  func start(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> RunningProcess {
    let usual = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "NO_PROXY": "*", "LC_ALL": "C"]
    return try startProcess(
      program, arguments, environment: usual.merging(environment) { $1 }, currentDirectory: folder.path)
  }

  /// Makes `FOLDER/1` to `FOLDER/COUNT`, each with its number in it.
  ///
  /// Uses plain system calls, since there are many files.
  func writeNumbers(_ count: Int, in name: String) throws {
    guard mkdir(folder.path(name), 0o777) == 0 else { throw ProcessFailure(call: "mkdir", code: errno) }
    for number in 1...count {
      let text = Array("\(number)\n".utf8)
      let descriptor = open(folder.path("\(name)/\(number)"), O_WRONLY | O_CREAT | O_EXCL, 0o666)
      defer { close(descriptor) }
      guard write(descriptor, text, text.count) == text.count else {
        throw ProcessFailure(call: "write", code: errno)
      }
    }
  }

  /// Waits until the partial downloads have this size in bytes; returns whether that happened within twenty seconds.
  func waitForSaved(bytes: Int) -> Bool {
    // There is no event for a growing file.
    for _ in 0..<4000 {
      if FileTree(folder.path(".syncmake/partial")).size(ofFiles: ".part") >= bytes { return true }
      usleep(5000)
    }
    return false
  }

  /// The files beside the manifest.
  var entries: Set<String> { Set(FileTree(folder.path).entries.keys) }
}

extension ProcessResult {
  /// The document that `run --json` printed.
  func document() throws -> RunDocument { try document(RunDocument.self) }

  /// The JSON document that it printed.
  func document<Document: Decodable>(_ type: Document.Type) throws -> Document {
    try #require(
      try? JSONDecoder().decode(type, from: Data(stdout.utf8)),
      "no such document: \(stdout.prefix(300)) \(stderr.prefix(1000))")
  }
}
