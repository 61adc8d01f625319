package import SyncModel

/// A ``CompiledSnapshot`` in its file form: read as a whole and checked, never converted to objects.
///
/// It is read, not mapped: if another process truncates a mapped file, this process gets a fatal signal.
package final class SnapshotImage: Sendable {
  /// The circumstances, the manifest's sum and the environment that it holds for.
  package let premises: SnapshotPremises
  /// When it holds.
  package let period: TimeSpan
  /// How many outputs are looked at.
  package let count: Int
  /// How many targets are fresh whatever their outputs are.
  package let unseen: Int
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
  private let parts: SnapshotParts
  private var hosts: [PlainQuestions.Host] { parts.hosts }

  /// `nil` for bytes that are not just as they were written.
  init?(_ bytes: [UInt8]) {
    guard SnapshotLayout.form.isIntact(bytes), let key = SnapshotLayout.form.key(of: bytes),
      let parts = unsafe bytes.withUnsafeBytes({ unsafe try? SnapshotParts($0) })
    else { return nil }
    func field(_ field: SnapshotLayout.Field) -> Int64 { parts.fields[field.rawValue] }
    self.bytes = bytes
    self.parts = parts
    folders = parts.folders
    asksSources = !parts.questions.isEmpty
    hasDependencies = field(.hasDependencies) != 0
    count = parts.rows.count / SnapshotRow.size
    unseen = Int(UInt32(clamping: field(.unseen)))
    onlyName = count == 1 && unseen == 0 ? TargetName(parts.name) : nil
    period = TimeSpan(
      from: Timestamp(nanoseconds: field(.from)), until: Timestamp(nanoseconds: field(.until)))
    premises = SnapshotPremises(
      circumstances: parts.circumstances, key: key,
      manifest: ByteSum.Value(
        count: field(.manifestSize), hash: UInt64(bitPattern: field(.manifestSum))),
      environment: parts.environment, files: parts.files, patterns: parts.patterns, lists: parts.lists)
    let numbers = [field(.stateSize), field(.stateInode), field(.stateModified), field(.stateChanged)]
    state = StateIdentity(
      numbers: numbers, header: Array(bytes[parts.header]), changed: field(.stateChanged))
    stateSum =
      field(.hasStateSum) == 0
      ? nil : ByteSum.Value(count: field(.stateSize), hash: UInt64(bitPattern: field(.stateSum)))
  }

  /// Whether `body` holds for every output in `range`: the index of its folder, its name, what it is, its signature.
  ///
  /// Ends with the first for which it does not. May be called by several threads at once.
  package func allSatisfy(
    in range: Range<Int>, _ body: (Int, UnsafePointer<CChar>, OutputLook, FileSignature) -> Bool
  ) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return true }
      let names = unsafe (start + parts.names.lowerBound).assumingMemoryBound(to: CChar.self)
      for index in range {
        let row = unsafe self.row(index, bytes)
        guard let look = row.look,
          unsafe body(Int(row.folder), names + Int(row.name), look, row.signature)
        else { return false }
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
        let row = unsafe self.row(index, bytes)
        let start = parts.names.lowerBound + Int(row.name)
        if row.folder == place, start + wanted.count < bytes.count,
          unsafe bytes[start + wanted.count] == 0,
          unsafe bytes[start..<start + wanted.count].elementsEqual(wanted)
        {
          return row.signature
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
        guard let place = unsafe row(index, bytes).question else { continue }
        places.append(place)
        entries.append(Int32(index))
      }
      let texts = unsafe UnsafeRawBufferPointer(rebasing: bytes[parts.questions])
      return unsafe PlainQuestions(hosts: hosts, places: places, texts: texts).map {
        Questions(questions: $0, entries: entries)
      }
    }
  }

  /// What a result says of each target whose source has confirmed its output, in manifest order; `nil` if that was not kept.
  package func confirmed() -> [ConfirmedFile]? {
    guard !parts.confirmed.isEmpty else { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe try? ConfirmedFilesForm.decode(
        UnsafeRawBufferPointer(rebasing: bytes[parts.confirmed]), count: count)
    }
  }

  /// The outputs of `entries`, each path with a zero byte behind it.
  package func outputs(of entries: some Sequence<Int32>) -> [UInt8] {
    var outputs: [UInt8] = []
    unsafe bytes.withUnsafeBytes { bytes in
      for index in entries {
        let row = unsafe self.row(Int(index), bytes)
        let folder = folders[Int(row.folder)]
        if !folder.isEmpty {
          outputs += folder.utf8
          outputs.append(UInt8(ascii: "/"))
        }
        let start = parts.names.lowerBound + Int(row.name)
        var end = start
        while unsafe bytes[end] != 0 { end += 1 }
        unsafe outputs.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...end]))
      }
    }
    return outputs
  }

  /// The manifest's number of an entry's target.
  package func target(of entry: Int32) -> Int {
    let row = unsafe bytes.withUnsafeBytes { unsafe self.row(Int(entry), $0) }
    return Int(row.target)
  }

  /// The bytes of a file in which the rows of `changed` replace the rows of the same outputs, for another state.
  ///
  /// `nil` if an output of `changed` has no row here, or other hosts, or if the snapshot has ``confirmed()`` files.
  func revised(
    with changed: CompiledSnapshot, _ state: StateIdentity, stateSum: ByteSum.Value?
  ) -> [UInt8]? {
    guard state.header.count == self.state.header.count, asksSources || changed.questions.isEmpty,
      parts.confirmed.isEmpty
    else {
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
    let texts =
      parts.questions.isEmpty ? [] : Array(bytes[parts.questions].dropLast(PlainQuestions.textsEach))
    var added: [UInt8] = []
    var left = changed.entries.count
    for index in 0..<Int32(count) where left > 0 {
      guard let place = places[outputs(of: CollectionOfOne(index)).dropLast()] else { continue }
      left -= 1
      let entry = changed.entries[place]
      var row = unsafe bytes.withUnsafeBytes { unsafe self.row(Int(index), $0) }
      row.signature = entry.signature
      row.look = entry.look
      row.question = nil
      if let question = entry.question {
        guard let host = hosts.firstIndex(of: changed.hosts[Int(question.host)]) else { return nil }
        row.question = PlainQuestions.Place(text: UInt32(texts.count + added.count), host: UInt32(host))
        added += Self.textsOfQuestion(in: changed.questions, at: Int(question.text))
      }
      out.store(row, at: parts.rows.lowerBound + Int(index) * SnapshotRow.size)
    }
    guard left == 0 else { return nil }
    // What rows no longer point to stays there for a while; from a certain size on it is worth a new snapshot.
    guard added.count + texts.count <= 2 * Self.usualTexts(count) + 65_536 else { return nil }
    return SnapshotLayout.revised(
      out.bytes, state, stateSum: stateSum, period: period.intersection(changed.period),
      header: parts.header, questions: parts.questions,
      texts: parts.questions.isEmpty ? [] : texts + added + [0, 0, 0])
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
  func withoutStateSum() -> [UInt8] { SnapshotLayout.changed(bytes, isStateRested: true) }

  /// The file's bytes with another manifest's sum and another period, and as above where the state is at rest.
  func holding(for manifest: ByteSum.Value, in period: TimeSpan, isStateRested: Bool) -> [UInt8] {
    SnapshotLayout.changed(bytes, manifest: manifest, period: period, isStateRested: isStateRested)
  }

  /// One of the rows, whose number ``SnapshotParts`` has checked.
  private func row(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> SnapshotRow {
    unsafe bytes.loadUnaligned(
      fromByteOffset: parts.rows.lowerBound + index * SnapshotRow.size, as: SnapshotRow.self)
  }
}
