/// What a document says of the shard that it is about.
package struct ShardFacts: Sendable, Equatable {
  /// Which one.
  package var shard: Shard
  /// The digest of the partition: documents with the same one are parts of one whole.
  package var partition: String

  /// `partition` is 32 hexadecimal digits.
  package init(_ shard: Shard, partition: String) {
    self.shard = shard
    self.partition = partition
  }
}
