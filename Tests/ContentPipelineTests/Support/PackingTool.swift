import Foundation
import SyncModel
import SyncTestSupport

/// A format's own program: it makes the inputs of tests and checks others.
struct PackingTool {
  let format: Compression

  static let all: [PackingTool] = [.xz, .zstd, .bzip2].map(PackingTool.init)

  /// `body` packed with `options`.
  func pack(_ body: [UInt8], _ options: String = "") throws -> [UInt8] {
    let check = format == .zstd ? ["--check"] : []
    return try TestData.pack(
      body, with: format.rawValue, options: check + options.split(separator: " ").map(String.init))
  }

  /// Whether the program unpacks `packed` without a message.
  func accepts(_ packed: [UInt8]) throws -> Bool {
    let folder = try TemporaryFolder()
    try folder.write(packed, to: "in")
    let result = try runProcess(
      "/bin/sh", ["-c", "\(format.rawValue) -dc < in > out"], currentDirectory: folder.path,
      timeoutSeconds: 60)
    return result.status == 0 && result.stderr.isEmpty
  }
}

extension PackingTool: CustomStringConvertible {
  var description: String { format.rawValue }
}
