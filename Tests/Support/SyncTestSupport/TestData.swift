import Foundation

/// Bytes for tests, and their digests by standard tools.
package enum TestData {
  /// The same bytes for the same seed; they do not compress.
  package static func random(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return random.bytes(count)
  }

  /// One gzip member, as `gzip -n` makes it.
  package static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    try packed(bytes, by: ["gzip", "-n"], suffix: "gz")
  }

  /// One bzip2 stream.
  package static func bzip2(_ bytes: [UInt8]) throws -> [UInt8] {
    try packed(bytes, by: ["bzip2"], suffix: "bz2")
  }

  private static func packed(_ bytes: [UInt8], by command: [String], suffix: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "data")
    let result = try runProcess("/usr/bin/env", command + [folder.path("data")])
    guard result.status == 0, let packed = folder.read("data.\(suffix)") else {
      throw ProcessFailure(call: "\(command[0]): \(result.stderr)", code: ENOENT)
    }
    return packed
  }

  /// `bytes` as `program`, one of `xz`, `zstd` and `bzip2`, packs them.
  package static func pack(_ bytes: [UInt8], with program: String, options: [String] = []) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "data")
    let command = ([program, "-q", "-c"] + options).joined(separator: " ")
    let result = try runProcess(
      "/bin/sh", ["-c", "\(command) < data > packed"], currentDirectory: folder.path, timeoutSeconds: 60)
    guard result.status == 0, let packed = folder.read("packed") else {
      throw ProcessFailure(call: "\(command): \(result.stderr)", code: ENOENT)
    }
    return packed
  }

  /// The lower-case hex digest by `md5`, `sha1`, `sha256` or `sha512`, from the system's own tool.
  package static func digest(_ algorithm: String, _ bytes: [UInt8]) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "data")
    #if canImport(Darwin)
      let command = ["openssl", "dgst", "-r", "-\(algorithm)", folder.path("data")]
    #else
      let command = ["\(algorithm)sum", folder.path("data")]
    #endif
    let result = try runProcess("/usr/bin/env", command)
    guard result.status == 0, let hex = result.stdout.split(separator: " ").first else {
      throw ProcessFailure(call: "\(command[0]): \(result.stderr)", code: ENOENT)
    }
    return String(hex)
  }
}
