import SyncModel
import Testing

@testable import Reporting

@Suite struct LiveDisplayTests {
  private static let genes = TargetID(0)
  private static let index = TargetID(1)

  private func run(_ events: [(Int, RunEvent)], total: Int = 5) -> LiveRun {
    var run = LiveRun(manifest: Samples.manifest)
    run.handle(.started(targets: total), at: .zero)
    for (milliseconds, event) in events { run.handle(event, at: .milliseconds(milliseconds)) }
    return run
  }

  private func asks(_ id: TargetID) -> RunEvent {
    .note(id, .request(method: "GET", url: Samples.url, conditions: []))
  }

  private func gets(_ id: TargetID, _ here: Int64, _ more: Int64, of total: Int64?) -> RunEvent {
    .received(id, BodyProgress(here: here, more: more, total: total))
  }

  private func lines(_ run: LiveRun, at milliseconds: Int, _ columns: Int = 90, _ rows: Int = 24) -> [String]
  {
    LiveLines.render(
      run, at: .milliseconds(milliseconds), columns: columns, rows: rows, style: TextStyle(width: columns))
  }

  @Test func `the first line has the counts, and each target in progress has a line`() {
    let run = run([
      (0, asks(Self.genes)), (100, gets(Self.genes, 1_000_000, 1_000_000, of: 4_000_000)),
      (900, gets(Self.genes, 2_000_000, 1_000_000, of: 4_000_000)), (950, asks(Self.index)),
    ])
    #expect(
      lines(run, at: 1000) == [
        "[0/5]  2.0 MB  2.0 MB/s",
        "  genes  [==========>         ]  2.0 MB of 4.0 MB  2.0 MB/s  1 s",
        "  index  asking",
      ])
  }

  @Test func `columns of several targets are aligned`() {
    let run = run([
      (0, gets(Self.genes, 900_000, 900_000, of: 4_000_000)),
      (0, gets(Self.index, 12_300_000, 12_300_000, of: 40_000_000)), (10, asks(TargetID(3))),
    ])
    #expect(
      lines(run, at: 1000).dropFirst() == [
        "  genes  [====>               ]  900.0 kB of 4.0 MB  900.0 kB/s  4 s",
        "  index  [======>             ]  12.3 MB of 40.0 MB  12.3 MB/s   3 s",
        "  sums   asking",
      ])
  }

  @Test func `bytes from an earlier run count as present, not as received`() {
    let run = run([(0, gets(Self.genes, 3_000_000, 500_000, of: 4_000_000))])
    #expect(lines(run, at: 100) == ["[0/5]  500.0 kB", "  genes  [===============>    ]  3.0 MB of 4.0 MB"])
  }

  @Test func `without a known length there is no bar and no remaining time`() {
    let run = run([(0, gets(Self.genes, 3000, 3000, of: nil))])
    #expect(lines(run, at: 1000) == ["[0/5]  3.0 kB  3.0 kB/s", "  genes  3.0 kB  3.0 kB/s"])
  }

  @Test func `a target that waits for its next try shows the remaining time`() {
    let run = run([
      (0, asks(Self.genes)),
      (100, .retrying(Self.genes, attempt: 1, after: .seconds(3), cause: .httpStatus(503, url: Samples.url))),
    ])
    #expect(lines(run, at: 500)[1] == "  genes  tries again in 3 s")
    #expect(lines(run, at: 3200)[1] == "  genes  tries again")
  }

  @Test func `a finished target is counted and no longer listed`() {
    let run = run([(0, asks(Self.genes)), (0, asks(Self.index)), (10, .finished(Samples.results[0]))])
    #expect(lines(run, at: 20) == ["[1/5]", "  index  asking"])
  }

  @Test func `a target whose output is withheld is counted once, and no longer listed`() {
    var run = run([(0, asks(Self.genes)), (0, asks(Self.index)), (10, .withheld(Self.genes))])
    #expect(lines(run, at: 20) == ["[1/5]", "  index  asking"])
    run.handle(.finished(Samples.results[0]), at: .milliseconds(30))
    #expect(lines(run, at: 40) == ["[1/5]", "  index  asking"])
  }

  @Test func `every line is narrower than the terminal, so that none wraps`() {
    let run = run([
      (0, asks(Self.genes)), (100, gets(Self.genes, 1_000_000, 1_000_000, of: 4_000_000)),
      (900, gets(Self.genes, 2_000_000, 1_000_000, of: 4_000_000)), (950, asks(Self.index)),
    ])
    for columns in 11...120 {
      #expect(lines(run, at: 1000, columns).allSatisfy { TextWidth.of($0) < columns }, "\(columns) columns")
    }
    #expect(lines(run, at: 1000, 10).isEmpty)
  }

  @Test func `a low terminal is not overrun`() {
    let run = run((0..<5).map { (0, asks(TargetID($0))) })
    #expect(lines(run, at: 10, 80, 24).count == 6)
    #expect(lines(run, at: 10, 80, 5) == ["[0/5]", "  genes  asking", "  index  asking", "  and 3 more"])
    #expect(lines(run, at: 10, 80, 2) == ["[0/5]"])
    #expect(lines(run, at: 10, 80, 1) == [])
  }

  @Test func `the remaining time assumes average sizes for targets that have not begun`() {
    let run = run([
      (0, gets(Self.genes, 1_000_000, 1_000_000, of: 1_000_000)), (1000, .finished(Samples.results[0])),
    ])
    // 1 MB per second, and four more targets like it.
    #expect(run.timeLeft(at: .seconds(1)) == .seconds(4))
    #expect(lines(run, at: 1000)[0] == "[1/5]  1.0 MB  1.0 MB/s  about 4 s left")
  }

  @Test func `no remaining time is shown when nothing is left`() {
    var run = run([(0, gets(Self.genes, 1_000_000, 1_000_000, of: 1_000_000))])
    for number in 0..<run.total {
      var result = Samples.results[0]
      result.id = TargetID(number)
      run.handle(.finished(result), at: .seconds(1))
    }
    #expect(run.done == run.total && run.active.isEmpty)
    #expect(run.timeLeft(at: .seconds(1)) == nil)
  }

  @Test func `an absurd announced size only gives a long time`() {
    let run = run([
      (0, gets(Self.genes, 1, 1, of: 1)), (1000, .finished(Samples.results[0])),
      (4000, gets(Self.index, 1, 1, of: .max)),
    ])
    #expect(run.timeLeft(at: .milliseconds(7900)) == .seconds(1e10))
    #expect(!lines(run, at: 7900).isEmpty)
  }

  @Test func `the shown rate is that of the last four seconds`() {
    var rate = TransferRate()
    rate.add(1_000_000, at: .zero)
    #expect(rate.bytesPerSecond(at: .milliseconds(200)) == nil)
    #expect(rate.bytesPerSecond(at: .seconds(2)) == 500_000)
    #expect(rate.bytesPerSecond(at: .seconds(10)) == 0)
    rate.add(4000, at: .seconds(10))
    #expect(rate.bytesPerSecond(at: .seconds(11)) == 1000)
  }
}

