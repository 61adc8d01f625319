import SyncModel

/// The names in a manifest, for completion.
package struct ManifestNames: Sendable, Equatable {
  /// In the order of the file, matrices expanded.
  package var targets: [String] = []
  /// In the order of the file.
  package var groups: [String] = []

  /// The descriptions of targets by name; secrets masked.
  package var descriptions: [String: String] = [:]
}

extension ManifestParser {
  /// The readable names in `bytes`, in spite of other errors; empty if it is not YAML.
  package static func names(_ bytes: [UInt8], context: ManifestContext) -> ManifestNames {
    guard bytes.count <= maximumSize else { return ManifestNames() }
    return unsafe bytes.withUnsafeBytes { bytes in
      var log = DiagnosticLog()
      guard let document = unsafe YAMLDocumentReader.read(SourceText(bytes), log: &log) else {
        return ManifestNames()
      }
      return ManifestReader(document: document, context: context, log: log).readNames()
    }
  }
}

extension ManifestReader {
  /// Declares everything, and reads only the descriptions.
  fileprivate func readNames() -> ManifestNames {
    guard let root = document.root, let entries = entries(of: root, Want("the manifest", "a mapping")) else {
      return ManifestNames()
    }
    let fields = fields(entries, TopLevelKey.self, of: "the manifest")
    if let entry = fields[.vars] { readVariables(entry.value) }
    var descriptions: [String: String] = [:]
    if fields[.include] != nil { readIncluded(fields) { $0.declare($1, &descriptions) } }
    declare(fields, &descriptions)
    return ManifestNames(
      targets: targetNames, groups: groupNames, descriptions: descriptions.mapValues(secrets.mask))
  }

  private func declare(_ fields: Fields<TopLevelKey>, _ descriptions: inout [String: String]) {
    if let entry = fields[.targets] { declareTargets(entry.value) }
    if let entry = fields[.groups] { earlierGroups += flatten(declareGroups(entry.value)) }
    for draft in drafts[first.target...] {
      guard let entry = self.fields(of: draft.template)[.description] else { continue }
      descriptions[draft.name] = text(entry.value, Want("description", "text"), draft.scope)
    }
  }
}
