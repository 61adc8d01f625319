import Foundation
import SyncTestSupport

/// rclone as a store that uses S3 and that anybody may read; it stops with its last reference.
final class OpenS3Store: Sendable {
  /// The folders in it are the buckets.
  let folder: TemporaryFolder
  private let store: RunningProcess
  private let port: Int

  init() throws {
    folder = try TemporaryFolder()
    store = try startProcess(
      S3Store.program,
      [
        "--config", "/dev/null", "serve", "s3", "--addr", "127.0.0.1:0", "--dir-cache-time", "0s",
        folder.path,
      ])
    port = try S3Store.port(of: store, in: S3Store.storePort)
  }

  deinit { store.send(SIGKILL) }

  /// The address of a bucket or an object.
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// rclone as a store that uses S3 and requires a key, behind a front that signs a URL for each request.
///
/// Both listen on free ports of 127.0.0.1 and stop with the last reference.
final class S3Store: Sendable {
  /// The place where `scripts/setup --tests` installs it.
  fileprivate static let program = TestTools.project.appending(path: ".build/test-tools/bin/rclone").path

  /// Whether rclone and Python are installed.
  static var isHere: Bool { access(program, X_OK) == 0 && access("/usr/bin/python3", X_OK) == 0 }

  /// The folders in it are the buckets.
  let folder: TemporaryFolder
  private let store: RunningProcess
  private let front: RunningProcess
  private let port: Int

  /// Starts both and returns when they listen. `bandwidth` limits the store's speed, in rclone's form.
  init(bandwidth: String = "off") throws {
    folder = try TemporaryFolder()
    let (key, secret) = ("testkey", "testsecret")
    store = try startProcess(
      Self.program,
      [
        "--config", "/dev/null", "--bwlimit", bandwidth, "serve", "s3", "--addr", "127.0.0.1:0", "--auth-key",
        "\(key),\(secret)", "--dir-cache-time", "0s", folder.path,
      ])
    let storePort = try Self.port(of: store, in: Self.storePort)
    front = try startProcess(
      "/usr/bin/python3",
      ["-B", TestTools.path("s3-front.py"), "\(storePort)", key, secret])
    port = try Self.port(of: front) { $0.split(separator: "\n").first.map(String.init) }
  }

  deinit {
    store.send(SIGKILL)
    front.send(SIGKILL)
  }

  /// The front's address of an object.
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The digits in what rclone writes.
  fileprivate static func storePort(_ text: String) -> String? {
    text.range(of: "http://127.0.0.1:").map { String(text[$0.upperBound...].prefix { $0.isNumber }) }
  }

  /// The port that a program names in whole lines on its standard error.
  fileprivate static func port(of process: RunningProcess, in find: (String) -> String?) throws -> Int {
    func named(_ text: String) -> Int? { text.hasSuffix("\n") ? find(text).flatMap { Int($0) } : nil }
    _ = process.waitForStandardError(seconds: 20) { named($0) != nil }
    let text = process.standardErrorSoFar
    guard let port = named(text) else { throw ProcessFailure(call: "server: \(text)", code: ECONNREFUSED) }
    return port
  }
}
