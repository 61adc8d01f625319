package import Foundation

/// The project's folder and the scripts that tests run.
package enum TestTools {
  /// The folder that holds `Package.swift`.
  package static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Whether `scripts/test` has built the tests and the program with a sanitizer.
  package static let isSanitized = ProcessInfo.processInfo.environment["SYNCMAKE_TEST_SANITIZER"] != nil

  /// How many times as long programs may take: a sanitizer makes them slow.
  package static let slowness = isSanitized ? 5.0 : 1.0

  /// The path of the file `name` of `Tests/Support/Tools`.
  package static func path(_ name: String) -> String {
    project.appendingPathComponent("Tests/Support/Tools/\(name)").path
  }
}
