import Syncmake

/// The database of an app: fetched from its publisher, and kept up to date.
public struct CityData: Sendable {
}
