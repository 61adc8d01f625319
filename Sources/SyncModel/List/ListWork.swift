/// What it took to ask for a list; the result of what stands for its targets has it.
package struct ListWork: Sendable {
  /// The cost of the requests for all pages; nothing if another template of the same list has it.
  package var totals = ExchangeTotals()
  /// The number of tries at the page that could not be had; 0 if there is none.
  package var tries = 0
  /// The status of the last reply; `nil` if there was none.
  package var httpStatus: Int?
  /// After redirects, secrets masked; `nil` without a request.
  package var url: String?
  /// From the first page to the last.
  package var duration = Duration.zero

  /// Nothing was done yet.
  package init() {}
}
