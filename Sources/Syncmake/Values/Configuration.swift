import ManifestParsing
import SyncModel

/// What a user's configuration says of runs: caches, mirrors, credentials and limits for hosts.
///
/// It is what the program reads from `config.yaml`. A manifest can set none of this.
public struct Configuration: Sendable, Equatable {
  let values: UserConfiguration

  /// Reads the text of a configuration, such as `remote_cache: {url: "https://cache.example.org/sm"}`.
  ///
  /// Throws ``SyncError/Code/invalid`` with all errors. Programs that it names under `credentials` are run.
  ///
  /// - Parameters:
  ///   - text: YAML, as in the file of the program; at most 1 MiB.
  ///   - folder: where relative paths begin; by default in the process's current folder when a run begins.
  ///   - home: what `~/` stands for; without it, a path that begins with `~/` cannot be used.
  public init(_ text: String, in folder: String = ".", home: String? = nil) throws(SyncError) {
    let parse = ConfigurationParser.parse(Array(text.utf8), fileName: "configuration") { path in
      ConfigurationPath.resolve(path, in: folder, home: home)
    }
    guard let values = parse.configuration else { throw SyncError(.invalid, parse.diagnostics) }
    self.values = values
  }
}

/// A path in a configuration.
package enum ConfigurationPath {
  /// The path that a configuration in `folder` writes as `path`; `nil` if it begins with `~/` and there is no `home`.
  package static func resolve(_ path: String, in folder: String, home: String?) -> String? {
    guard let path = HomePath.resolve(path, home: home) else { return nil }
    if path.hasPrefix("/") { return path }
    return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }
}
