import Execution
import Planning
import SyncModel

/// The compiled snapshot of files without a manifest: whether their sources confirm all of them, without making a manifest
/// and reading the state (docs/decisions/0042).
struct FileSnapshot {
  /// Where the manifest of these files would be.
  let location: ManifestLocation
  /// All that the files declare.
  let declaration: [UInt8]
  private let files: [FileSync]
  private let options: RunOptions
  private let environment: [String: String]

  /// A call with fewer files gains little by one, which it would have to write.
  private static let fewest = 64

  /// `nil` where none may be: for few files, those of several folders, with credentials, or with options of one run.
  init?(_ files: [FileSync], _ options: RunOptions, _ environment: [String: String]) {
    guard files.count >= Self.fewest, let first = files.first, options.allowSnapshot,
      files.allSatisfy({
        $0.credentials == nil && $0.root.hasSameBytes(as: first.root)
          && $0.state.hasSameBytes(as: first.state)
      }),
      let location = try? ManifestWork.locate(
        file: ManifestWork.file(in: first.root), state: first.state, environment, allowsSnapshots: true)
    else { return nil }
    self.location = location
    self.files = files
    self.options = options
    self.environment = environment
    declaration = FileDeclaration(files).bytes
  }

  /// What the snapshot leads to.
  struct Found {
    /// One for each file; `nil` if the run must look at each.
    var results: [TargetResult]?
    /// Requests that were made and must not be repeated.
    var early: EarlyAnswers?
  }

  /// Asks the sources, if an earlier run of just these files has left a snapshot that still holds.
  func find(_ stop: StopSignal) -> Found {
    guard var question = location.quickQuestion(ofDeclared: declaration) else { return Found() }
    question.isUnwanted = { stop.isStopped }
    question.asking = {
      let settings = options.settings(environment)
      return QuickCheck.Asking(jobs: settings.resources.jobs, network: settings.network) { stop.isStopped }
    }
    let clock = ContinuousClock()
    let start = clock.now
    let answer = QuickCheck.answer(question)
    return Found(results: results(of: answer, after: clock.now - start), early: answer.early)
  }

  /// As a run has them, whose verdict on each is that its source has confirmed it.
  private func results(of answer: QuickCheck.Answer, after duration: Duration) -> [TargetResult]? {
    guard let confirmed = answer.confirmed, confirmed.count == files.count else { return nil }
    let manifest = SyncModel.Manifest(fileName: location.path, targets: [])
    // What callers see is the destination.
    let name = TargetName("file")
    var results: [TargetResult] = []
    results.reserveCapacity(files.count)
    for (index, (file, now)) in zip(files, confirmed).enumerated() {
      guard let output = try? file.output else { return nil }
      let validators = Validators(etag: now.etag, lastModified: now.lastModified, url: file.urls.first ?? "")
      var result = SyncModel.TargetResult(
        id: TargetID(index), name: name, outcome: .fresh,
        reason: .fresh(.notModified(validators)), output: output)
      result.content = ContentIdentity(size: now.size, sha256: now.sha256)
      result.totals = ExchangeTotals(requests: 1)
      result.httpStatus = 304
      result.duration = duration
      results.append(TargetResult(result, of: manifest, name: file.destination))
    }
    return results
  }
}

/// All that files declare, in bytes that no other files have.
///
/// A manifest's text would take several times as long to write.
struct FileDeclaration {
  private(set) var bytes: [UInt8] = []

  init(_ files: [FileSync]) {
    bytes.reserveCapacity(files.count * 128)
    for file in files {
      add(file.urls)
      add(file.destination)
      add(file.rule.text)
      add(file.steps.map(\.text))
      add(file.headers.fields.flatMap { [$0.name, $0.value] })
      add(file.maximumSize.map(String.init) ?? "")
      add(file.localChanges.rawValue)
    }
  }

  private mutating func add(_ texts: [String]) {
    add(number: texts.count)
    for text in texts { add(text) }
  }

  /// With its length before it.
  private mutating func add(_ text: String) {
    add(number: text.utf8.count)
    bytes += text.utf8
  }

  private mutating func add(number: Int) {
    unsafe withUnsafeBytes(of: Int64(number).littleEndian) { unsafe bytes += $0 }
  }
}

extension RunOptions {
  /// Whether a call with them asks and tells what any other call of the same files does: one with a cache tells if that
  /// cannot be used.
  fileprivate var allowSnapshot: Bool {
    !forcesAll && !isOffline && !overwritesEdits && configuration == nil && (cache ?? "off") == "off"
  }
}
