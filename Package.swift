// swift-tools-version: 6.2

import PackageDescription

/// Every target of ours: Swift 6 language mode, no warning left standing.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Every module in `Sources/`: also marks each use of memory that the compiler cannot check.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

/// For what runs once in a while, or waits for the system: released programs have at most 25 MB (scripts/release).
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// For modules whose types no program prints or looks into by the names of fields and cases; the parser of the command
/// line does that with SyncmakeCLI's types, and an app may with the library's.
let opaque: [SwiftSetting] = [
  .unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release))
]

/// One module of ours in `Sources/`; `isSmall`: its size counts more than its speed.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], embedding resources: [String] = [],
  isSmall: Bool = false, isOpaque: Bool = true
) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources.map { .embedInCode($0) },
    swiftSettings: safe + (isSmall ? small : []) + (isOpaque ? opaque : [])
  )
}

/// The tests of one module, in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  // SyncModel's own tests name it once only.
  let tested: [Target.Dependency] =
    name == "SyncModel" ? ["SyncModel"] : [.init(stringLiteral: name), "SyncModel"]
  return .testTarget(
    name: "\(name)Tests", dependencies: tested + dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "syncmake",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Syncmake", targets: ["Syncmake"]),
    .executable(name: "syncmake", targets: ["SyncmakeProgram"]),
    .plugin(name: "SyncmakePlugin", targets: ["SyncmakePlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    // The libraries below us; only the adapter named beside each one imports it.
    .systemLibrary(
      name: "CLibyaml", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    // Headers only, and so without pkg-config, whose flags would link it: Transfer loads libcurl when the
    // first transfer is due, since loading it costs more than a whole run that has nothing to do
    // (docs/decisions/0001-packages-and-system-libraries.md).
    .systemLibrary(
      name: "CLibcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CLibz", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Likewise, loaded when the state is opened, which a run that finds everything fresh never does.
    .systemLibrary(
      name: "CLibsqlite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(name: "CCurlShim", dependencies: ["CLibcurl"]),
    .target(name: "CSqliteShim", dependencies: ["CLibsqlite"]),
    .target(name: "CSystemShim"),
    // Compiles without ISA-L, too; loads it when the first gzip data come (docs/decisions/0007).
    .target(name: "CIsalShim"),
    // Likewise: liblzma, libzstd and libbz2 are loaded when the first data of their formats come.
    .target(name: "CDecoderShim"),
    // These too declare what they use of a library and load it at first use (docs/decisions/0021 and 0022).
    .target(name: "CBlake2Shim"),
    .target(name: "CExpatShim"),
    .target(name: "CArchiveShim"),

    // The pure core: values and decisions.
    module("SyncModel"),
    module("Planning", ["SyncModel"]),

    // The system's calls, below every adapter.
    module("Platform", ["SyncModel", "CSystemShim"]),

    // One adapter for each outside thing.
    module("ManifestParsing", ["SyncModel", "CLibyaml"]),
    module("LocalFiles", ["SyncModel", "Platform", "CSystemShim"], isSmall: true),
    module("StateStore", ["SyncModel", "Platform", "CSqliteShim"]),
    module("Archives", ["SyncModel", "CArchiveShim"], isSmall: true),
    module(
      "ContentPipeline",
      [
        "SyncModel", "Platform", "Planning", "LocalFiles", "Archives", "CLibz", "CIsalShim", "CDecoderShim",
        "CBlake2Shim",
        .product(name: "Crypto", package: "swift-crypto"),
      ], isSmall: true),
    module("Transfer", ["SyncModel", "CLibcurl", "CCurlShim"]),
    module("Lists", ["SyncModel", "Planning", "CExpatShim"], isSmall: true),
    module("ForeignManifests", ["SyncModel", "ManifestParsing"], isSmall: true),

    // The driver, the words, the wiring.
    module(
      "Execution",
      [
        "SyncModel", "Platform", "Planning", "ManifestParsing", "Lists", "LocalFiles", "StateStore",
        "ContentPipeline", "Transfer",
      ]),
    module(
      "Reporting", ["SyncModel", "Planning"], embedding: ["Page/page.css", "Page/page.js"], isSmall: true),
    // The library: a thin face on Execution.
    module(
      "Syncmake", ["SyncModel", "Platform", "Planning", "ManifestParsing", "Execution", "Reporting"],
      isSmall: true, isOpaque: false),
    module(
      "SyncmakeCLI",
      [
        "SyncModel", "Platform", "Planning", "ManifestParsing", "ForeignManifests", "LocalFiles",
        "Execution", "Reporting", "Syncmake",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], isSmall: true, isOpaque: false),
    // Not called after its product: where case does not count, the library's module has that name.
    .executableTarget(name: "SyncmakeProgram", dependencies: ["SyncmakeCLI"], swiftSettings: safe),
    // `swift package sync` in packages that depend on this one.
    .plugin(
      name: "SyncmakePlugin",
      capability: .command(
        intent: .custom(
          verb: "sync", description: "Bring the files of the package's syncmake.yaml up to date."),
        permissions: [
          .writeToPackageDirectory(reason: "It writes the outputs of syncmake.yaml and its state."),
          .allowNetworkConnections(scope: .all(), reason: "It asks the servers of syncmake.yaml."),
        ])),

    .target(
      name: "SyncTestSupport", dependencies: ["SyncModel"], path: "Tests/Support/SyncTestSupport",
      swiftSettings: strict),
    tests("SyncModel"),
    tests("Planning"),
    tests("ManifestParsing", ["Planning", "SyncTestSupport"], exclude: ["Corpus"]),
    tests("Lists", ["Planning"], exclude: ["Corpus"]),
    tests("ForeignManifests", ["ManifestParsing"], exclude: ["Corpus"]),
    tests("Platform", ["SyncTestSupport"]),
    tests("LocalFiles", ["Platform", "SyncTestSupport", "CSystemShim"]),
    tests("StateStore", ["SyncTestSupport"], exclude: ["EarlierFiles"]),
    tests("Archives", ["Planning", "SyncTestSupport"]),
    tests("ContentPipeline", ["Platform", "LocalFiles", "SyncTestSupport"]),
    tests("Transfer", ["Planning", "SyncTestSupport"]),
    tests(
      "Execution",
      [
        "Platform", "Planning", "ManifestParsing", "LocalFiles", "StateStore", "ContentPipeline", "Transfer",
        "SyncTestSupport",
      ]),
    tests("Reporting", ["Planning", "SyncTestSupport"]),
    tests("Syncmake", ["SyncTestSupport"], exclude: ["PublicInterface.txt"]),
    tests(
      "SyncmakeCLI",
      [
        "Platform", "Planning", "LocalFiles", "StateStore", "Execution", "SyncTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Its checks are also built for libFuzzer, by the package in Tests/Support/Fuzzing.
    .testTarget(
      name: "FuzzingTests",
      dependencies: [
        "SyncModel", "Planning", "ManifestParsing", "LocalFiles", "Archives", "ContentPipeline", "Transfer",
        "Lists", "ForeignManifests", "Reporting", "CLibcurl", "CLibz",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", dependencies: ["SyncTestSupport"],
      exclude: ["Scenarios", "Terminal/Screens"], swiftSettings: strict),
  ]
)
