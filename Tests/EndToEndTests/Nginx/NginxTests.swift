import Foundation
import SyncTestSupport
import Testing

/// The program against a server that nobody wrote for it.
///
/// One at a time: several of them look at when things happen.
@Suite(.serialized, .enabled(if: NginxServer.isHere, "needs nginx, openssl and curl")) enum NginxTests {}

/// A folder to run the program in.
struct ProgramFolder {
  let folder: TemporaryFolder
  private let program: String

  init(manifest: String) throws {
    program = try #require(SyncmakeProgram.path, "build the program, or name it in SYNCMAKE_BINARY")
    folder = try TemporaryFolder()
    try folder.write(manifest, to: "syncmake.yaml")
  }

  /// Runs the program to its end, whatever that is.
  func syncmake(_ arguments: String..., environment: [String: String] = [:], seconds: Double = 20) throws
    -> ProcessResult
  {
    try start(arguments, environment: environment).wait(seconds: seconds)
  }

  /// Starts the program, with nothing in its environment but what is needed and what is given.
  func start(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> RunningProcess {
    let usual = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "NO_PROXY": "*", "LC_ALL": "C"]
    return try startProcess(
      program, arguments, environment: usual.merging(environment) { $1 }, currentDirectory: folder.path)
  }

  /// Makes `FOLDER/1` to `FOLDER/COUNT`, each with its number in it.
  ///
  /// By plain calls, since there are many.
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

  /// Waits until so many bytes lie below the state folder; whether they came within twenty seconds.
  func waitForSaved(bytes: Int) -> Bool {
    // Nobody tells when a file grows.
    for _ in 0..<4000 {
      if FileTree(folder.path(".syncmake")).size >= bytes { return true }
      usleep(5000)
    }
    return false
  }

  /// What lies beside the manifest.
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
