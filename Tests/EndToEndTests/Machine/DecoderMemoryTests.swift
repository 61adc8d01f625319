import Foundation
import SyncTestSupport
import Testing

/// The memory of a decoder does not grow with the file.
///
/// A sanitizer keeps freed memory.
@Suite(.waits, .enabled(if: SyncmakeProgram.path != nil && !TestTools.isSanitized), .serialized)
struct DecoderMemoryTests {
  private static let size = 128 << 20
  /// In MiB. A run takes about 55 with the debug build.
  private static let most = 96

  /// Prints the peak of the program's memory in MiB.
  private static let script = """
    import resource, subprocess, sys
    done = subprocess.run(sys.argv[1:])
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10))
    sys.exit(done.returncode)
    """

  @Test(arguments: [("gunzip", "gzip"), ("unxz", "xz"), ("unzstd", "zstd"), ("bunzip2", "bzip2")])
  func `a file that is larger than all of its memory is unpacked`(step: String, packer: String) throws {
    let server = try LoopbackServer()
    let packed = try TestData.pack(Array(repeating: 0, count: Self.size), with: packer)
    server.on("/packed", .file(packed, etag: "\"1\""))
    let folder = try TemporaryFolder()
    try folder.write(
      "version: 1\ntargets:\n  f: {url: \"\(server.url("/packed"))\", output: f, steps: [\(step)]}\n",
      to: "syncmake.yaml")
    let result = try runProcess(
      "/usr/bin/env", ["python3", "-c", Self.script, try #require(SyncmakeProgram.path), "-s"],
      environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path("home")],
      currentDirectory: folder.path, timeoutSeconds: 120)
    #expect(result.status == 0, "\(result.stderr)")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("f"))
    #expect(attributes[.size] as? Int == Self.size)
    let peak = try #require(Int(result.stdout.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(peak < Self.most)
  }
}
