import SyncModel
import Testing

@testable import Reporting

/// A cause with its message and its hint for an unknown target.
struct FailureCase: Sendable, CustomTestStringConvertible {
  var cause: FailureCause
  var message: String
  var hint: String?

  init(_ cause: FailureCause, _ message: String, _ hint: String?) {
    self.cause = cause
    self.message = message
    self.hint = hint
  }

  var testDescription: String { message }
}

extension FailureCase {
  static let url = "https://h/f.gz"
  static let a = Samples.hex("aa", .md5)
  static let b = Samples.hex("bb", .md5)

  static let all =
    network + protocols + unpacking + libraries + checks + sidecars + signatures + lists + values + files
}
