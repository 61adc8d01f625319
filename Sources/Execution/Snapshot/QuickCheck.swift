import ContentPipeline
import LocalFiles
import StateStore
package import SyncModel

/// Finds out that nothing is to be done from the compiled snapshot alone, without manifest or state being read
/// into objects (docs/decisions/0006, 0010 and 0012).
///
/// It gives one answer only, and only where the ordinary way would give the same: in every other case, and
/// wherever there is the least doubt, there is none, and the ordinary way is gone.
package enum QuickCheck {
  /// What is asked, and what of the world only the wiring knows.
  package struct Question {
    /// The manifest's folder.
    package var rootPath: String
    package var statePath: String
    package var stateMayBeLink: Bool
    /// Whether a run asks, which holds the root while it looks and tidies up; `-q` writes nothing.
    package var isRun: Bool
    /// See ``SnapshotPremises/circumstances``.
    package var circumstances: [String]
    /// In bytes.
    package var manifestSize: Int64
    /// Sums the manifest's bytes as they are now; `nil` where they cannot be read.
    package var manifestSum: (ByteSum.Key) -> ByteSum.Value?
    /// The manifest as it is now, if it says what the one said that the outline is of, but perhaps of a few targets;
    /// `nil` where it does not, and where telling would take reading all of it.
    package var editedManifest: (ManifestOutline, ByteSum.Key) -> EditedManifest?
    /// The value of an environment variable; `nil` where it is not set.
    package var environment: (String) -> String?
    package var now: () -> Timestamp
    /// Whether the ordinary way is to be gone at once; asked now and then, from any thread.
    package var isUnwanted: @Sendable () -> Bool = { false }
    /// How sources may be asked, looked up only where some are to be; `nil` where they may not.
    package var asking: (() -> Asking)?

    package init(
      rootPath: String, statePath: String, stateMayBeLink: Bool, isRun: Bool, circumstances: [String],
      manifestSize: Int64, manifestSum: @escaping (ByteSum.Key) -> ByteSum.Value?,
      editedManifest: @escaping (ManifestOutline, ByteSum.Key) -> EditedManifest?,
      environment: @escaping (String) -> String?, now: @escaping () -> Timestamp = SystemClock.now
    ) {
      self.rootPath = rootPath
      self.statePath = statePath
      self.stateMayBeLink = stateMayBeLink
      self.isRun = isRun
      self.circumstances = circumstances
      self.manifestSize = manifestSize
      self.manifestSum = manifestSum
      self.editedManifest = editedManifest
      self.environment = environment
      self.now = now
    }
  }

  /// How sources are asked.
  package struct Asking {
    /// Questions under way at once, 1 or more.
    package var jobs: Int
    package var network: NetworkSettings
    /// See ``RunSettings/timeScale``.
    package var timeScale: Double
    /// Whether the ordinary way is to be gone at once; asked now and then.
    package var isUnwanted: () -> Bool

    package init(
      jobs: Int, network: NetworkSettings, timeScale: Double = 1, isUnwanted: @escaping () -> Bool = { false }
    ) {
      self.jobs = jobs
      self.network = network
      self.timeScale = timeScale
      self.isUnwanted = isUnwanted
    }
  }

  /// What came of it.
  package struct Answer {
    /// `nil` where the ordinary way is to be gone.
    package var allFresh: AllFresh?
    /// What was asked meanwhile, and is not to be asked again where the ordinary way is gone after all.
    package var early: EarlyAnswers?
  }

  /// Every target is fresh.
  package struct AllFresh: Sendable, Equatable {
    package var count: Int
    /// The target's name where there is just one.
    package var onlyName: TargetName?
  }

  /// Never waits for another run, and for sources only where the snapshot has questions.
  package static func answer(_ question: Question) -> Answer {
    let folder = question.statePath
    let image = SnapshotFile.read(
      in: folder, isWorthIt: { $0 == question.manifestSize || OutlineFile.exists(in: folder) })
    guard let image, !image.asksSources || question.asking != nil,
      holds(image.premises, question), image.period.contains(question.now()),
      let manifest = manifest(image.premises, question),
      let root = try? RootFolder(path: question.rootPath),
      let hold = Hold(question, root, asksSources: image.asksSources),
      // When sources were asked has to be noted.
      !image.asksSources || hold.mayWrite
    else { return Answer() }
    return withExtendedLifetime(hold) {
      func isAsItWas() -> Bool {
        // A lock file has a say in what is fresh.
        root.observe(LockWriter.path) == .missing && SnapshotFile.isStateUnchanged(image, in: folder)
          && allStand(image, root, question.isUnwanted)
      }
      guard isAsItWas(), let period = manifest.answersPeriod(image, root, question) else { return Answer() }
      var early: EarlyAnswers?
      if image.asksSources {
        guard let asked = Revalidator(image, question) else { return Answer() }
        early = asked.early
        // The ordinary way looks at each file when it comes to it, not minutes before.
        guard asked.areAllConfirmed, asked.duration < glance || isAsItWas(), asked.note(in: folder) else {
          return Answer(early: early)
        }
      }
      guard period.contains(question.now()) else { return Answer(early: early) }
      if hold.mayWrite { manifest.refresh(image, period, in: folder) }
      return Answer(allFresh: AllFresh(count: image.count, onlyName: image.onlyName), early: early)
    }
  }

  /// Answers that came within that time leave the look at the files as good as new.
  private static let glance = Duration.seconds(1)

  private static func holds(_ premises: SnapshotPremises, _ question: Question) -> Bool {
    // As bytes: Swift takes two spellings of one letter for the same.
    premises.circumstances.elementsEqual(question.circumstances) { $0.utf8.elementsEqual($1.utf8) }
      && premises.environment.allSatisfy {
        EnvironmentMark.of(question.environment($0.name), premises.key) == $0.mark
      }
  }

  /// A manifest that says what it said when the snapshot was written, but perhaps of a few targets.
  private enum ManifestStanding {
    case untouched
    case edited(EditedManifest)

    /// When the snapshot's answer holds; `nil` where the changed targets have another one, or perhaps have.
    func answersPeriod(
      _ image: SnapshotImage, _ root: RootFolder, _ question: Question
    ) -> TimeSpan? {
      guard case .edited(let edited) = self, let changed = edited.changed else { return image.period }
      // Where an entry makes several targets, or sources are asked, what is the changed one's cannot be told apart.
      guard !image.asksSources, edited.outline.entryCount == image.count else { return nil }
      return changed.standingPeriod(image, in: root, state: question.statePath, now: question.now())
        .map(image.period.intersection)
    }

    func refresh(_ image: SnapshotImage, _ period: TimeSpan, in folder: String) {
      switch self {
      case .untouched: SnapshotFile.refresh(image, in: folder)
      case .edited(let edited): SnapshotFile.refresh(image, for: edited, period: period, in: folder)
      }
    }
  }

  private static func manifest(_ premises: SnapshotPremises, _ question: Question) -> ManifestStanding? {
    if premises.manifest.count == question.manifestSize,
      question.manifestSum(premises.key) == premises.manifest
    {
      return .untouched
    }
    return OutlineFile.read(in: question.statePath, of: premises)
      .flatMap { question.editedManifest($0, premises.key) }.map { .edited($0) }
  }

  /// The root as a run holds it while it looks.
  private struct Hold {
    private var lock: RunLock?
    /// Whether the state folder is ours to write in.
    var mayWrite: Bool { lock != nil }

    /// `nil` where another run holds the root, and where there is something to tidy up that takes a manifest.
    init?(_ question: Question, _ root: RootFolder, asksSources: Bool) {
      guard question.isRun else { return }
      do throws(FailureCause) {
        let folder = try StateFolder(path: question.statePath, mayBeLink: question.stateMayBeLink)
        lock = try RunLock.acquire(
          in: folder, wait: false, now: SystemClock.now(), onWait: { _ in }, isCancelled: { true })
        guard lock != nil else { return nil }
        folder.clearStaging(root: root)
        SnapshotFile.clearUnfinished(in: question.statePath)
        // Which of them no target can use takes the targets to tell; one that can asks its source for the rest.
        guard
          asksSources
            ? PartialDownload.keys(in: folder).isEmpty
            : !PartialDownload.mayHaveUnused(since: RunContext.unusedPartialMoment, in: folder)
        else { return nil }
      } catch {
        // Where nothing can be written there is nothing to lock, as in a run.
        guard error.isRefusedWriting else { return nil }
      }
    }
  }

  // MARK: Looking at the outputs

  /// Outputs that one thread looks at before it asks for more: they take longer than starting a thread.
  private static let stretch = 256

  private struct Progress: Sendable {
    var next = 0
    var isBroken = false
  }

  /// Whether every output still has its signature; two threads look, since each look is a system call.
  private static func allStand(
    _ image: SnapshotImage, _ root: RootFolder, _ isUnwanted: @escaping @Sendable () -> Bool
  ) -> Bool {
    let progress = Monitor(Progress())
    let look: @Sendable () -> Void = {
      var looker = OutputLooker(root)
      while let range = nextStretch(of: image.count, progress) {
        let stand = unsafe image.allSatisfy(in: range) { folder, name, signature in
          unsafe looker.has(signature, name, in: image.folders[folder], at: folder)
        }
        if !stand || isUnwanted() { progress.withLock { $0.isBroken = true } }
      }
    }
    let helper = WorkerPool(threads: 1)
    // Loading libcurl takes as long as looking at thousands of files.
    if image.asksSources { helper.submit { Revalidator.prepare() } }
    if image.count > stretch { helper.submit(look) }
    look()
    helper.shutDown()
    return !progress.withLock { $0.isBroken }
  }

  private static func nextStretch(of count: Int, _ progress: Monitor<Progress>) -> Range<Int>? {
    progress.withLock { progress in
      guard !progress.isBroken, progress.next < count else { return nil }
      let start = progress.next
      progress.next = min(count, start + stretch)
      return start..<progress.next
    }
  }
}
