// swift-tools-version: 6.2

// The package that `scripts/fuzz` builds: our modules with libFuzzer and the address sanitizer, and the checks of
// Tests/FuzzingTests. It is a separate package, since these flags would affect every other build; the links beside
// this file lead to the only set of sources.

import PackageDescription

/// Enables `@testable` in an optimised build, which is several times as fast.
let fuzzed: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], sources: [String]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, sources: sources, swiftSettings: fuzzed)
}

let package = Package(
  name: "fuzzing",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(name: "CLibyaml", pkgConfig: "yaml-0.1"),
    .systemLibrary(name: "CLibcurl"),
    .systemLibrary(name: "CLibz", pkgConfig: "zlib"),
    .target(name: "CCurlShim", dependencies: ["CLibcurl"]),
    .target(name: "CIsalShim"),
    .target(name: "CDecoderShim"),
    .target(name: "CExpatShim"),
    .target(name: "CArchiveShim"),
    module("SyncModel"),
    module("Planning", ["SyncModel"]),
    module("ManifestParsing", ["SyncModel", "CLibyaml"]),
    .target(name: "CSystemShim"),
    module("Platform", ["SyncModel", "CSystemShim"]),
    module("LocalFiles", ["SyncModel", "Platform", "CSystemShim"]),
    module("Archives", ["SyncModel", "CArchiveShim"]),
    // BoringSSL is not under test and takes minutes to build.
    .target(name: "Crypto", path: "Crypto", swiftSettings: fuzzed),
    // Only the parts that unpacking needs.
    module(
      "ContentPipeline",
      [
        "SyncModel", "Platform", "Planning", "LocalFiles", "Archives", "Crypto", "CLibz", "CIsalShim",
        "CDecoderShim",
      ],
      sources: [
        "Archives", "Concurrency", "Decoders", "Digests/Digester.swift", "Stages/BesideStage.swift",
        "Stages/Block.swift", "Stages/ByteTransform.swift",
      ]),
    module("Lists", ["SyncModel", "Planning", "CExpatShim"]),
    module("ForeignManifests", ["SyncModel", "ManifestParsing"]),
    module("Transfer", ["SyncModel", "CLibcurl", "CCurlShim"]),
    .target(
      name: "Reporting", dependencies: ["SyncModel", "Planning"],
      resources: [.embedInCode("Page/page.css"), .embedInCode("Page/page.js")], swiftSettings: fuzzed),
    .target(
      name: "FuzzChecks",
      dependencies: [
        "SyncModel", "Planning", "ManifestParsing", "LocalFiles", "Archives", "ContentPipeline", "Transfer",
        "Lists", "ForeignManifests", "Reporting", "CLibcurl", "CLibz",
      ],
      path: "Checks", swiftSettings: fuzzed),
    // The declaration of libFuzzer's own function, which has no header.
    .target(name: "CFuzzer", path: "CFuzzer"),
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzChecks", "CFuzzer"], path: "Driver", swiftSettings: fuzzed,
      // GNU's gold, if it is the default, cannot link the sanitizer.
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ]
)
