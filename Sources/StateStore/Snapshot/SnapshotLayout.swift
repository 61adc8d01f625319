import SyncModel

/// How a ``CompiledSnapshot`` stands in its ``SealedForm``: words of eight bytes, then texts.
///
/// | from | what |
/// |---|---|
/// | ``SealedForm/contentOffset`` | the words of ``Field``, in its order |
/// | ``fixed`` | the state file's header, the premises' texts, the only target's name, the folders, the hosts; each a list |
/// | | the entries by folder, a ``SnapshotRow`` each |
/// | | the names |
/// | | the questions' texts, with zero bytes behind them |
/// | | the confirmed files, in their ``ConfirmedFilesForm`` |
///
/// All lengths stand in ``Field``, so that what lies where is known before anything is read.
enum SnapshotLayout {
  static let form = SealedForm("syncsnp8")
  static let fixed = SealedForm.contentOffset + 8 * Field.allCases.count

  enum Field: Int, CaseIterable {
    case manifestSize, manifestSum
    case stateSize, stateInode, stateModified, stateChanged
    /// 1 where the sum of the state's bytes follows, else 0.
    case hasStateSum
    case stateSum
    case from, until
    /// 1 where a target depends on another, else 0.
    case hasDependencies
    /// How many targets have no entry, since they are fresh whatever their outputs are.
    case unseen
    case headerLength, circumstancesLength, environmentLength, filesLength, patternsLength, listsLength,
      nameLength,
      foldersLength, hostsLength
    case entryCount, namesLength, questionsLength, confirmedLength

    var offset: Int { SealedForm.contentOffset + 8 * rawValue }
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
    let files = encode(premises.files.map { ($0.path.text, $0.sum) })
    let patterns = encode(premises.patterns.map { ($0.text, $0.sum) })
    let lists = encode(premises.lists.map { ($0.name, $0.sum) })
    let name = Array((snapshot.onlyName?.text ?? "").utf8)
    let folders = Array(FieldList.encode(snapshot.folders).utf8)
    let hosts = Array(FieldList.encode(snapshot.hosts.flatMap { [$0.name, String($0.connections)] }).utf8)
    let questions =
      snapshot.questions.isEmpty ? [] : snapshot.questions + repeatElement(0, count: PlainQuestions.textsEach)
    let confirmed = ConfirmedFilesForm.encode(snapshot.confirmed)
    var out = form.writer(
      premises.key,
      reserving: fixed + folders.count + snapshot.entries.count * SnapshotRow.size + snapshot.names.count
        + questions.count + confirmed.count + 4096)
    let numbers: [Int64] =
      [premises.manifest.count, Int64(bitPattern: premises.manifest.hash)] + state.numbers + [
        stateSum == nil ? 0 : 1, Int64(bitPattern: stateSum?.hash ?? 0), snapshot.period.from.nanoseconds,
        snapshot.period.until.nanoseconds, snapshot.hasDependencies ? 1 : 0, Int64(snapshot.unseen),
      ]
    let lengths = [
      header.count, circumstances.count, environment.count, files.count, patterns.count, lists.count,
      name.count,
      folders.count, hosts.count, snapshot.entries.count, snapshot.names.count, questions.count,
      confirmed.count,
    ]
    for number in numbers { out.add(number) }
    for length in lengths { out.add(Int64(length)) }
    for text in [header, circumstances, environment, files, patterns, lists, name, folders, hosts] {
      out.bytes += text
    }
    for entry in grouped(snapshot.entries) { out.append(SnapshotRow(entry)) }
    out.bytes += snapshot.names
    out.bytes += questions
    out.bytes += confirmed
    return SealedForm.sealed(out)
  }

  private static func encode(_ sums: [(String, ByteSum.Value)]) -> [UInt8] {
    Array(FieldList.encode(sums.flatMap { [$0, String($1.count), String($1.hash)] }).utf8)
  }

  /// The manifest's size in a file that begins so; `nil` if it is too short.
  static func manifestSize(in start: UnsafeRawBufferPointer) -> Int64? {
    var reader = unsafe BinaryReader(start, at: Field.manifestSize.offset)
    return try? reader.number()
  }

  /// A file's bytes with another manifest's sum and another period, and without the state's sum where the state is at
  /// rest.
  static func changed(
    _ bytes: [UInt8], manifest: ByteSum.Value? = nil, period: TimeSpan? = nil, isStateRested: Bool
  ) -> [UInt8] {
    var out = BinaryWriter(bytes: bytes)
    if let manifest {
      out.set(manifest.count, at: Field.manifestSize.offset)
      out.set(manifest.hash, at: Field.manifestSum.offset)
    }
    if let period {
      out.set(period.from.nanoseconds, at: Field.from.offset)
      out.set(period.until.nanoseconds, at: Field.until.offset)
    }
    if isStateRested {
      for field in [Field.hasStateSum, .stateSum] { out.set(0, at: field.offset) }
    }
    return SealedForm.sealed(out)
  }

  /// A file's bytes for another state, with other texts of questions, and the header where it was.
  static func revised(
    _ bytes: [UInt8], _ state: StateIdentity, stateSum: ByteSum.Value?, period: TimeSpan,
    header: Range<Int>, questions: Range<Int>, texts: [UInt8]
  ) -> [UInt8] {
    var out = BinaryWriter(bytes: bytes)
    out.bytes.replaceSubrange(questions, with: texts)
    out.bytes.replaceSubrange(header, with: state.header)
    let fields: [(Field, Int64)] =
      Array(zip([.stateSize, .stateInode, .stateModified, .stateChanged], state.numbers)) + [
        (.hasStateSum, stateSum == nil ? 0 : 1), (.stateSum, Int64(bitPattern: stateSum?.hash ?? 0)),
        (.from, period.from.nanoseconds), (.until, period.until.nanoseconds),
        (.questionsLength, Int64(texts.count)),
      ]
    for (field, value) in fields { out.set(value, at: field.offset) }
    return SealedForm.sealed(out)
  }

  /// By folder; the names order those of equal folders, so that the order is always the same.
  private static func grouped(_ entries: [CompiledSnapshot.Entry]) -> [CompiledSnapshot.Entry] {
    let isGrouped = zip(entries, entries.dropFirst()).allSatisfy { $0.folder <= $1.folder }
    return isGrouped ? entries : entries.sorted { ($0.folder, $0.name) < ($1.folder, $1.name) }
  }
}
