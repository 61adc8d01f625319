/// All facts behind the answer "nothing to do", in flat form, so that the next run need not compute them again.
///
/// A run that finds every target fresh writes one. As long as its premises are true, the state file is the same and
/// each output has its signature, the next run would get the same answer from the same rules, once the sources have
/// answered the ``questions`` with "not modified" (docs/decisions/0006 and 0010).
package struct CompiledSnapshot: Sendable, Equatable {
  /// One output.
  package struct Entry: Sendable, Equatable {
    /// The output's signature when the run found it fresh.
    package var signature: FileSignature
    /// The index of its folder in ``CompiledSnapshot/folders``.
    package var folder: UInt32
    /// The start of its name in ``CompiledSnapshot/names``.
    package var name: UInt32
    /// The target's number in the manifest.
    package var target: UInt32
    /// What it is, and how it is looked at.
    package var look: OutputLook
    /// Its question in ``CompiledSnapshot/questions``; `nil` if no request is needed.
    package var question: PlainQuestions.Place?
  }

  /// The facts that must still be true.
  package let premises: SnapshotPremises
  /// Allows the snapshot to stay valid after edits of the manifest; `nil` if it cannot.
  package let outline: ManifestOutline?
  /// Whether a target of the manifest depends on another.
  package let hasDependencies: Bool
  /// The time span of all verdicts.
  package private(set) var period = TimeSpan.always
  /// The targets whose outputs are not looked at, since they are fresh whatever is there: those of entries that have
  /// left their lists.
  package private(set) var unseen = 0
  /// The name of the only target; `nil` if there are several, or none.
  package private(set) var onlyName: TargetName?
  /// From the root, without a slash at the end; "" is the root.
  package private(set) var folders: [String] = []
  /// In the order in which they were added, those of one folder mostly together.
  package private(set) var entries: [Entry] = []
  /// The last parts of the outputs' paths, each followed by a zero byte.
  package private(set) var names: [UInt8] = []
  /// The texts of all questions, as ``PlainQuestions`` has them.
  package private(set) var questions: [UInt8] = []
  /// The hosts of the requests, each once, in the order in which they were added.
  package private(set) var hosts: [PlainQuestions.Host] = []
  /// What a result says of each target whose source has confirmed its output, in manifest order; empty if no caller needs it.
  package var confirmed: [ConfirmedFile] = []
  private var places: [ByteString: UInt32] = [:]
  private var lastFolder: UInt32?
  private var hostPlaces: [String: UInt32] = [:]

  /// A snapshot without targets.
  package init(_ premises: SnapshotPremises, outline: ManifestOutline? = nil, hasDependencies: Bool = false) {
    self.premises = premises
    self.outline = outline
    self.hasDependencies = hasDependencies
  }

  /// Adds a target whose verdict is valid in `period` while its output has `signature` and its source answers
  /// `question`, if any, with 304. The signature of a folder is that of its listing.
  package mutating func add(
    _ name: TargetName, _ target: TargetID = TargetID(0), output: RelativePath, look: OutputLook = .file,
    _ signature: FileSignature, in period: TimeSpan, asking question: PlainQuestion? = nil
  ) {
    self.period = self.period.intersection(period)
    onlyName = entries.isEmpty && unseen == 0 ? name : nil
    let text = output.text.utf8
    let slash = text.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { text[..<$0] } ?? text[text.startIndex..<text.startIndex]
    entries.append(
      Entry(
        signature: signature, folder: index(of: Substring(folder)), name: UInt32(clamping: names.count),
        target: UInt32(clamping: target.index), look: look, question: question.map { place(of: $0) }))
    names += slash.map { text[text.index(after: $0)...] } ?? text[...]
    names.append(0)
  }

  /// Adds a target that is fresh whatever its output is.
  package mutating func addUnseen() {
    unseen += 1
    onlyName = nil
  }

  private mutating func place(of question: PlainQuestion) -> PlainQuestions.Place {
    let host = question.host
    // Mostly that of the one before.
    let index =
      hosts.last?.name == host.name
      ? UInt32(clamping: hosts.count - 1) : hostPlaces[host.name] ?? UInt32(clamping: hosts.count)
    if index == hosts.count {
      hosts.append(host)
      hostPlaces[host.name] = index
    }
    let place = PlainQuestions.Place(text: UInt32(clamping: questions.count), host: index)
    PlainQuestions.append(url: question.url, conditions: question.conditions, to: &questions)
    return place
  }

  private mutating func index(of folder: Substring) -> UInt32 {
    if let lastFolder, folders[Int(lastFolder)].hasSameBytes(as: folder) { return lastFolder }
    // Bytes, since Swift takes two spellings of one letter for the same.
    let key = ByteString(String(folder))
    let index = places[key] ?? UInt32(clamping: folders.count)
    if index == folders.count {
      folders.append(key.text)
      places[key] = index
    }
    lastFolder = index
    return index
  }
}

/// What an output is, and how it is compared with what was recorded of it.
package enum OutputLook: Sendable {
  /// A file, by its signature.
  case file
  /// A folder, by each entry of its listing.
  case folder
  /// The same, but edited files count as unchanged (`local_changes: keep`).
  case folderWithEdits

  /// That of a target's output in a run without `--overwrite`.
  package init(_ target: Target) {
    self = !target.output.isFolder ? .file : target.localChanges == .keep ? .folderWithEdits : .folder
  }
}

/// The moments from ``from`` on and before ``until``.
package struct TimeSpan: Sendable, Equatable {
  /// The first moment in it.
  package var from: Timestamp
  /// The first moment after it; the period is empty if this is not after ``from``.
  package var until: Timestamp

  /// The span is empty if `until` is not after `from`.
  package init(from: Timestamp, until: Timestamp) {
    self.from = from
    self.until = until
  }

  /// All moments of a ``Timestamp`` except the last.
  package static let always = TimeSpan(
    from: Timestamp(nanoseconds: .min), until: Timestamp(nanoseconds: .max))

  /// Whether `moment` is in it: ``from`` is, ``until`` is not.
  package func contains(_ moment: Timestamp) -> Bool { from <= moment && moment < until }

  /// The moments in both; empty if there are none.
  package func intersection(_ other: TimeSpan) -> TimeSpan {
    TimeSpan(from: max(from, other.from), until: min(until, other.until))
  }
}
