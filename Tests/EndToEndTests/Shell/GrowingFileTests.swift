import Foundation
import SyncTestSupport
import Testing

/// A file of unknown size, or one that grows between opening and reading.
@Suite struct GrowingFileTests {
  /// Claims to be empty, and contains megabytes.
  private static let endless = "/proc/kallsyms"
  private static let isThere: Bool = {
    let bytes = try? FileHandle(forReadingAtPath: endless)?.readToEnd()
    return (bytes?.count ?? 0) > 1 << 20
  }()

  @Test(.enabled(if: isThere, "the system shows no such file"))
  func `a growing file is read whole, or refused while it grows`() throws {
    let program = try #require(SyncmakeProgram.path, "the program is not built")
    let folder = try TemporaryFolder()
    try folder.write(
      """
      version: 1
      defaults: {unproven_length: accept}
      targets:
        whole: {url: "file://\(Self.endless)", output: out/whole}
        copy: {from: whole, output: out/copy}
        refused: {url: "file://\(Self.endless)", output: out/refused, max_size: 20000B}
      """, to: "syncmake.yaml")
    let result = try runProcess(program, ["-C", folder.path, "-k"])
    #expect(result.status == 2)
    #expect(result.stderr.contains("(max_size)"))
    let whole = try #require(folder.read("out/whole"))
    #expect(whole.count > 1 << 20)
    #expect(folder.read("out/copy") == whole)
    #expect(!folder.exists("out/refused"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".syncmake/staging")) == [])
  }
}
