import SyncModel

/// How a ``CompiledSnapshot`` stands in its file: little-endian words of eight bytes, then texts.
///
/// | from | what |
/// |---|---|
/// | 0 | ``magic`` |
/// | 8 | the key of all sums, two words |
/// | 24 | the sum of everything from ``summed`` on, two words |
/// | 40 | the file's length |
/// | 48 | the words of ``Field``, in its order |
/// | ``fixed`` | the state file's header, the premises' texts, the only target's name, the folders, the hosts; each a list |
/// | | the entries, ``entrySize`` bytes each, by folder |
/// | | the names |
/// | | the questions' texts, with zero bytes behind them |
///
/// The magic ends in the format's number: a file of another format is no snapshot. All lengths stand in
/// ``Field``, so that what lies where is known before anything is read.
enum SnapshotLayout {
  static let magic = Array("syncsnp3".utf8)
  static let keyOffset = 8
  static let sumOffset = 24
  static let lengthOffset = 40
  /// Where the summed bytes begin.
  static let summed = 40
  static let fieldsOffset = 48
  static let fixed = fieldsOffset + 8 * Field.allCases.count
  static let entrySize = 56
  /// The index that stands for "no question".
  static let noQuestion: UInt64 = .max

  enum Field: Int, CaseIterable {
    case manifestSize, manifestSum0, manifestSum1
    case stateSize, stateInode, stateModified, stateChanged
    /// 1 where the sum of the state's bytes follows, else 0.
    case hasStateSum
    case stateSum0, stateSum1
    case from, until
    /// 1 where a target depends on another, else 0.
    case hasDependencies
    case headerLength, circumstancesLength, environmentLength, nameLength, foldersLength, hostsLength
    case entryCount, namesLength, questionsLength

    var offset: Int { SnapshotLayout.fieldsOffset + 8 * rawValue }
  }

  /// The file's bytes. `stateSum` is that of the state's bytes, where its times alone do not tell it.
  static func encode(
    _ snapshot: CompiledSnapshot, _ state: StateIdentity, stateSum: ByteSum.Value?
  ) -> [UInt8] {
    let premises = snapshot.premises
    let header = state.header
    let circumstances = Array(FieldList.encode(premises.circumstances).utf8)
    let environment = Array(
      FieldList.encode(premises.environment.flatMap { [$0.name, $0.mark.map { "=" + $0 } ?? ""] }).utf8)
    let name = Array((snapshot.onlyName?.text ?? "").utf8)
    let folders = Array(FieldList.encode(snapshot.folders).utf8)
    let hosts = Array(FieldList.encode(snapshot.hosts.flatMap { [$0.name, String($0.connections)] }).utf8)
    let questions =
      snapshot.questions.isEmpty ? [] : snapshot.questions + repeatElement(0, count: PlainQuestions.textsEach)
    var out = BinaryWriter()
    out.bytes.reserveCapacity(
      fixed + folders.count + snapshot.entries.count * entrySize + snapshot.names.count
        + questions.count + 4096)
    out.bytes += magic
    for word in [premises.key.words.0, premises.key.words.1, 0, 0, 0] { out.add(word) }
    let fields: [Int64] =
      [
        premises.manifest.count, Int64(bitPattern: premises.manifest.lanes.0),
        Int64(bitPattern: premises.manifest.lanes.1),
      ] + state.numbers + [
        stateSum == nil ? 0 : 1, Int64(bitPattern: stateSum?.lanes.0 ?? 0),
        Int64(bitPattern: stateSum?.lanes.1 ?? 0), snapshot.period.from.nanoseconds,
        snapshot.period.until.nanoseconds, snapshot.hasDependencies ? 1 : 0,
      ]
      + [
        header.count, circumstances.count, environment.count, name.count, folders.count, hosts.count,
        snapshot.entries.count, snapshot.names.count, questions.count,
      ].map(Int64.init)
    for field in fields { out.add(UInt64(bitPattern: field)) }
    for text in [header, circumstances, environment, name, folders, hosts] { out.bytes += text }
    add(snapshot.entries, to: &out)
    out.bytes += snapshot.names
    out.bytes += questions
    out.set(UInt64(out.bytes.count), at: lengthOffset)
    return sealed(out, premises.key)
  }

