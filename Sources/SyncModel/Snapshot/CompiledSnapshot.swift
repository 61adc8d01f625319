/// All that the answer "nothing is to be done" rests on, flat, so that the next run need not work it out again.
///
/// A run that found every target fresh writes one. As long as its premises hold, the state file is the same and each
/// output still has its signature, the next run would come to the same answer by the same rules, once the sources
/// in ``questions`` have said that they have nothing new (docs/decisions/0006 and 0010).
package struct CompiledSnapshot: Sendable, Equatable {
  /// One output.
  package struct Entry: Sendable, Equatable {
    /// What the output looked like when the run judged it fresh.
    package var signature: FileSignature
    /// The index of its folder in ``CompiledSnapshot/folders``.
    package var folder: UInt32
    /// Where its name begins in ``CompiledSnapshot/names``.
    package var name: UInt32
    /// What its source is to be asked, in ``CompiledSnapshot/questions``; `nil` where nobody need be asked.
    package var question: PlainQuestions.Place?
  }

  /// What must still be as it was for the snapshot to be believed.
  package let premises: SnapshotPremises
  /// What lets it outlive edits of the manifest; `nil` where it does not.
  package let outline: ManifestOutline?
  /// When every verdict holds.
  package private(set) var period = TimeSpan.always
  /// The name of the only target; `nil` where there are several, or none.
  package private(set) var onlyName: TargetName?
  /// From the root, without a slash at the end; "" is the root.
  package private(set) var folders: [String] = []
  /// In the order in which they were added, those of one folder mostly together.
  package private(set) var entries: [Entry] = []
  /// The last parts of the outputs' paths, each with a zero byte behind it.
  package private(set) var names: [UInt8] = []
  /// The texts of all questions, as ``PlainQuestions`` has them.
  package private(set) var questions: [UInt8] = []
  /// Those of the questions, each once, in the order in which they were added.
  package private(set) var hosts: [PlainQuestions.Host] = []
  private var places: [[UInt8]: UInt32] = [:]
  private var lastFolder: UInt32?
  private var hostPlaces: [String: UInt32] = [:]

  /// Of no target yet.
  package init(_ premises: SnapshotPremises, outline: ManifestOutline? = nil) {
    self.premises = premises
    self.outline = outline
  }

  /// Adds a target whose verdict holds in `period` while its output has `signature` and its source, where it is to
  /// be asked, answers `question` with 304.
  package mutating func add(
    _ name: TargetName, output: RelativePath, _ signature: FileSignature, in period: TimeSpan,
    asking question: PlainQuestion? = nil
  ) {
    self.period = self.period.intersection(period)
    onlyName = entries.isEmpty ? name : nil
    let text = output.text.utf8
    let slash = text.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { text[..<$0] } ?? text[text.startIndex..<text.startIndex]
    entries.append(
      Entry(
        signature: signature, folder: index(of: folder), name: UInt32(clamping: names.count),
        question: question.map { place(of: $0) }))
    names += slash.map { text[text.index(after: $0)...] } ?? text[...]
    names.append(0)
  }

  private mutating func place(of question: PlainQuestion) -> PlainQuestions.Place {
    let host = question.host
    let index = hostPlaces[host.name] ?? UInt32(clamping: hosts.count)
    if index == hosts.count {
      hosts.append(host)
      hostPlaces[host.name] = index
    }
    let place = PlainQuestions.Place(text: UInt32(clamping: questions.count), host: index)
    questions += PlainQuestions.bytes(url: question.url, conditions: question.conditions)
    return place
  }

  private mutating func index(of folder: Substring.UTF8View) -> UInt32 {
    if let lastFolder, folders[Int(lastFolder)].utf8.elementsEqual(folder) { return lastFolder }
    // Bytes, since Swift takes two spellings of one letter for the same.
    let key = Array(folder)
    let index = places[key] ?? UInt32(clamping: folders.count)
    if index == folders.count {
      folders.append(String(Substring(folder)))
      places[key] = index
    }
    lastFolder = index
    return index
  }
}

/// The moments from ``from`` on and before ``until``.
package struct TimeSpan: Sendable, Equatable {
  /// The first moment in it.
  package var from: Timestamp
  /// The first moment behind it; none lies in it where this is not after ``from``.
  package var until: Timestamp

  package init(from: Timestamp, until: Timestamp) {
    self.from = from
    self.until = until
  }

  /// Every moment but the last that a ``Timestamp`` can tell.
  package static let always = TimeSpan(
    from: Timestamp(nanoseconds: .min), until: Timestamp(nanoseconds: .max))

  /// Whether `moment` is in it: ``from`` is, ``until`` is not.
  package func contains(_ moment: Timestamp) -> Bool { from <= moment && moment < until }

  /// The moments that lie in both; ``contains(_:)`` none where there are none.
  package func intersection(_ other: TimeSpan) -> TimeSpan {
    TimeSpan(from: max(from, other.from), until: min(until, other.until))
  }
}
