/// What is remembered of a target since it was last in order; holds no secret.
package struct TargetRecord: Sendable, Equatable {
  package var name: TargetName
  package var output: RelativePath
  /// What made it, field by field, in the order that Planning walks a definition.
  package var definition: [DefinitionField]
  package var signature: FileSignature
  /// The output's bytes.
  package var content: ContentIdentity
  /// The bytes as they came, before any step; `nil` for `from`, and after `--touch`.
  package var download: ContentIdentity?
  package var validators: Validators?
  package var inputs: [InputRecord]
  /// When the source last confirmed it, by a reply of any kind.
  package var checkedAt: Timestamp
  /// When its bytes last changed.
  package var updatedAt: Timestamp

  package init(
    name: TargetName, output: RelativePath, definition: [DefinitionField], signature: FileSignature,
    content: ContentIdentity, download: ContentIdentity?, validators: Validators?, inputs: [InputRecord],
    checkedAt: Timestamp, updatedAt: Timestamp
  ) {
    self.name = name
    self.output = output
    self.definition = definition
    self.signature = signature
    self.content = content
    self.download = download
    self.validators = validators
    self.inputs = inputs
    self.checkedAt = checkedAt
    self.updatedAt = updatedAt
  }
}

/// One part of a target's definition whose change makes it stale: `url`, `from`, `output`, `steps`.
package struct DefinitionField: Sendable, Equatable {
  package var name: String
  /// In a canonical spelling, secrets masked.
  package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// What a dependency held when the target was made from it.
package struct InputRecord: Sendable, Equatable {
  package var kind: DependencyKind
  package var name: TargetName
  /// The line's name for ``DependencyKind/verify``; `nil` for the others.
  package var entry: String?
  /// The dependency's sha256; for ``DependencyKind/verify`` the digest that the line gives.
  package var digest: HexDigest

  package init(kind: DependencyKind, name: TargetName, entry: String? = nil, digest: HexDigest) {
    self.kind = kind
    self.name = name
    self.entry = entry
    self.digest = digest
  }
}

/// In what way one target depends on another.
package enum DependencyKind: String, Sendable, CaseIterable {
  case needs, after, from, verify
}
