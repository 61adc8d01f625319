import Foundation

/// The place of the program under test.
package enum SyncmakeProgram {
  /// The value of SYNCMAKE_BINARY, else the program built together with these tests; `nil` if there is none.
  package static var path: String? {
    ProcessInfo.processInfo.environment["SYNCMAKE_BINARY"] ?? built
  }

  /// The program built together with these tests; `nil` if there is none.
  package static var built: String? {
    candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static var candidates: [String] {
    // Beside the test program on Linux, beside the test bundle on macOS, else in the package's own folder.
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let programs = CommandLine.arguments.prefix(1).map { URL(fileURLWithPath: $0) }
    return (bundles + programs).map { $0.deletingLastPathComponent().appendingPathComponent("syncmake").path }
      + [TestTools.project.appendingPathComponent(".build/debug/syncmake").path]
  }
}
