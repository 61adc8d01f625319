/// What a ``CompiledSnapshot`` was made from, the state file and the outputs aside.
///
/// If any of it is not as it was, nobody may believe the snapshot.
package struct SnapshotPremises: Sendable, Equatable {
  /// An environment variable that the manifest asked for.
  package struct Variable: Sendable, Equatable {
    package var name: String
    /// Something that differs where the value does, from which nobody can tell it; `nil` where it is not set.
    package var mark: String?

    package init(name: String, mark: String?) {
      self.name = name
      self.mark = mark
    }
  }

  /// The program's version, the user, the manifest's and the state's paths: whatever can be compared as text.
  package var circumstances: [String]
  /// What ``manifest`` was summed under.
  package var key: ByteSum.Key
  /// The manifest's bytes.
  package var manifest: ByteSum.Value
  /// In the order in which they were asked for, each once.
  package var environment: [Variable]

  package init(
    circumstances: [String], key: ByteSum.Key, manifest: ByteSum.Value, environment: [Variable] = []
  ) {
    self.circumstances = circumstances
    self.key = key
    self.manifest = manifest
    self.environment = environment
  }
}
