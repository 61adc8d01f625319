import Planning
import SyncModel

/// Values of outputs: the first line says which part is the value, the rest is the output.
enum ValueCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let lines = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let output = lines.count > 1 ? Array(lines[1]) : []
    let text = String(decoding: lines[0], as: UTF8.self)
    let picks: [ValuePick?] = [
      Int(text).flatMap { $0 > 0 ? .line($0) : nil }, JSONPointer(text).map { .json($0) }, .pattern(text),
    ]
    for case let pick? in picks {
      for isWhole in [true, false] { try check(output, isWhole: isWhole, pick) }
    }
  }

  private static func check(_ output: [UInt8], isWhole: Bool, _ pick: ValuePick) throws(Violation) {
    var bad: Range<Int>?
    // Stands for an expression: what is between two equal bytes.
    func match(_ line: ArraySlice<UInt8>) -> Range<Int>? {
      if line.contains(0x0A) { bad = line.indices }
      guard let first = line.first, let end = line.dropFirst().firstIndex(of: first) else { return nil }
      return line.startIndex + 1..<end
    }
    var rule = ValueRule(output, isWhole: isWhole)
    let value = try? rule.value(pick, match: match)
    try demand(bad == nil, "a line with an end in it was matched")
    guard let value else { return }
    try demand(
      !value.isEmpty && value.utf8.count <= ValueRule.longest, "\(value.debugDescription) is a value")
    let isPlain = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    try demand(isPlain, "\(value.debugDescription) has a control character")
    guard case .json = pick else {
      try demand(holds(output, Array(value.utf8)), "\(value.debugDescription) is not in the output")
      return
    }
  }

  private static func holds(_ output: [UInt8], _ part: [UInt8]) -> Bool {
    guard output.count >= part.count else { return false }
    return (0...output.count - part.count).contains { output[$0...].starts(with: part) }
  }
}
