package import SyncModel

/// A ``CompiledSnapshot`` in its file form: read as a whole and checked, never converted to objects.
///
/// It is read, not mapped: if another process truncates a mapped file, this process gets a fatal signal.
package final class SnapshotImage: Sendable {
  /// The circumstances, the manifest's sum and the environment that it holds for.
  package let premises: SnapshotPremises
  /// When it holds.
  package let period: TimeSpan
  /// How many targets it speaks of.
  package let count: Int
  /// The only target's name.
  package let onlyName: TargetName?
  /// From the root, "" being the root itself.
  package let folders: [String]
  /// Whether sources are to be asked: then ``questions()`` are part of what the answer rests on.
  package let asksSources: Bool
  /// Whether a target of the manifest depends on another.
  package let hasDependencies: Bool
  let state: StateIdentity
  /// `nil` where the state file was at rest when the snapshot was made, so that its times tell all.
  let stateSum: ByteSum.Value?
  private let bytes: [UInt8]
  private let entriesOffset: Int
  private let namesOffset: Int
  private let questionTexts: Range<Int>
  private let hosts: [PlainQuestions.Host]

  /// `nil` for bytes that are not just as they were written.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= SnapshotLayout.fixed, bytes.starts(with: SnapshotLayout.magic) else { return nil }
    func word(_ offset: Int) -> UInt64 { BinaryWriter.word(bytes, offset) }
    func field(_ field: SnapshotLayout.Field) -> Int64 { Int64(bitPattern: word(field.offset)) }
    let key = ByteSum.Key(words: (word(SnapshotLayout.keyOffset), word(SnapshotLayout.keyOffset + 8)))
    let sum = (word(SnapshotLayout.sumOffset), word(SnapshotLayout.sumOffset + 8))
    guard word(SnapshotLayout.lengthOffset) == UInt64(bytes.count),
      SnapshotLayout.sum(bytes, key).lanes == sum
    else { return nil }

    // From here on the bytes are those that some program wrote, which may still have been written to harm.
    var parts = Parts(bytes, at: SnapshotLayout.fixed)
    guard let header = parts.take(field(.headerLength)),
      let circumstances = parts.list(field(.circumstancesLength)),
      let environment = Self.variables(parts.list(field(.environmentLength))),
      let name = parts.take(field(.nameLength)), let folders = parts.list(field(.foldersLength)),
      let hosts = Self.hosts(parts.list(field(.hostsLength))),
      let entries = parts.skip(field(.entryCount), times: SnapshotLayout.entrySize),
      let names = parts.skip(field(.namesLength), times: 1),
      let questions = parts.skip(field(.questionsLength), times: 1), parts.isAtEnd
    else { return nil }
    // So that every name ends, wherever it begins.
    guard names.isEmpty || bytes[names.upperBound - 1] == 0 else { return nil }
    self.folders = folders
    self.hosts = hosts
    self.bytes = bytes
    questionTexts = questions
    asksSources = !questions.isEmpty
    hasDependencies = field(.hasDependencies) != 0
    count = entries.count / SnapshotLayout.entrySize
    entriesOffset = entries.lowerBound
    namesOffset = names.lowerBound
    onlyName = count == 1 ? TargetName(String(decoding: name, as: UTF8.self)) : nil
    period = TimeSpan(
      from: Timestamp(nanoseconds: field(.from)), until: Timestamp(nanoseconds: field(.until)))
    premises = SnapshotPremises(
      circumstances: circumstances, key: key,
      manifest: ByteSum.Value(
        count: field(.manifestSize),
        lanes: (
          word(SnapshotLayout.Field.manifestSum0.offset),
          word(SnapshotLayout.Field.manifestSum1.offset)
        )),
      environment: environment)
    let numbers = [field(.stateSize), field(.stateInode), field(.stateModified), field(.stateChanged)]
    state = StateIdentity(numbers: numbers, header: Array(header), changed: field(.stateChanged))
    stateSum =
      field(.hasStateSum) == 0
      ? nil
      : ByteSum.Value(
        count: field(.stateSize),
        lanes: (word(SnapshotLayout.Field.stateSum0.offset), word(SnapshotLayout.Field.stateSum1.offset)))
    guard areInBounds(names.count) else { return nil }
  }

  /// Whether `body` holds for every output in `range`: the index of its folder, its name, its signature.
  ///
  /// Ends with the first for which it does not. May be called by several threads at once.
  package func allSatisfy(
    in range: Range<Int>, _ body: (Int, UnsafePointer<CChar>, FileSignature) -> Bool
  ) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return true }
      let names = unsafe (start + namesOffset).assumingMemoryBound(to: CChar.self)
      for index in range {
        let (signature, folder, name) = unsafe Self.entry(
          bytes, entriesOffset + index * SnapshotLayout.entrySize)
        guard unsafe body(folder, names + name, signature) else { return false }
      }
      return true
    }
  }

  /// What the output at `path` must have; `nil` where it is not one of them.
  package func signature(of path: RelativePath) -> FileSignature? {
    let text = Array(path.text.utf8)
    let slash = text.lastIndex(of: UInt8(ascii: "/"))
    let (folder, wanted) = (text[..<(slash ?? 0)], text[(slash.map { $0 + 1 } ?? 0)...])
    // Bytes, since Swift takes two spellings of one letter for the same.
    guard let place = folders.firstIndex(where: { $0.utf8.elementsEqual(folder) }) else { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
      for index in 0..<count {
        let (signature, folder, name) = unsafe Self.entry(
          bytes, entriesOffset + index * SnapshotLayout.entrySize)
        let start = namesOffset + name
        if folder == place, start + wanted.count < bytes.count, unsafe bytes[start + wanted.count] == 0,
          unsafe bytes[start..<start + wanted.count].elementsEqual(wanted)
        {
          return signature
        }
      }
      return nil
    }
  }

  /// What sources are to be asked, and about what.
  package struct Questions {
    /// In the entries' order.
    package let questions: PlainQuestions
    /// The entry of each question.
    package let entries: [Int32]
  }

  /// What sources are to be asked; `nil` where the snapshot lies.
  package func questions() -> Questions? {
    var places: [PlainQuestions.Place] = []
    var entries: [Int32] = []
    places.reserveCapacity(count)
    entries.reserveCapacity(count)
    return unsafe bytes.withUnsafeBytes { bytes in
      for index in 0..<count {
        let offset = entriesOffset + index * SnapshotLayout.entrySize
        let word = unsafe UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 40, as: UInt64.self))
        guard word != SnapshotLayout.noQuestion else { continue }
        places.append(PlainQuestions.Place(text: UInt32(truncatingIfNeeded: word), host: UInt32(word >> 32)))
        entries.append(Int32(index))
      }
      let texts = unsafe UnsafeRawBufferPointer(rebasing: bytes[questionTexts])
      return unsafe PlainQuestions(hosts: hosts, places: places, texts: texts).map {
        Questions(questions: $0, entries: entries)
      }
    }
  }

  /// The outputs of `entries`, each path with a zero byte behind it.
  package func outputs(of entries: some Sequence<Int32>) -> [UInt8] {
    var outputs: [UInt8] = []
    unsafe bytes.withUnsafeBytes { bytes in
      for index in entries {
        let (_, folder, name) = unsafe Self.entry(
          bytes, entriesOffset + Int(index) * SnapshotLayout.entrySize)
        if !folders[folder].isEmpty {
          outputs += folders[folder].utf8
          outputs.append(UInt8(ascii: "/"))
        }
        var end = namesOffset + name
        while unsafe bytes[end] != 0 { end += 1 }
        unsafe outputs.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[(namesOffset + name)...end]))
      }
    }
    return outputs
  }

  /// The manifest's number of an entry's target.
  package func target(of entry: Int32) -> Int {
    Int(BinaryWriter.word(bytes, entriesOffset + Int(entry) * SnapshotLayout.entrySize + 48) & 0xFFFF_FFFF)
  }

  /// The bytes of a file in which the rows of `changed` replace the rows of the same outputs, for another state.
  ///
  /// `nil` if an output of `changed` has no row here, or other hosts.
  func revised(
    with changed: CompiledSnapshot, _ state: StateIdentity, stateSum: ByteSum.Value?
  ) -> [UInt8]? {
    guard state.header.count == self.state.header.count, asksSources || changed.questions.isEmpty else {
      return nil
    }
    var places: [[UInt8]: Int] = [:]
    for (index, entry) in changed.entries.enumerated() {
      let folder = Array(changed.folders[Int(entry.folder)].utf8)
      let name = changed.names[Int(entry.name)...].prefix { $0 != 0 }
      places[(folder.isEmpty ? [] : folder + [UInt8(ascii: "/")]) + name] = index
    }
    var out = BinaryWriter(bytes: bytes)
    // Behind the texts stand zero bytes that are the end of the last one.
    let texts = questionTexts.isEmpty ? [] : Array(bytes[questionTexts].dropLast(PlainQuestions.textsEach))
    var added: [UInt8] = []
    var left = changed.entries.count
    for index in 0..<Int32(count) where left > 0 {
      guard let place = places[outputs(of: CollectionOfOne(index)).dropLast()] else { continue }
      left -= 1
      let entry = changed.entries[place]
      let offset = entriesOffset + Int(index) * SnapshotLayout.entrySize
      let signature = entry.signature
      out.set(UInt64(bitPattern: signature.size), at: offset)
      out.set(UInt64(bitPattern: signature.modified.nanoseconds), at: offset + 8)
      out.set(UInt64(bitPattern: signature.changed.nanoseconds), at: offset + 16)
      out.set(signature.inode, at: offset + 24)
      guard let question = entry.question else {
        out.set(SnapshotLayout.noQuestion, at: offset + 40)
        continue
      }
      let host = changed.hosts[Int(question.host)]
      guard let hostPlace = hosts.firstIndex(of: host) else { return nil }
      out.set(UInt64(hostPlace) << 32 | UInt64(texts.count + added.count), at: offset + 40)
      added += Self.textsOfQuestion(in: changed.questions, at: Int(question.text))
    }
    guard left == 0 else { return nil }
    // What rows no longer point to stays there for a while; from a certain size on it is worth a new snapshot.
    guard added.count + texts.count <= 2 * Self.usualTexts(count) + 65_536 else { return nil }
    return out.bytes.isEmpty
      ? nil
      : SnapshotLayout.revised(
        out.bytes, premises.key, state, stateSum: stateSum,
        period: period.intersection(changed.period),
        header: SnapshotLayout.fixed..<SnapshotLayout.fixed + state.header.count,
        questions: questionTexts,
        texts: questionTexts.isEmpty ? [] : texts + added + [0, 0, 0])
  }

  /// More than the questions of so many targets take as a rule.
  private static func usualTexts(_ count: Int) -> Int { 512 * count }

  /// A URL and two header lines, each with its zero byte.
  private static func textsOfQuestion(in texts: [UInt8], at start: Int) -> ArraySlice<UInt8> {
    var end = start
    for _ in 0..<PlainQuestions.textsEach { end = (texts[end...].firstIndex(of: 0) ?? texts.count - 1) + 1 }
    return texts[start..<end]
  }

  /// The file's bytes with nothing about the state file but its identity.
  func withoutStateSum() -> [UInt8] { SnapshotLayout.changed(bytes, premises.key, isStateRested: true) }

  /// The file's bytes with another manifest's sum and another period, and as above where the state is at rest.
  func holding(for manifest: ByteSum.Value, in period: TimeSpan, isStateRested: Bool) -> [UInt8] {
    SnapshotLayout.changed(
      bytes, premises.key, manifest: manifest, period: period, isStateRested: isStateRested)
  }

  private static func entry(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int
  ) -> (FileSignature, folder: Int, name: Int) {
    func word(_ index: Int) -> UInt64 {
      unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self))
    }
    let signature = FileSignature(
      size: Int64(bitPattern: word(0)), modified: Timestamp(nanoseconds: Int64(bitPattern: word(1))),
      changed: Timestamp(nanoseconds: Int64(bitPattern: word(2))), inode: word(3))
    return (signature, Int(word(4) >> 32), Int(word(4) & 0xFFFF_FFFF))
  }

  /// Whether every entry's folder and name are there.
  private func areInBounds(_ namesCount: Int) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      (0..<count).allSatisfy { index in
        let (_, folder, name) = unsafe Self.entry(bytes, entriesOffset + index * SnapshotLayout.entrySize)
        return folder < folders.count && name < namesCount
      }
    }
  }

  private static func hosts(_ parts: [String]?) -> [PlainQuestions.Host]? {
    guard let parts, parts.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: parts.count, by: 2).map {
      PlainQuestions.Host(name: parts[$0], connections: Int(parts[$0 + 1]) ?? 0)
    }
  }

  private static func variables(_ parts: [String]?) -> [SnapshotPremises.Variable]? {
    guard let parts, parts.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: parts.count, by: 2).map { index in
      let mark = parts[index + 1]
      return SnapshotPremises.Variable(
        name: parts[index], mark: mark.isEmpty ? nil : String(mark.dropFirst()))
    }
  }
}

/// Takes bytes apart, never past their end.
private struct Parts {
  private let bytes: [UInt8]
  private var offset: Int

  init(_ bytes: [UInt8], at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func skip(_ count: Int64, times size: Int) -> Range<Int>? {
    guard count >= 0, count <= (bytes.count - offset) / size else { return nil }
    defer { offset += Int(count) * size }
    return offset..<(offset + Int(count) * size)
  }

  mutating func take(_ length: Int64) -> ArraySlice<UInt8>? { skip(length, times: 1).map { bytes[$0] } }

  mutating func list(_ length: Int64) -> [String]? {
    skip(length, times: 1).flatMap { range in
      unsafe bytes.withUnsafeBytes { unsafe FieldList.decode(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }
}
