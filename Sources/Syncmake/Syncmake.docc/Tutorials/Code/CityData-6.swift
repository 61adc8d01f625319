import Syncmake

/// The database of an app: fetched from its publisher, and kept up to date.
public struct CityData: Sendable {
  private let file: FileSync

  /// The database of `publisher`, kept in `folder` as `cities.csv`.
  public init(publisher: String, folder: String) {
    var file = FileSync("\(publisher)/cities.csv.gz", to: "cities.csv", in: folder)
    // The publisher has the md5 of the download beside it. The app asks for these few bytes only.
    file.rule = .digest(Digest(.md5, at: "\(publisher)/cities.csv.gz.md5"))
    file.steps = [.gunzip]
    file.maximumSize = 500_000_000
    self.file = file
  }

  /// Whether the publisher has another database than this folder; fetches and writes nothing.
  public func isNewer() async throws -> Bool { try await file.plan().action == .update }

  /// Fetches the database if it is another one, and says whether it changed.
  ///
  /// A download that broke off goes on where it was. The old database stays until the new one is complete and
  /// verified, then it is replaced in one step.
  public func update(onProgress: (@Sendable (Int64, Int64?) -> Void)? = nil) async throws -> Bool {
    try await file.run(onProgress: onProgress).isChanged
  }
}