/// A terminal that understands what a live display sends, and wraps and reflows as terminals do.
private struct Terminal {
  var columns: Int
  private(set) var rows = [""]
  private var row = 0
  private var column = 0

  init(columns: Int) { self.columns = columns }

  mutating func take(_ bytes: String) {
    var rest = Array(bytes.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        (row, column) = (row + 1, 0)
        if row == rows.count { rows.append("") }
      case "\u{1B}":
        _ = rest.popFirst()
        var number = ""
        while let next = rest.first, ("0"..."9").contains(next) || next == ";" {
          number.unicodeScalars.append(next)
          rest.removeFirst()
        }
        escape(rest.popFirst() ?? " ", Int(number) ?? 1)
      default:
        if column == columns { (row, column) = (row + 1, 0) }
        if row == rows.count { rows.append("") }
        var cells = Array(rows[row])
        while cells.count <= column { cells.append(" ") }
        cells[column] = Character(scalar)
        rows[row] = String(cells)
        column += 1
      }
    }
  }

  private mutating func escape(_ letter: Unicode.Scalar, _ number: Int) {
    switch letter {
    case "A": row = max(0, row - number)
    case "K": rows[row] = String(rows[row].prefix(column))
    case "J":
      rows[row] = String(rows[row].prefix(column))
      rows.removeSubrange((row + 1)...)
    case "m": break
    default: Issue.record("a terminal need not know \(letter)")
    }
  }

  /// Makes it narrower; lines that no longer fit continue in the next row.
  mutating func narrow(to columns: Int) {
    self.columns = columns
    let cursor = row == rows.count - 1
    rows = rows.flatMap { line -> [String] in
      let cells = Array(line)
      let pieces = stride(from: 0, to: max(1, cells.count), by: columns)
      return pieces.map { String(cells[$0..<min(cells.count, $0 + columns)]) }
    }
    if cursor { (row, column) = (rows.count - 1, rows[rows.count - 1].count) }
  }
}

@Suite struct LiveScreenTests {
  @Test func `new lines replace the previous ones, fewer or more`() {
    var screen = LiveScreen()
    var terminal = Terminal(columns: 40)
    terminal.take("$ run\n")
    for lines in [
      ["[0/3]", "  a long line", "  b"], ["[1/3]", "  b"], ["[2/3]"], ["[2/3]", "  c", "  d", "  e"],
    ] {
      terminal.take(screen.draw(lines, columns: 40))
      #expect(terminal.rows == ["$ run"] + lines)
    }
  }

  @Test func `unchanged lines write no bytes`() {
    var screen = LiveScreen()
    #expect(!screen.draw(["[0/3]"], columns: 40).isEmpty)
    #expect(screen.draw(["[0/3]"], columns: 40) == "")
  }

  @Test func `messages scroll above the lines`() {
    var screen = LiveScreen()
    var terminal = Terminal(columns: 40)
    terminal.take(screen.draw(["[0/3]", "  a", "  b"], columns: 40))
    terminal.take(screen.erase(columns: 40) + "updated  a\n")
    terminal.take(screen.draw(["[1/3]", "  b"], columns: 40))
    #expect(terminal.rows == ["updated  a", "[1/3]", "  b"])
  }

  @Test func `the end removes all lines`() {
    var screen = LiveScreen()
    var terminal = Terminal(columns: 40)
    terminal.take("$ run\n")
    terminal.take(screen.draw(["[0/3]", "  a"], columns: 40))
    terminal.take(screen.erase(columns: 40))
    terminal.take("done")
    #expect(terminal.rows.prefix(2) == ["$ run", "done"])
    #expect(terminal.rows.dropFirst(2).joined() == "")
    #expect(screen.erase(columns: 40) == "")
  }

  @Test(arguments: [5, 8, 13, 20, 39])
  func `a terminal that became narrower is redrawn completely`(columns: Int) {
    var screen = LiveScreen()
    var terminal = Terminal(columns: 40)
    terminal.take("$ run\n")
    terminal.take(
      screen.draw(
        ["\u{1B}[1m[10/30] 1.0 MB 1.0 MB/s\u{1B}[0m", "  a long name that needs its room", "  b"], columns: 40
      ))
    terminal.narrow(to: columns)
    terminal.take(screen.draw(["[1]", " a"], columns: columns))
    #expect(terminal.rows.suffix(3) == ["$ run".suffix(columns).description, "[1]", " a"].suffix(3))
  }
}
