import Foundation
import PackagePlugin

/// `swift package sync`: runs `syncmake` in the package's folder, with its manifest and the same arguments.
///
/// The program is built when it is called for. As a tool of the plugin it would be built, all of it once more, with each
/// build of this package.
@main
struct SyncmakePlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let build = try packageManager.build(
      .product("syncmake"), parameters: .init(configuration: .release))
    guard build.succeeded, let program = build.builtArtifacts.first(where: { $0.kind == .executable })
    else {
      Diagnostics.error("syncmake could not be built")
      return print(build.logText)
    }
    let process = Process()
    process.executableURL = program.url
    process.currentDirectoryURL = context.package.directoryURL
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    // The program has said why.
    guard process.terminationReason == .exit else {
      return Diagnostics.error("syncmake was ended by a signal")
    }
    let status = process.terminationStatus
    if status != 0 { Diagnostics.error("syncmake ended with the status \(status)") }
  }
}
