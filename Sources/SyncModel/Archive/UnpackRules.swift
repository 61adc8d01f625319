/// What the step `unpack` says: which entries of an archive are wanted, and how (contract, section 10).
package struct UnpackRules: Sendable, Equatable {
  /// How many leading folders are removed from each name.
  package enum Strip: Sendable, Equatable {
    /// 0 or more.
    case count(Int)
    /// The single folder that contains everything, if there is one.
    case auto
  }

  /// The limit of ``mostEntries`` if the manifest has none.
  package static let usualMostEntries = 1_000_000

  /// What becomes the output.
  package enum Product: Sendable, Equatable {
    /// The one entry that matches.
    case file(PathPattern)
    /// All entries that the rules include, in a folder.
    case folder(TreeRules)
  }

  /// What becomes the output.
  package var product: Product
  /// `nil`: the name's ending or the first bytes tell.
  package var format: ArchiveFormat?
  /// Applied before the patterns.
  package var strip: Strip
  /// Entries that do not exist for this step; the last pattern that matches decides.
  package var exclude: [PathPattern]
  /// More entries are refused (`max_files`).
  package var mostEntries: Int

  /// The defaults are those of the contract, section 10.
  package init(
    _ product: Product, format: ArchiveFormat? = nil, strip: Strip = .count(0), exclude: [PathPattern] = [],
    mostEntries: Int = UnpackRules.usualMostEntries
  ) {
    self.product = product
    self.format = format
    self.strip = strip
    self.exclude = exclude
    self.mostEntries = mostEntries
  }

  /// For one file.
  package init(
    entry: PathPattern, format: ArchiveFormat? = nil, strip: Strip = .count(0), exclude: [PathPattern] = [],
    mostEntries: Int = UnpackRules.usualMostEntries
  ) {
    self.init(.file(entry), format: format, strip: strip, exclude: exclude, mostEntries: mostEntries)
  }

  /// How the output is a folder; `nil` if it is one file.
  package var tree: TreeRules? { if case .folder(let rules) = product { rules } else { nil } }
}
