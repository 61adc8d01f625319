package import Planning
package import SyncModel

/// Why a shard cannot be had, in words: a message and what to do.
package enum ShardWording {
  /// Of a value of `--shard` or `--shards`, which `option` is.
  package static func message(_ fault: ShardRequest.Fault, _ text: String, option: String) -> String {
    switch fault {
    case .form:
      "the value of \(option) must be such as 3/16, seed/16, auto or auto/16, not '\(text)'"
    case .division(let name):
      "targets are divided by hash, size or host, not by '\(name)', as in size:3/16"
    case .part(let part):
      "a shard is a number in digits, seed or auto, not '\(part)', as in 3/16"
    case .total(let total):
      "the number of shards must be from 1 to \(Shard.mostShards), not '\(total)'"
    case .range(let number, let total):
      total == 1
        ? "the only shard of 1 is 1/1, not \(number)/1"
        : "the shard must be from 1 to \(total), not \(number)"
    }
  }

  /// Of the variables that `auto` reads.
  package static func message(_ fault: ShardScheduler.Fault) -> String {
    switch fault {
    case .none(let names):
      "--shard auto finds no scheduler: none of \(names.joined(separator: ", ")) is set with what belongs to it; name the shard, as in --shard 3/16"
    case .incomplete(let variable, let missing, let totalHelps):
      "\(variable) is set, but \(missing), which belongs to it, is not; "
        + (totalHelps
          ? "add the number of shards, as in --shard auto/16" : "name the shard, as in --shard 3/16")
    case .noTotal(let scheduler):
      "\(scheduler.rawValue) does not tell the number of shards; add it, as in --shard auto/16"
    case .sparse(let count, let first, let last, let step):
      "this Slurm array has holes: \(count) tasks from \(first) to \(last) in steps of \(step); use --shard $SLURM_ARRAY_TASK_ID/N"
    case .noNumber(let variable, let value):
      "\(variable) must be a number, not '\(value)'"
    case .range(let variable, let total):
      "\(variable) names none of \(total) shards"
    case .otherTotal(let variable, let value, let asked):
      "\(variable) is \(value), but --shard has \(asked) shards; to run a part of them again, name each: --shard 3/\(asked)"
    }
  }
}