  /// A file's bytes with another manifest's sum and another period, and without the state's sum where the state is at
  /// rest.
  static func changed(
    _ bytes: [UInt8], _ key: ByteSum.Key, manifest: ByteSum.Value? = nil, period: TimeSpan? = nil,
    isStateRested: Bool
  ) -> [UInt8] {
    var out = BinaryWriter(bytes: bytes)
    if let manifest {
      out.set(UInt64(bitPattern: manifest.count), at: Field.manifestSize.offset)
      out.set(manifest.lanes.0, at: Field.manifestSum0.offset)
      out.set(manifest.lanes.1, at: Field.manifestSum1.offset)
    }
    if let period {
      out.set(UInt64(bitPattern: period.from.nanoseconds), at: Field.from.offset)
      out.set(UInt64(bitPattern: period.until.nanoseconds), at: Field.until.offset)
    }
    if isStateRested {
      for field in [Field.hasStateSum, .stateSum0, .stateSum1] { out.set(0, at: field.offset) }
    }
    return sealed(out, key)
  }

  /// A file's bytes for another state, with other texts of questions, and the header where it was.
  static func revised(
    _ bytes: [UInt8], _ key: ByteSum.Key, _ state: StateIdentity, stateSum: ByteSum.Value?, period: TimeSpan,
    header: Range<Int>, questions: Range<Int>, texts: [UInt8]
  ) -> [UInt8] {
    var out = BinaryWriter(bytes: bytes)
    out.bytes.replaceSubrange(questions, with: texts)
    out.bytes.replaceSubrange(header, with: state.header)
    out.set(UInt64(out.bytes.count), at: lengthOffset)
    let fields: [(Field, Int64)] =
      Array(zip([.stateSize, .stateInode, .stateModified, .stateChanged], state.numbers)) + [
        (.hasStateSum, stateSum == nil ? 0 : 1),
        (.stateSum0, Int64(bitPattern: stateSum?.lanes.0 ?? 0)),
        (.stateSum1, Int64(bitPattern: stateSum?.lanes.1 ?? 0)),
        (.from, period.from.nanoseconds), (.until, period.until.nanoseconds),
        (.questionsLength, Int64(texts.count)),
      ]
    for (field, value) in fields { out.set(UInt64(bitPattern: value), at: field.offset) }
    return sealed(out, key)
  }

  static func sealed(_ words: consuming BinaryWriter, _ key: ByteSum.Key) -> [UInt8] {
    let sum = sum(words.bytes, key)
    words.set(sum.lanes.0, at: sumOffset)
    words.set(sum.lanes.1, at: sumOffset + 8)
    return words.bytes
  }

  /// The value at ``sumOffset``.
  static func sum(_ bytes: [UInt8], _ key: ByteSum.Key) -> ByteSum.Value {
    unsafe bytes.withUnsafeBytes { unsafe ByteSum.of(UnsafeRawBufferPointer(rebasing: $0[summed...]), key) }
  }

  private static func add(_ entries: [CompiledSnapshot.Entry], to out: inout BinaryWriter) {
    func write(_ entry: CompiledSnapshot.Entry) {
      out.add(UInt64(bitPattern: entry.signature.size))
      out.add(UInt64(bitPattern: entry.signature.modified.nanoseconds))
      out.add(UInt64(bitPattern: entry.signature.changed.nanoseconds))
      out.add(entry.signature.inode)
      out.add(UInt64(entry.folder) << 32 | UInt64(entry.name))
      out.add(entry.question.map { UInt64($0.host) << 32 | UInt64($0.text) } ?? noQuestion)
      out.add(UInt64(entry.target))
    }
    let isGrouped = zip(entries, entries.dropFirst()).allSatisfy { $0.folder <= $1.folder }
    // The names order the entries of equal folders, so that the order is always the same.
    let grouped =
      isGrouped ? entries : entries.sorted { ($0.folder, $0.name) < ($1.folder, $1.name) }
    for entry in grouped { write(entry) }
  }
}
