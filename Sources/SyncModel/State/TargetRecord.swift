/// The record of a target from the time when it was last up to date; contains no secret.
package typealias TargetRecord = Shared<RecordFields>

/// The fields of a ``TargetRecord``.
package struct RecordFields: Sendable, Equatable {
  /// The target's name when the record was made; the record belongs to ``output``, whichever target has this name
  /// now.
  package var name: TargetName
  /// The output's path, by which the state finds the record.
  package var output: RelativePath
  /// The definition that made it, field by field, in the order of Planning's walk.
  package var definition: [DefinitionField]
  /// The signature of the output when it was published, or later found unedited.
  ///
  /// In a pending record, only size and inode are those of the file.
  package var signature: FileSignature
  /// The output's bytes.
  package var content: ContentIdentity
  /// The bytes before any step; `nil` for `from`, after `--touch`, and for a file that existed before the first
  /// fetch.
  package var download: ContentIdentity?
  /// Whether the server sent a digest of ``download``, which it may send again.
  package var hasServerDigest: Bool
  /// The source's validators of the bytes; `nil` for `from`, after `--touch`, and if the source was never asked.
  package var validators: Validators?
  /// One for each dependency but `after` whose digest was known, in the order of ``TargetGraph``.
  package var inputs: [InputRecord]
  /// When the source last confirmed it, by a reply of any kind; `nil` for an output that was found locally, or taken from a
  /// cache, and whose source was never asked.
  package var checkedAt: Timestamp?
  /// When its bytes last changed.
  package var updatedAt: Timestamp
}

extension TargetRecord {
  /// All facts must be of the same version of the output.
  package init(
    name: TargetName, output: RelativePath, definition: [DefinitionField], signature: FileSignature,
    content: ContentIdentity, download: ContentIdentity?, hasServerDigest: Bool = false,
    validators: Validators?, inputs: [InputRecord], checkedAt: Timestamp?, updatedAt: Timestamp
  ) {
    self.init(
      RecordFields(
        name: name, output: output, definition: definition, signature: signature, content: content,
        download: download, hasServerDigest: hasServerDigest, validators: validators, inputs: inputs,
        checkedAt: checkedAt, updatedAt: updatedAt))
  }
}

/// One part of a target's definition whose change makes it stale: `url`, `from`, `output`, `steps`.
package struct DefinitionField: Sendable, Equatable {
  /// `url`, `from` or `entry`; `output`, `steps`; ``revision``, ``template``, ``asked``, ``manifest``, ``written``,
  /// ``found``.
  package var name: String
  /// In a canonical spelling, secrets masked.
  package var value: String

  /// The name of the field that has a ``ListRevision``: it says which version of the bytes was meant, and does not
  /// define the target.
  package static let revision = "revision"

  /// The name of the field that has a ``ListDeclaration/template``: it says which list may remove the target.
  package static let template = "list"

  /// The name of the field that has the URL of a list's entry: validators that were recorded count for the resource to
  /// which it led, and for no other URL.
  package static let asked = "asked"

  /// The name of the field that has the name of the manifest's file, if that is not a usual one: another manifest in
  /// the same folder may have a list with the same ``template``.
  package static let manifest = "manifest"

  /// The name of the field that says that syncmake wrote the output, whose download `--touch` has forgotten.
  package static let written = "written"

  /// The name of the field that says of a target made `from` another that its file was there when it was recorded, as after
  /// `--touch`: other bytes than its present input may have made it.
  package static let found = "found"

  /// Whether another value makes the target stale.
  package var isDefining: Bool {
    name != Self.revision && name != Self.template && name != Self.asked && name != Self.manifest
      && name != Self.written && name != Self.found
  }

  /// `value` must be in its canonical spelling, with secrets masked.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Compares the value by its bytes.
  package static func == (a: DefinitionField, b: DefinitionField) -> Bool {
    a.name == b.name && a.value.hasSameBytes(as: b.value)
  }
}

/// The content of a dependency when the target was made from it.
package struct InputRecord: Sendable, Equatable {
  /// Never ``DependencyKind/after``, whose content counts for nothing.
  package var kind: DependencyKind
  /// The dependency's name.
  package var name: TargetName
  /// The line's name for ``DependencyKind/verify``; `nil` for the others.
  package var entry: String?
  /// The dependency's sha256; for ``DependencyKind/verify`` the digest that the line gives.
  package var digest: HexDigest

  /// `entry` is set exactly for ``DependencyKind/verify``.
  package init(kind: DependencyKind, name: TargetName, entry: String? = nil, digest: HexDigest) {
    self.kind = kind
    self.name = name
    self.entry = entry
    self.digest = digest
  }

  /// Compares the entry by its bytes.
  package static func == (a: InputRecord, b: InputRecord) -> Bool {
    a.kind == b.kind && a.name == b.name && a.entry.hasSameBytes(as: b.entry) && a.digest == b.digest
  }
}

/// In what way one target depends on another.
package enum DependencyKind: String, Sendable, CaseIterable {
  /// The keys of the manifest; `verify` is a step that reads a digest from another target's output.
  case needs, after, from, verify
}
