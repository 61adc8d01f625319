import Foundation
import LocalFiles
import SyncModel

/// A root of its own, removed with the last reference.
final class Workshop {
  let path: String
  let root: RootFolder
  let state: StateFolder

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "pipeline-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
    root = try RootFolder(path: path)
    state = try StateFolder(path: path + "/.syncmake")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func staged() throws -> StagedFile {
    try StagedFile.create(in: state, for: try RelativePath("out"), root: root)
  }

  /// The content of `file`, which is published.
  func content(_ file: StagedFile) throws -> [UInt8] {
    _ = try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    return try Array(Data(contentsOf: URL(fileURLWithPath: path + "/out")))
  }

  func newPartial() throws -> PartialDownload {
    let facts = PartialFacts(url: "https://example.org/f", etag: EntityTag("\"1\""), total: nil)
    return try PartialDownload.create(key: "ab", facts: facts, in: state)
  }

  /// The content on the disk, as another process reads it.
  func openPartial() throws -> PartialDownload? { PartialDownload.open(key: "ab", in: state) }

  private var partialPath: URL { URL(fileURLWithPath: path + "/.syncmake/partial/ab.part") }

  func partialContent() throws -> [UInt8] { try Array(Data(contentsOf: partialPath)) }

  /// Changes one byte in the file of the partial download.
  func corruptPartial(at offset: Int) throws {
    var bytes = try Data(contentsOf: partialPath)
    bytes[offset] ^= 1
    let file = try FileHandle(forWritingTo: partialPath)
    try file.write(contentsOf: bytes)
    try file.close()
  }
}
