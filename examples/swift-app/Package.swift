// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "swift-app",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Outside of this repository: .package(url: "https://…/syncmake", branch: "main")
    .package(name: "syncmake", path: "../..")
  ],
  targets: [
    .target(
      name: "CityData", dependencies: [.product(name: "Syncmake", package: "syncmake")],
      resources: [.embedInCode("countries.csv")]),
    .executableTarget(name: "swift-app", dependencies: ["CityData"]),
    .testTarget(name: "CityDataTests", dependencies: ["CityData"]),
  ]
)
