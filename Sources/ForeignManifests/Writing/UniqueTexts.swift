/// Texts of which each is given out once; a later one of the same wish gets a number.
struct UniqueTexts {
  private var taken: Set<String> = []
  /// The last number of each wish: without it, a hundred thousand equal names would be compared with each other.
  private var numbers: [String: Int] = [:]

  /// `wish`, or what `numbered` makes of it with the first number from 2 that is free.
  mutating func take(_ wish: String, _ numbered: (String, Int) -> String) -> String {
    var text = wish
    var number = numbers[wish] ?? 1
    while !taken.insert(text).inserted {
      number += 1
      text = numbered(wish, number)
    }
    numbers[wish] = number
    return text
  }
}
