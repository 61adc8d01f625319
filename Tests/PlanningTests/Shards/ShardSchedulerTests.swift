import Planning
import Testing

@Suite struct ShardSchedulerTests {
  private func find(_ variables: [String: String], total: Int? = nil) throws -> ShardScheduler.Answer {
    try ShardScheduler.find(total: total) { variables[$0] }
  }

  private func slurm(_ id: Int, _ first: Int, _ last: Int, step: Int = 1, count: Int? = nil) -> [String:
    String]
  {
    [
      "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_MIN": "\(first)", "SLURM_ARRAY_TASK_MAX": "\(last)",
      "SLURM_ARRAY_TASK_STEP": "\(step)",
      "SLURM_ARRAY_TASK_COUNT": "\(count ?? (last - first) / step + 1)",
      // A batch script of an array has these, too.
      "SLURM_PROCID": "0", "SLURM_NTASKS": "1",
    ]
  }

  @Test(arguments: [
    (["TEST_SHARD_INDEX": "2", "TEST_TOTAL_SHARDS": "16"], ShardScheduler.bazel),
    (["GTEST_SHARD_INDEX": "2", "GTEST_TOTAL_SHARDS": "16"], .googleTest),
    (["SLURM_STEP_ID": "0", "SLURM_PROCID": "2", "SLURM_NTASKS": "16"], .slurmStep),
    (["OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "16"], .openMPI),
    (["PMI_RANK": "2", "PMI_SIZE": "16"], .pmi),
    (["CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "16"], .gitLab),
    (["CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "16"], .circleCI),
    (["BUILDKITE_PARALLEL_JOB": "2", "BUILDKITE_PARALLEL_JOB_COUNT": "16"], .buildkite),
    (["AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "16"], .awsBatch),
  ])
  func `each scheduler's variables name the third of sixteen`(
    _ variables: [String: String], _ scheduler: ShardScheduler
  ) throws {
    let third = ShardScheduler.Answer(scheduler: scheduler, number: 3, total: 16)
    #expect(try find(variables) == third)
    #expect(try find(variables, total: 16) == third)
  }

  @Test func `a Slurm array may begin anywhere and have steps`() throws {
    for (variables, number) in [
      (slurm(2, 0, 15), 3), (slurm(3, 1, 16), 3), (slurm(104, 100, 130, step: 2), 3),
    ] {
      let answer = try find(variables)
      #expect(answer == .init(scheduler: .slurmArray, number: number, total: 16))
    }
    #expect(try find(slurm(7, 7, 7)) == .init(scheduler: .slurmArray, number: 1, total: 1))
  }

  @Test func `a Slurm array with holes is refused, whatever the total of the command line`() {
    let holes = ShardScheduler.Fault.sparse(count: 2, first: 3, last: 7, step: 1)
    #expect(throws: holes) { try find(slurm(3, 3, 7, count: 2)) }
    #expect(throws: holes) { try find(slurm(3, 3, 7, count: 2), total: 16) }
    #expect(throws: ShardScheduler.Fault.sparse(count: 4, first: 0, last: 7, step: 2)) {
      try find(slurm(1, 0, 7, step: 2))
    }
    #expect(throws: ShardScheduler.Fault.sparse(count: .max, first: 0, last: 1, step: 3)) {
      try find(slurm(1, 0, 1, step: 3, count: .max))
    }
  }

  @Test func `a part of an array that was submitted again is not taken for the whole`() {
    #expect(throws: ShardScheduler.Fault.otherTotal(variable: "SLURM_ARRAY_TASK_COUNT", value: 5, asked: 16))
    {
      try find(slurm(3, 3, 7), total: 16)
    }
  }

  @Test func `Kubernetes needs the total of the command line`() throws {
    let variables = ["JOB_COMPLETION_INDEX": "2"]
    #expect(try find(variables, total: 16) == .init(scheduler: .kubernetes, number: 3, total: 16))
    #expect(throws: ShardScheduler.Fault.noTotal(.kubernetes)) { try find(variables) }
    #expect(throws: ShardScheduler.Fault.range(variable: "JOB_COMPLETION_INDEX", total: 2)) {
      try find(variables, total: 2)
    }
  }

  @Test func `a process number without a step is no task`() throws {
    let batch = ["SLURM_PROCID": "0", "SLURM_NTASKS": "1", "SLURM_JOB_ID": "9"]
    #expect(throws: ShardScheduler.Fault.self) { try find(batch) }
    #expect(throws: ShardScheduler.Fault.self) { try find(batch, total: 16) }
  }

  @Test func `a GitLab job that is not parallel is no shard`() {
    #expect(throws: ShardScheduler.Fault.self) { try find(["CI_NODE_TOTAL": "1"]) }
    #expect(throws: ShardScheduler.Fault.range(variable: "CI_NODE_INDEX", total: 2)) {
      try find(["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "2"])
    }
  }

  @Test(arguments: ["SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"])
  func `a Slurm array without a variable that belongs to it is refused by that name`(_ missing: String) {
    var variables = slurm(3, 1, 16)
    variables[missing] = nil
    let fault = ShardScheduler.Fault.incomplete(
      variable: "SLURM_ARRAY_TASK_ID", missing: missing, totalHelps: false)
    #expect(throws: fault) { try find(variables) }
    // Whether it has holes cannot be seen.
    #expect(throws: fault) { try find(variables, total: 16) }
  }

  @Test func `a total that its scheduler should have told is asked for by name`() throws {
    let variables = ["CI_NODE_INDEX": "2"]
    #expect(
      throws: ShardScheduler.Fault.incomplete(
        variable: "CI_NODE_INDEX", missing: "CI_NODE_TOTAL", totalHelps: true)
    ) { try find(variables) }
    #expect(try find(variables, total: 4) == .init(scheduler: .gitLab, number: 2, total: 4))
  }

  @Test func `without variables it says what was looked for`() {
    for total in [nil, 16] {
      #expect(
        throws: ShardScheduler.Fault.none(lookedFor: [
          "TEST_SHARD_INDEX", "GTEST_SHARD_INDEX", "SLURM_ARRAY_TASK_ID", "SLURM_PROCID",
          "OMPI_COMM_WORLD_RANK", "PMI_RANK", "JOB_COMPLETION_INDEX", "CI_NODE_INDEX", "CIRCLE_NODE_INDEX",
          "BUILDKITE_PARALLEL_JOB", "AWS_BATCH_JOB_ARRAY_INDEX",
        ])
      ) { try find(["TEST_SHARD_INDEX": ""], total: total) }
    }
  }

  @Test func `the first complete pair counts`() throws {
    var variables = slurm(2, 0, 15)
    variables["CI_NODE_INDEX"] = "1"
    variables["CI_NODE_TOTAL"] = "2"
    #expect(try find(variables).scheduler == .slurmArray)
    variables["TEST_TOTAL_SHARDS"] = "4"
    #expect(try find(variables).scheduler == .slurmArray)
    variables["JOB_COMPLETION_INDEX"] = "0"
    variables["SLURM_ARRAY_TASK_COUNT"] = nil
    #expect(try find(variables).scheduler == .gitLab)
  }

  @Test(arguments: ["x", "-1", "+1", "1.5", " 1", "99999999999999999999"])
  func `what is no number is refused with its name`(_ value: String) {
    #expect(throws: ShardScheduler.Fault.noNumber(variable: "PMI_RANK", value: value)) {
      try find(["PMI_RANK": value, "PMI_SIZE": "4"])
    }
  }

  @Test func `numbers that are out of range are refused`() {
    for size in ["0", "2", "100001"] {
      #expect(throws: ShardScheduler.Fault.range(variable: "PMI_RANK", total: Int(size) ?? -1)) {
        try find(["PMI_RANK": size == "100001" ? "1" : "2", "PMI_SIZE": size])
      }
    }
  }
}
