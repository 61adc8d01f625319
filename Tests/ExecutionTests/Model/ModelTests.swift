import SyncTestSupport
import Testing

/// Sections 3 and 5 of the contract as a small pure model, and random sequences in which the program must agree
/// with it: outcome, reason or error code, file contents, number of requests.
@Suite struct ModelTests {
  @Test func `random sequences of replies, edits, kills and options behave as the contract says`() throws {
    let tally = TortureTally("model")
    let contents = try ModelContents()
    try Torture.play(usually: 200) { numbers in
      let server = try LoopbackServer()
      for number in numbers {
        var sequence = try ModelSequence(number: number, server: server, contents: contents)
        if let disagreement = try sequence.play(commands: 2 + number % 4) {
          tally.violation("case \(number): \(disagreement)")
        }
        tally.count()
      }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n\n"))")
  }
}
