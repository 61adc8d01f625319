import ArgumentParser
import Execution
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command that begins again, from reading the manifest on, if what it has read does not hold any more.
enum Rereading {
  /// How often a manifest that keeps changing is read.
  private static let mostReadings = 5

  /// Performs `work`, which throws `RunFault.manifestChanged` or `.stateChanged` to be performed again. It enters the folders
  /// of `folder` each time, and gets what it has done before.
  static func perform(in folder: FolderOptions, _ work: (EarlierReadings) throws -> Void) throws {
    // Also behind an absolute folder: other options name files from here.
    let start = folder.directory.isEmpty ? nil : ManifestLocation.absolute(".")
    var last = RunFault.manifestChanged
    let past = EarlierReadings()
    for _ in 0..<mostReadings {
      do { return try work(past) } catch let fault as RunFault
        where fault == .manifestChanged || fault == .stateChanged
      {
        last = fault
        past.beginAgain()
        guard folder.directory.isEmpty || start.map({ unsafe chdir($0) }) == 0 else { break }
      }
    }
    throw Failure.fault(last, SecretMask(), Console.errStyle(.auto), nil)
  }
}
