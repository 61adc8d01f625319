/// Why a list gives no targets, or removes none (contract, section 11).
package enum ListProblem: Sendable, Equatable {
  /// It cannot be read.
  case list(ListFault)
  /// An entry of it makes something impossible.
  case expansion(ListExpansionFault)
  /// Of `recorded` entries `gone` have left it: more than one, and more than 10 % (`list-suspect`).
  case suspect(gone: Int, recorded: Int)
}
