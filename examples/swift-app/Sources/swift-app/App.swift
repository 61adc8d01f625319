import CityData

/// `swift-app PUBLISHER FOLDER`: brings the database up to date, and says what happened.
@main
struct App {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let publisher = arguments.first, let folder = arguments.dropFirst().first else {
      return print("usage: swift-app PUBLISHER FOLDER")
    }
    let data = CityData(publisher: publisher, folder: folder)
    guard try await data.isNewer() else { return print("the database is up to date") }
    print("a newer database is there")
    let isChanged = try await data.update { received, total in
      if received == total { print("received \(received) bytes") }
    }
    print(isChanged ? "the database has changed" : "the database is the same")
  }
}
