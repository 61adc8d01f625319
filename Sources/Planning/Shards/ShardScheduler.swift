import SyncModel

/// The programs that start one process for each shard, and tell it by variables which one it is.
package enum ShardScheduler: String, Sendable, CaseIterable {
  /// Bazel and what shares its protocol, GoogleTest.
  case bazel = "Bazel"
  case googleTest = "GoogleTest"
  case slurmArray = "a Slurm array"
  /// The tasks of `srun`.
  case slurmStep = "a Slurm step"
  case openMPI = "Open MPI"
  /// MPICH, Intel MPI and others.
  case pmi = "MPI (PMI)"
  case kubernetes = "a Kubernetes indexed job"
  case gitLab = "GitLab"
  case circleCI = "CircleCI"
  case buildkite = "Buildkite"
  case awsBatch = "AWS Batch"

  /// What was found.
  package struct Answer: Sendable, Equatable {
    /// Who named the shard.
    package var scheduler: ShardScheduler
    /// From 1 to ``total``.
    package var number: Int
    /// The number of shards.
    package var total: Int

    /// `number` is from 1 to `total`.
    package init(scheduler: ShardScheduler, number: Int, total: Int) {
      self.scheduler = scheduler
      self.number = number
      self.total = total
    }
  }

  /// Why there is no answer; the texts are the variables' names and values.
  package enum Fault: Error, Sendable, Equatable {
    /// None of these variables is set.
    case none(lookedFor: [String])
    /// The scheduler tells no total, so that the user must.
    case noTotal(ShardScheduler)
    /// One variable is set, and another one that belongs to it is not; the user's total can stand in for it, or not.
    case incomplete(variable: String, missing: String, totalHelps: Bool)
    /// Numbers are left out of the array: these are no shards of one whole.
    case sparse(count: Int, first: Int, last: Int, step: Int)
    /// The variable is no number.
    case noNumber(variable: String, value: String)
    /// The variable names none of so many shards.
    case range(variable: String, total: Int)
    /// The user's total is not the scheduler's.
    case otherTotal(variable: String, value: Int, asked: Int)
  }

  /// Finds the first scheduler in the order of the cases whose variables are all set; an empty variable is none.
  ///
  /// - asked: the total of the command line, which one that tells none needs.
  package static func find(
    total asked: Int?, in variable: (String) -> String?
  ) throws(Fault) -> Answer {
    func number(_ name: String) throws(Fault) -> Int? {
      guard let text = variable(name), !text.isEmpty else { return nil }
      guard let number = Int(text), number >= 0, text.utf8.first != UInt8(ascii: "+") else {
        throw .noNumber(variable: name, value: text)
      }
      return number
    }
    // What is wrong with the first one that is there in part, should no other one be there whole.
    var partly: Fault?
    for scheduler in allCases {
      let row = scheduler.row
      guard try row.needs.map(number) ?? 0 != nil, let index = try number(row.index) else { continue }
      let total = try row.total.flatMap { (name) throws(Fault) in try number(name) }
      if let array = row.array {
        guard let count = total, let least = try number(array.first), let last = try number(array.last) else {
          for name in [row.total ?? "", array.first, array.last] where try number(name) == nil {
            partly = partly ?? .incomplete(variable: row.index, missing: name, totalHelps: false)
          }
          continue
        }
        let step = max(1, try number(array.step) ?? 1)
        // None of them is negative, and any may be huge.
        guard last >= least, (last - least) % step == 0, (last - least) / step == count - 1, index >= least,
          (index - least) % step == 0
        else { throw .sparse(count: count, first: least, last: last, step: step) }
        return try answer(scheduler, (row.index, (index - least) / step), (row.total, count), asked)
      }
      if let total {
        return try answer(scheduler, (row.index, index - row.first), (row.total, total), asked)
      }
      if let asked { return try answer(scheduler, (row.index, index - row.first), (nil, asked), asked) }
      partly =
        partly
        ?? row.total.map { .incomplete(variable: row.index, missing: $0, totalHelps: true) }
        ?? .noTotal(scheduler)
    }
    throw partly ?? .none(lookedFor: variables)
  }

  /// The variables with the shard's number, in the order in which they are looked for.
  package static var variables: [String] { allCases.map(\.row.index) }

  /// - place: the index, counted from 0.
  private static func answer(
    _ scheduler: ShardScheduler, _ place: (variable: String, value: Int),
    _ total: (variable: String?, value: Int), _ asked: Int?
  ) throws(Fault) -> Answer {
    if let asked, let variable = total.variable, asked != total.value {
      throw .otherTotal(variable: variable, value: total.value, asked: asked)
    }
    guard (1...Shard.mostShards).contains(total.value), (0..<total.value).contains(place.value) else {
      throw .range(variable: place.variable, total: total.value)
    }
    return Answer(scheduler: scheduler, number: place.value + 1, total: total.value)
  }

  /// The variables of one scheduler.
  private struct Row {
    var index: String
    /// The index of the first shard.
    var first = 0
    /// `nil` if it tells none.
    var total: String?
    /// Without this variable, the others mean something else.
    var needs: String?
    /// The bounds of an array that may begin anywhere.
    var array: (first: String, last: String, step: String)?
  }

  private var row: Row {
    switch self {
    case .bazel: Row(index: "TEST_SHARD_INDEX", total: "TEST_TOTAL_SHARDS")
    case .googleTest: Row(index: "GTEST_SHARD_INDEX", total: "GTEST_TOTAL_SHARDS")
    case .slurmArray:
      Row(
        index: "SLURM_ARRAY_TASK_ID", total: "SLURM_ARRAY_TASK_COUNT",
        array: ("SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"))
    // A batch script has a process number, too, and is no step.
    case .slurmStep: Row(index: "SLURM_PROCID", total: "SLURM_NTASKS", needs: "SLURM_STEP_ID")
    case .openMPI: Row(index: "OMPI_COMM_WORLD_RANK", total: "OMPI_COMM_WORLD_SIZE")
    case .pmi: Row(index: "PMI_RANK", total: "PMI_SIZE")
    case .kubernetes: Row(index: "JOB_COMPLETION_INDEX")
    // A job that is not parallel has the total 1 and no index.
    case .gitLab: Row(index: "CI_NODE_INDEX", first: 1, total: "CI_NODE_TOTAL")
    case .circleCI: Row(index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL")
    case .buildkite: Row(index: "BUILDKITE_PARALLEL_JOB", total: "BUILDKITE_PARALLEL_JOB_COUNT")
    case .awsBatch: Row(index: "AWS_BATCH_JOB_ARRAY_INDEX", total: "AWS_BATCH_JOB_ARRAY_SIZE")
    }
  }
}
