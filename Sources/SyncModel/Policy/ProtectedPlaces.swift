/// Where a manifest from strangers must not write (contract, section 14).
package struct ProtectedPlaces: Sendable, Equatable {
  /// Why a path is refused.
  package enum Fault: Error, Sendable, Equatable {
    /// The name of the folder, which begins with a dot.
    case dotFolder(String)
    /// A file by whose name git takes its folder for a repository.
    case repository(String)
    /// The file's name, which a CI system reads.
    case pipeline(String)
    /// No pattern of the policy's outputs matches.
    case notListed
  }

  /// The policy's patterns; `nil` if every other place is allowed.
  package var outputs: [PathPattern]?

  /// Dot-folders and pipelines are protected, and what `outputs` does not match.
  package init(outputs: [PathPattern]? = nil) { self.outputs = outputs }

  /// What CI systems read; upper and lower case are one on many file systems.
  private static let pipelines = [
    "jenkinsfile", ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml",
  ]

  /// Why nothing may be written to `path`, from the root; `nil` if it may.
  package func fault(of path: some StringProtocol, isFolder: Bool) -> Fault? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"))
    for (place, part) in parts.enumerated() {
      let name = FoldedPath.plainName(part)
      if name.utf8.first == UInt8(ascii: "."), isFolder || place < parts.count - 1 {
        return .dotFolder(String(decoding: part, as: UTF8.self))
      }
      if name == ".git" { return .repository(String(decoding: part, as: UTF8.self)) }
      if Self.pipelines.contains(name) { return .pipeline(String(decoding: part, as: UTF8.self)) }
    }
    guard let outputs else { return nil }
    return outputs.choose(parts.map { Array($0)[...] }, isFolder: isFolder) ? nil : .notListed
  }

  /// The same of an entry of the folder `folder`, both in bytes from there.
  package func fault(ofEntry path: [UInt8], in folder: String, isFolder: Bool) -> Fault? {
    fault(of: "\(folder)/\(String(decoding: path, as: UTF8.self))", isFolder: isFolder)
  }
}
