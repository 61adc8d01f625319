/// The premises of a ``CompiledSnapshot``, except the state file and the outputs.
///
/// If one of them has changed, the snapshot is invalid.
package struct SnapshotPremises: Sendable, Equatable {
  /// An environment variable that the manifest uses.
  package struct Variable: Sendable, Equatable {
    /// The variable's name.
    package var name: String
    /// A one-way value that differs if the variable's value does; `nil` if it is not set.
    package var mark: String?

    /// `mark` must be `nil` exactly if the variable is not set.
    package init(name: String, mark: String?) {
      self.name = name
      self.mark = mark
    }
  }

  /// The program's version, the user, the manifest's and the state's paths: whatever can be compared as text.
  package var circumstances: [String]
  /// The key of the sum ``manifest``.
  package var key: ByteSum.Key
  /// The manifest's bytes.
  package var manifest: ByteSum.Value
  /// In the order of their first use, each once.
  package var environment: [Variable]
  /// The included manifests and the files of rows.
  package var files: [ManifestFile]
  /// The patterns of `include`.
  package var patterns: [IncludePattern]
  /// What the lists said, in manifest order, each once. Nothing but the lists themselves can tell whether they still do.
  package var lists: [ListSum]

  /// `environment` must have every variable that the manifest uses, `files` and `patterns` whatever it names, `lists` every
  /// list.
  package init(
    circumstances: [String], key: ByteSum.Key, manifest: ByteSum.Value, environment: [Variable] = [],
    files: [ManifestFile] = [], patterns: [IncludePattern] = [], lists: [ListSum] = []
  ) {
    self.circumstances = circumstances
    self.key = key
    self.manifest = manifest
    self.environment = environment
    self.files = files
    self.patterns = patterns
    self.lists = lists
  }
}
