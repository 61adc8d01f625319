import ArgumentParser
import Execution
import Platform
import SyncModel

/// A command that begins again, from reading the manifest on, if what it has read does not hold any more.
enum Rereading {
  /// How often a manifest that keeps changing is read.
  private static let mostReadings = 5

  /// Performs `work`, which throws `RunFault.manifestChanged` or `.stateChanged` to be performed again. It enters the folders
  /// of `-C` each time.
  static func perform(_ work: () throws -> Void) throws {
    let start = try? WorkingFolder()
    for _ in 0..<mostReadings {
      do { return try work() } catch let fault as RunFault
        where fault == .manifestChanged || fault == .stateChanged
      {
        guard (try? start?.enter()) != nil else { break }
      }
    }
    throw Failure.fault(.manifestChanged, SecretMask(), Console.errStyle(.auto), nil)
  }
}
