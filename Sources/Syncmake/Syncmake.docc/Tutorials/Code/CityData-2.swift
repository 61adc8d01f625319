import Syncmake

/// The database of an app: fetched from its publisher, and kept up to date.
public struct CityData: Sendable {
  private let file: FileSync

  /// The database of `publisher`, kept in `folder` as `cities.csv`.
  public init(publisher: String, folder: String) {
    file = FileSync("\(publisher)/cities.csv.gz", to: "cities.csv", in: folder)
  }
}
