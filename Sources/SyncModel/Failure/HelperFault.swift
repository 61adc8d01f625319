/// Why a credential helper has given nothing.
package enum HelperFault: Error, Sendable, Equatable {
  /// No folder of `PATH` has such a program.
  case missing
  /// The system's words.
  case unstartable(String)
  /// It had not ended after that time; `says` is the first line of its standard error.
  case late(Duration, says: String)
  /// `status` is `nil` if a signal ended it; `says` is the first line of its standard error.
  case failed(status: Int32?, says: String)
  /// Its answer cannot be used; the text says why.
  case invalid(String)
  /// The run was stopped first.
  case stopped
}
