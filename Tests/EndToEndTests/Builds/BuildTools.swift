import Foundation
import SyncTestSupport
import Testing

/// make and ninja, in an example's folder.
enum BuildTool: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case make, ninja

  var testDescription: String { rawValue }
  var isHere: Bool { CompletionWorld.has(rawValue) }

  /// The installed ones; tests of the others are not run.
  static var here: [BuildTool] { allCases.filter(\.isHere) }
}

extension TemporaryFolder {
  /// Sets when a file was last changed, in seconds since 1970.
  func setTime(_ seconds: Double, of path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: self.path(path))
  }
}
