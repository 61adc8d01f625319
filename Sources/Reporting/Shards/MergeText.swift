import SyncModel

/// Why reports cannot be merged, in words, and what to do.
package enum MergeText {
  /// A file that is no report of a shard.
  package static func wording(_ fault: ShardReport.Fault, path: String) -> (message: String, hint: String?) {
    switch fault {
    case .cutOff(let line):
      (
        "\(path) is cut off or no JSON (line \(line))",
        "run its shard again, and let it write a file of its own; what is finished is not fetched again"
      )
    case .several(let line):
      (
        "\(path) has more than one JSON document: another one begins in line \(line)",
        "each shard needs a file of its own: split this one, or run its shards again"
      )
    case .foreign:
      ("\(path) is not what `run --shard --json` prints", nil)
    }
  }

  /// Reports that are not those of one whole.
  package static func wording(_ fault: MergedReports.Fault) -> (message: String, hint: String?) {
    switch fault {
    case .double(_, let first, let second) where first == second:
      ("\(first) is named twice", "name each report once")
    case .double(let shard, let first, let second):
      ("\(first) and \(second) are both of shard \(shard.text)", "name the later one only")
    case .foreign(let path, let first, let field, let value, let firstValue):
      (
        "\(path) is not of the same whole as \(first): its \(field) is \(value), not \(firstValue)",
        "all shards must have the same manifest, selection, lock and total"
          + (field == "partition" ? "; a lock makes lists and values the same for all" : "")
      )
    case .missing(let numbers, let total, let division): missing(numbers, of: total, by: division)
    }
  }

  private static func missing(_ numbers: [Int], of total: Int, by division: Shard.Division) -> (
    String, String
  ) {
    if numbers.count == 1 {
      return (
        "the report of shard \(numbers[0]) is missing",
        "run it again with --shard \(Shard(.number(numbers[0]), of: total, by: division).text), and merge all reports"
      )
    }
    let ranges = ranges(numbers)
    return (
      "the reports of \(numbers.count) shards are missing: \(ranges)",
      "run them again, in Slurm with --array=\(ranges) and --shard \(division.prefix)$SLURM_ARRAY_TASK_ID/\(total), and merge all reports"
    )
  }

  /// Ascending numbers as Slurm's `--array` takes them: `3,7-9`.
  static func ranges(_ numbers: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }
}
