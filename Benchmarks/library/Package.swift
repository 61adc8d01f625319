// swift-tools-version: 6.1

import PackageDescription

/// A program that uses the library as an app does; scripts/benchmark measures it beside `syncmake`.
let package = Package(
  name: "library-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "syncmake", path: "../..")],
  targets: [
    .executableTarget(
      name: "library-benchmark", dependencies: [.product(name: "Syncmake", package: "syncmake")])
  ]
)
