import SyncModel

/// The field `shard` of a document (contract, section 13).
enum ShardJSON {
  /// Nothing for a command that is not about a shard; `status` is that of the program's end, for `merge`.
  static func write(_ json: inout JSONWriter, _ facts: ShardFacts?, status: Int? = nil) {
    guard let facts else { return }
    json.object("shard") { json in
      json.field("index", facts.shard.index)
      json.field("total", facts.shard.total)
      json.field("by", facts.shard.division.rawValue)
      json.field("partition", facts.partition)
      json.field("exit_status", status)
    }
  }
}
