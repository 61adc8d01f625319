import ArgumentParser

/// Names in a manifest that a command line may contain.
enum ManifestNameKind: String, CaseIterable {
  /// Targets and groups.
  case targets
  /// Targets without groups.
  case target
  case tags

  /// Stands for the kind in the definitions, and is a command that prints the names.
  var command: String { "syncmake \(CompletionAnswer.namesWord) \(rawValue)" }
}

extension CompletionKind {
  /// The manifest's targets and groups.
  static var targets: CompletionKind { .shellCommand(ManifestNameKind.targets.command) }
  /// The manifest's targets, without groups.
  static var target: CompletionKind { .shellCommand(ManifestNameKind.target.command) }
  /// The manifest's tags.
  static var tags: CompletionKind { .shellCommand(ManifestNameKind.tags.command) }
}
