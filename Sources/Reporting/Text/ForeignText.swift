import SyncModel

extension SecretMask {
  /// A text of foreign origin for people: secrets masked first, then made harmless.
  func shown(_ text: String) -> String { CleanText.clean(mask(text)) }

  /// A target's name for people; a matrix can put a secret into it.
  func shown(_ name: TargetName) -> String { shown(name.text) }

  /// An output's path for people.
  func shown(_ output: Output) -> String { output.shown.map(shown) ?? "" }

  /// The first ten names in a row, and how many more there are; for people or, uncleaned, for JSON.
  func masked(_ names: [TargetName]) -> String {
    names.prefix(10).map { mask($0.text) }.row(of: names.count)
  }
}

extension Collection<String> {
  /// These in a row, and how many more of `total` there are: a line does not grow with the manifest.
  func row(of total: Int) -> String {
    joined(separator: ", ") + (total > count ? " and \(total - count) more" : "")
  }
}
