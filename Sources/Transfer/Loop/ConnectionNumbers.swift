/// The two ends of a connection; our own address does not matter.
struct ConnectionEnds: Hashable {
  var address: String
  var port: Int32
  var localPort: Int32
}

/// Tells connections apart: libcurl numbers them only from 8.2 on.
struct ConnectionNumbers {
  private var numbers: [ConnectionEnds: Int] = [:]
  private var last: Int

  /// `before`: how many connections have numbers already.
  init(after before: Int) { last = before }

  /// The number of the connection between these ends, from 1; `isNew` if it was just made.
  mutating func number(_ ends: ConnectionEnds, isNew: Bool) -> Int {
    if !isNew, let number = numbers[ends] { return number }
    last += 1
    numbers[ends] = last
    return last
  }
}
