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
}
