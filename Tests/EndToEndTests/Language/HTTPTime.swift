import Foundation

extension HTTPTime {
  /// `"Sat, 01 Jan 2022 00:00:00 GMT"`
  static func read(_ words: inout WordList) throws(ScenarioProblem) -> HTTPTime {
    let text = try words.take("a date")
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    guard let date = formatter.date(from: text), formatter.string(from: date) == text else {
      throw words.problem("\(text) is no HTTP date, or its weekday is wrong")
    }
    return HTTPTime(seconds: Int(date.timeIntervalSince1970))
  }
}
