import SyncModel

extension SecretMask {
  /// A text of foreign origin for people: secrets masked first, then made harmless.
  func shown(_ text: String) -> String { CleanText.clean(mask(text)) }

  /// A target's name for people; a matrix can put a secret into it.
  func shown(_ name: TargetName) -> String { shown(name.text) }

  /// An output's path for people.
  func shown(_ output: Output) -> String { output.shown.map(shown) ?? "" }

  /// Names in a row for people or, uncleaned, for JSON.
  func masked(_ names: [TargetName]) -> String { names.map { mask($0.text) }.joined(separator: ", ") }
}
