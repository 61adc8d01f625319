/// How entries are selected from a list (`list` in a target; contract, section 11).
package struct ListRules: Sendable, Equatable {
  /// The order that `newest` follows.
  package enum Order: String, Sendable, CaseIterable {
    /// The highest version first.
    case version
    /// The latest `updated` first.
    case updated
    /// The list's own order, first entry first.
    case position
  }

  /// What happens to a target whose entry has left the list.
  package enum Gone: String, Sendable, CaseIterable {
    /// Its output stays.
    case keep
    /// Its recorded, unedited output is removed, if the list is proved whole.
    case remove
  }

  /// Patterns on the key as in `.gitignore`; empty for all.
  package var include: [PathPattern] = []
  /// Patterns on the key; what they match is left out.
  package var exclude: [PathPattern] = []
  /// The pattern that captures the version, such as `tool-${v}.tar.gz`, compared with the entry's name; `nil` for none.
  package var match: String?
  /// How many are kept of each key, or with ``match`` of all; 1 or more, `nil` for all.
  package var newest: Int?
  /// The order for ``newest``; `nil` chooses `version` if the entries have versions, else `updated`, else `position`.
  package var order: Order?
  /// Whether pre-releases are considered.
  package var prerelease = false
  /// What happens to entries that have left the list.
  package var gone = Gone.keep
  /// Whether a value of the list may be several path components in an output.
  package var tree = false

  /// The defaults of the contract.
  package init() {}
}
