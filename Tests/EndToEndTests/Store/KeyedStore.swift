import Foundation
import SyncTestSupport

/// A server that speaks S3 and checks signatures, with one key and one bucket; it stops with its last reference.
final class KeyedStore: Sendable {
  /// The servers that there are.
  enum Kind: String, CaseIterable, Sendable {
    case seaweed, rclone

    /// The place where `scripts/setup --tests` installs it.
    fileprivate var program: String {
      let place =
        switch self {
        case .seaweed: "seaweedfs/bin/weed"
        case .rclone: "bin/rclone"
        }
      return TestTools.project.appending(path: ".build/test-tools/\(place)").path
    }

    /// Whether it is installed.
    var isHere: Bool { access(program, X_OK) == 0 }
  }

  static let key = (id: "canary-access-id", secret: "canary-secret-key")
  /// In the environment of those that may use it.
  static let environment = ["AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret]
  static var isAnyHere: Bool { Kind.allCases.contains { $0.isHere } }

  /// What the server writes.
  let folder: TemporaryFolder
  let endpoint: String
  private let process: RunningProcess
  private let sockets: [String]

  /// Starts it and returns when its bucket `bucket` is there; caches are below these prefixes.
  init(_ kind: Kind, prefixes: [String] = ["sm"]) throws {
    folder = try TemporaryFolder()
    let port: UInt16
    switch kind {
    case .seaweed:
      (process, port, sockets) = try Self.startSeaweed(folder)
      endpoint = "http://127.0.0.1:\(port)"
      _ = process.waitForStandardError(seconds: 60) { $0.contains("Start Seaweed S3 API Server") }
      try makeBucket()
    case .rclone:
      sockets = []
      // rclone 1.75 answers 500 to some of the uploads that make a folder at the same time.
      for prefix in prefixes {
        for name in ["cas", "ac"] {
          try FileManager.default.createDirectory(
            atPath: folder.path("bucket/\(prefix)/\(name)"), withIntermediateDirectories: true)
        }
      }
      port = try LoopbackServer.freePort()
      endpoint = "http://127.0.0.1:\(port)"
      process = try startProcess(
        kind.program,
        [
          "--config", "/dev/null", "serve", "s3", "--auth-key", "\(Self.key.id),\(Self.key.secret)", "--addr",
          "127.0.0.1:\(port)", folder.path,
        ])
      _ = process.waitForStandardError(seconds: 20) { $0.contains("http://127.0.0.1:\(port)") }
    }
  }

  deinit {
    process.send(SIGKILL)
    // SeaweedFS leaves its sockets there.
    for path in sockets { unlink(path) }
  }

  /// The address of a cache in its bucket.
  func address(_ prefix: String = "sm") -> String {
    "s3://bucket/\(prefix)?region=eu-west-1&endpoint=\(endpoint)"
  }

  private static func startSeaweed(_ folder: TemporaryFolder) throws -> (RunningProcess, UInt16, [String]) {
    try folder.write(
      """
      {"identities": [{"name": "a", "actions": ["Admin", "Read", "Write", "List"],
        "credentials": [{"accessKey": "\(key.id)", "secretKey": "\(key.secret)"}]}]}
      """, to: "s3.json")
    try FileManager.default.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: true)
    // It is five servers, each with two ports.
    var ports: Set<UInt16> = []
    while ports.count < 8 { ports.insert(try LoopbackServer.freePort()) }
    let free = Array(ports)
    let names = [
      "master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc",
    ]
    let process = try startProcess(
      Kind.seaweed.program,
      [
        "server", "-dir=\(folder.path("data"))", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3",
        "-s3.config=\(folder.path("s3.json"))", "-s3.iam=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
        "-master.volumeSizeLimitMB=64", "-volume.max=20", "-s3.port=\(free[6])", "-s3.port.grpc=\(free[7])",
      ] + zip(names, free).map { "-\($0)=\($1)" }, currentDirectory: folder.path)
    let sockets: [(String, UInt16)] = [
      ("s3", free[6]), ("s3-grpc", free[7]), ("filer", free[4]), ("filer-grpc", free[5]),
      ("master-grpc", free[1]),
      ("volume-grpc", free[3]),
    ]
    return (process, free[6], sockets.map { "/tmp/seaweedfs-\($0.0)-\($0.1).sock" })
  }

  /// Makes the bucket, and an object in it.
  ///
  /// For the first bytes SeaweedFS makes volumes, which takes twenty times as long as a later object, and on a busy machine
  /// longer than a run waits for its cache.
  private func makeBucket() throws {
    for (path, text) in [("bucket", ""), ("bucket/first", "one")] {
      let made = try startProcess(
        "/usr/bin/curl",
        [
          "-sS", "--noproxy", "*", "--fail", "--retry", "30", "--retry-all-errors", "--retry-delay", "1",
          "--aws-sigv4",
          "aws:amz:eu-west-1:s3", "--user", "\(Self.key.id):\(Self.key.secret)", "-X", "PUT", "-H",
          "x-amz-content-sha256: \(try TestData.digest("sha256", Array(text.utf8)))", "--data-binary", text,
          "\(endpoint)/\(path)",
        ]
      ).wait(seconds: 60)
      guard made.status == 0 else {
        throw ProcessFailure(call: "\(path): \(made.stderr)", code: ECONNREFUSED)
      }
    }
  }
}
