import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a shard notes in its state folder about the partitions that its state has served, so that the other shards need
/// not read that state (docs/decisions/0040).
///
/// Without a note, or with one that cannot be read, everything is read, so that nothing depends on it but time.
package struct ShardNote: Sendable, Equatable {
  /// The digest of the partition that the state serves; `nil` if it may have what belongs to other shards.
  package let partition: String?
  /// A number that tells one time of serving a partition from another one; 0 if the state has never served another one.
  package let series: UInt64
  /// A sum of the outputs for which ``taken`` holds.
  package private(set) var outputs: UInt64
  /// The series of those states, by folder, of which this one has whatever concerns its outputs.
  package private(set) var taken: [String: UInt64] = [:]

  private static let name = "partition"
  /// A line has less than 100 bytes.
  private static let largest = 100 * (Shard.mostShards + 2)

  private init(partition: String?, series: UInt64, outputs: UInt64, taken: [String: UInt64] = [:]) {
    self.partition = partition
    self.series = series
    self.outputs = outputs
    self.taken = taken
  }

  /// The note of a state that serves `partition`, for `outputs`, where `old` is the note of before.
  ///
  /// - isNew: whether the state does not exist yet.
  package init(continuing old: ShardNote?, partition: String?, outputs: [RelativePath], isNew: Bool) {
    let sum = Self.sum(outputs)
    guard let old, old.partition == partition, partition != nil, !isNew || old.series == 0 else {
      // Of a series that has begun once, nobody must think that it goes on.
      let series = isNew && old == nil && partition != nil ? 0 : UInt64.random(in: 1 ... .max)
      self.init(partition: partition, series: series, outputs: sum)
      return
    }
    self.init(
      partition: partition, series: old.series, outputs: sum,
      taken: isNew || old.outputs != sum ? [:] : old.taken)
  }

  /// Whether a shard with this note need not read the state of the shard with the note `other`, whose folder is `folder`.
  ///
  /// What a state has learned as it served this partition belongs to others. So it is enough to have read it once since
  /// it began to, and not even that if it has never served another partition.
  package func needsNothing(of other: ShardNote, in folder: String) -> Bool {
    partition != nil && other.partition == partition && (other.series == 0 || taken[folder] == other.series)
  }

  /// Notes that all is taken over that concerns the outputs; `other` is the note of before the state was read.
  package mutating func take(_ other: ShardNote?, of folder: String) {
    taken[folder] = other?.partition == partition && partition != nil ? other?.series : nil
  }

  private static func sum(_ outputs: [RelativePath]) -> UInt64 {
    let text = outputs.map(\.text).joined(separator: "\n")
    return unsafe Array(text.utf8).withUnsafeBytes { unsafe ByteSum.of($0, ByteSum.Key(words: (0, 0))).hash }
  }

  // MARK: The file

  /// The note in the state folder of `shard`, where `base` is that of a plain run; `nil` if there is none to be read.
  package static func read(_ shard: Shard, in base: String) -> ShardNote? {
    guard let folder = ShardFolders.open(shard, in: base), let file = try? folder.open(name, O_RDONLY),
      let bytes = try? file.readAll(limit: largest)
    else { return nil }
    return ShardNote(String(decoding: bytes, as: UTF8.self))
  }

  /// Writes the note into the shard's state folder, whose run lock is held; `old` is the one that is there.
  ///
  /// Before a state serves another partition, the old note is gone for good. That the new one cannot be written does no
  /// harm.
  package func write(in folder: StateFolder, over old: ShardNote?) throws(FailureCause) {
    // Of a note without a partition, nothing else counts.
    if partition == nil, let old, old.partition == nil { return }
    guard self != old else { return }
    if let old, old.partition != partition || old.series != series {
      let subject = FailureSubject.state(folder.path(of: Self.name), in: folder)
      try subject.attempt { () throws(SystemError) in
        try folder.top.remove(Self.name)
        try folder.top.sync()
      }
    }
    AtomicFile.replace(folder.path(of: Self.name), with: Array(text.utf8))
  }

  private init?(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: " ", omittingEmptySubsequences: false)
    }
    // The last line is empty: what is cut off has lost its end.
    guard lines.count > 2, lines.removeLast() == [""], lines[0].count == 3, lines[0][0] == "partition",
      let series = UInt64(lines[0][2], radix: 16), lines[1].count == 2, lines[1][0] == "outputs",
      let outputs = UInt64(lines[1][1], radix: 16)
    else { return nil }
    var taken: [String: UInt64] = [:]
    for line in lines[2...] {
      guard line.count == 3, line[0] == "taken", let series = UInt64(line[2], radix: 16) else { return nil }
      taken[String(line[1])] = series
    }
    self.init(
      partition: lines[0][1] == "-" ? nil : String(lines[0][1]), series: series, outputs: outputs,
      taken: taken)
  }

  private var text: String {
    func hexadecimal(_ number: UInt64) -> String { String(number, radix: 16) }
    let taken = taken.sorted { $0.key < $1.key }.map { "taken \($0.key) \(hexadecimal($0.value))\n" }
    return "partition \(partition ?? "-") \(hexadecimal(series))\noutputs \(hexadecimal(outputs))\n"
      + taken.joined()
  }
}
