package import Planning
package import SyncModel

/// What `plan --shards` prints: each shard of a partition, for people and as `syncmake.shards/1`
/// (`schema/shards.schema.json`).
package enum ShardTableText {
  /// A line for each shard, seed first if it has anything to do.
  package static func render(_ rows: [ShardPartition.Row], style: TextStyle) -> String {
    var table = TextTable([
      ("shard", .whole), ("targets", .right), ("shared needs", .right), ("size", .right),
    ])
    for row in rows where row.targets > 0 || row.shard.part != .seed {
      table.add([
        row.shard.text, "\(row.targets)", row.needs == 0 ? "" : "\(row.needs)",
        row.bytes.map { Quantity.size($0) } ?? "",
      ])
    }
    return table.render(style)
  }

  /// The same as a document; ends in a line end.
  package static func json(_ rows: [ShardPartition.Row], of partition: ShardPartition, manifest: Manifest)
    -> String
  {
    JSONWriter.document { json in
      json.field("format", "syncmake.shards/1")
      json.field("manifest", manifest.secrets.mask(manifest.fileName))
      json.field("total", partition.total)
      json.field("by", partition.division.rawValue)
      json.field("partition", partition.digest)
      json.objects("shards", rows) { json, row in
        json.field("index", row.shard.index)
        json.field("targets", row.targets)
        json.field("shared_needs", row.needs)
        json.field("bytes", row.bytes)
      }
    }
  }
}
