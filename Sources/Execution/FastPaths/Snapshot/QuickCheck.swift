import ContentPipeline
import LocalFiles
import Platform
import StateStore
package import SyncModel

/// Finds out that there is nothing to do from the compiled snapshot alone, without reading manifest or state into
/// objects (docs/decisions/0006, 0010 and 0012). If it rests on lists, these are asked as a run asks them
/// (docs/decisions/0035).
///
/// It gives an answer only if the full path would give the same answer; in every other case, and in any doubt, the
/// run takes the full path.
package enum QuickCheck {
  /// The question, and the outside facts that only the wiring knows.
  package struct Question {
    package var place: RootPlace
    package var present: PresentPremises
    /// Whether a run asks, which holds the root and cleans up; `-q` writes nothing.
    package var isRun: Bool
    /// Whether edits are replaced (`--overwrite`): a folder in which they are kept may have some.
    package var overwritesEdits = false
    /// Whether kept entries that have left their lists are named: a snapshot has only their number.
    package var namesGone = false
    /// The time of day.
    package var now: () -> Timestamp
    /// Whether to take the full path at once; called now and then, from any thread.
    package var isUnwanted: @Sendable () -> Bool = { false }
    /// The settings for requests, evaluated only if there are any; `nil` if requests are not allowed, or are not as
    /// simple as a snapshot's.
    package var asking: (() -> Asking?)?
    /// Asks the manifest's lists, if the snapshot rests on some; `nil` if they cannot be asked.
    package var askLists: () -> AskedLists? = { nil }

    /// Requests are not allowed, and there are no lists.
    package init(
      at place: RootPlace, _ present: PresentPremises, isRun: Bool,
      now: @escaping () -> Timestamp = SystemClock.now
    ) {
      self.place = place
      self.present = present
      self.isRun = isRun
      self.now = now
    }
  }

  /// The present state of what a snapshot rests on.
  package struct PresentPremises {
    /// See ``SnapshotPremises/circumstances``.
    package var circumstances: [String]
    /// In bytes.
    package var manifestSize: Int64
    /// Sums the manifest's bytes; `nil` if they cannot be read.
    package var manifestSum: (ByteSum.Key) -> ByteSum.Value?
    /// The manifest, if its content is that of the outline, except perhaps for a few targets; `nil` if it is not, or if
    /// only reading all of it would tell.
    package var editedManifest: (ManifestOutline, ByteSum.Key) -> EditedManifest?
    /// Sums the bytes of an included manifest or a file of rows; `nil` if they cannot be read.
    package var fileSum: (RelativePath, ByteSum.Key) -> ByteSum.Value? = { _, _ in nil }
    /// Sums the paths of the files that a pattern matches; `nil` if they cannot be found.
    package var matchSum: (String, ByteSum.Key) -> ByteSum.Value? = { _, _ in nil }
    /// The value of an environment variable; `nil` if it is not set.
    package var environment: (String) -> String?

    /// There are no further files.
    package init(
      circumstances: [String], manifestSize: Int64, manifestSum: @escaping (ByteSum.Key) -> ByteSum.Value?,
      editedManifest: @escaping (ManifestOutline, ByteSum.Key) -> EditedManifest?,
      environment: @escaping (String) -> String?
    ) {
      self.circumstances = circumstances
      self.manifestSize = manifestSize
      self.manifestSum = manifestSum
      self.editedManifest = editedManifest
      self.environment = environment
    }

    /// Whether all but the manifest and the lists is as it was.
    fileprivate func meet(_ premises: SnapshotPremises) -> Bool {
      // As bytes: Swift takes two spellings of one letter for the same.
      premises.circumstances.elementsEqual(circumstances) { $0.utf8.elementsEqual($1.utf8) }
        && premises.environment.allSatisfy {
          EnvironmentMark.of(environment($0.name), premises.key) == $0.mark
        }
        && premises.patterns.allSatisfy { matchSum($0.text, premises.key) == $0.sum }
        && premises.files.allSatisfy { fileSum($0.path, premises.key) == $0.sum }
    }
  }

  /// How sources are asked.
  package struct Asking {
    /// Questions under way at once, 1 or more.
    package var jobs: Int
    /// The proxies, certificates and netrc file for the requests.
    package var network: NetworkSettings
    /// See ``RunResources/timeScale``.
    package var timeScale: Double
    /// Whether to take the full path at once; called now and then.
    package var isUnwanted: () -> Bool

    /// `jobs` is 1 or more.
    package init(
      jobs: Int, network: NetworkSettings, timeScale: Double = 1, isUnwanted: @escaping () -> Bool = { false }
    ) {
      self.jobs = jobs
      self.network = network
      self.timeScale = timeScale
      self.isUnwanted = isUnwanted
    }
  }

  /// The result.
  package struct Answer {
    /// `nil` if the run must take the full path.
    package var allFresh: AllFresh?
    /// The snapshot by which every target is fresh; `nil` if the run must take the full path.
    private var image: SnapshotImage?
    /// What the results say of each target, in manifest order; `nil` if the run must take the full path, and for a snapshot
    /// that does not have it (``SnapshotBasis/keepsConfirmed``).
    package var confirmed: [ConfirmedFile]? { image?.confirmed() }
    /// Requests that were made and must not be repeated on the full path.
    package var early: EarlyAnswers?
    /// The targets that must be run; `nil` if the full path must examine all targets.
    package var open: OpenTargets?
    /// The manifest's lists, if they were asked.
    package var lists: AskedLists?

    /// The run must take the full path, and nothing was asked.
    package init() {}

    fileprivate init(
      allFresh: AllFresh? = nil, by image: SnapshotImage? = nil, early: EarlyAnswers? = nil,
      open: OpenTargets? = nil
    ) {
      self.allFresh = allFresh
      self.image = image
      self.early = early
      self.open = open
    }
  }

  /// Every target is fresh.
  package struct AllFresh: Sendable, Equatable {
    /// The number of targets in the manifest.
    package var count: Int
    /// The target's name if there is only one.
    package var onlyName: TargetName?
  }

  /// The key of the sums of the snapshot in `folder`; `nil` without a snapshot.
  package static func key(in folder: String) -> ByteSum.Key? { SnapshotFile.key(in: folder) }

  /// Never waits for another run, and for sources only if the snapshot has questions or rests on lists.
  package static func answer(_ question: Question) -> Answer {
    let folder = question.place.state
    let image = SnapshotFile.read(
      in: folder, isWorthIt: { $0 == question.present.manifestSize || OutlineFile.exists(in: folder) })
    guard let image, !image.asksSources || question.asking != nil,
      image.unseen == 0 || !question.namesGone,
      question.present.meet(image.premises), image.period.contains(question.now()),
      let manifest = manifest(image.premises, question),
      let root = try? question.place.openRoot()
    else { return Answer() }
    guard !image.premises.lists.isEmpty else {
      return Self.answer(image, manifest, root, question)
    }
    // With a lock, no list is asked.
    guard root.observe(LockWriter.path) == .missing, let lists = question.askLists() else { return Answer() }
    // Before the root is held: others need not wait for a list.
    var answer = Answer()
    if lists.sums(image.premises.key) == image.premises.lists {
      // A run has made targets of these texts; perhaps someone has removed what it stored.
      lists.store(.text)
      answer = Self.answer(image, manifest, root, question)
    }
    answer.lists = lists
    return answer
  }

  /// The same if everything but the outputs is known to be as it was.
  private static func answer(
    _ image: SnapshotImage, _ manifest: ManifestStanding, _ root: RootFolder, _ question: Question
  ) -> Answer {
    let folder = question.place.state
    guard let hold = Hold(question, root, asksSources: image.asksSources),
      // When sources were asked has to be noted.
      !image.asksSources || hold.mayWrite
    else { return Answer() }
    return withExtendedLifetime(hold) {
      func isAsItWas() -> Bool {
        // A lock file affects what is fresh.
        root.observe(LockWriter.path) == .missing && SnapshotFile.isStateUnchanged(image, in: folder)
          && allStand(image, TreeOutputs(root, statePath: folder), question)
      }
      guard isAsItWas(), let period = manifest.answersPeriod(image, root, question) else { return Answer() }
      var early: EarlyAnswers?
      if image.asksSources {
        guard let asked = Revalidator(image, question) else { return Answer() }
        early = asked.early
        // The full path examines each file at its turn, not minutes before.
        guard asked.ending != .open, asked.duration < glance || isAsItWas(), asked.note(in: folder) else {
          return Answer(early: early)
        }
        if asked.ending == .someOpen {
          let isLeft = period.contains(question.now()) && manifest.isUntouched
          return Answer(early: early, open: isLeft ? OpenTargets(image, asked.open) : nil)
        }
      }
      guard period.contains(question.now()) else { return Answer(early: early) }
      if hold.mayWrite { manifest.refresh(image, period, in: folder) }
      return Answer(
        allFresh: AllFresh(count: image.count + image.unseen, onlyName: image.onlyName), by: image,
        early: early)
    }
  }

  /// Answers that came within that time leave the look at the files as good as new.
  private static let glance = Duration.seconds(1)

  /// A manifest with the same content as when the snapshot was written, except perhaps for a few targets.
  private enum ManifestStanding {
    case untouched
    case edited(EditedManifest)

    var isUntouched: Bool { if case .untouched = self { true } else { false } }

    /// The period of the snapshot's answer; `nil` if the changed targets have another one, or may have.
    func answersPeriod(
      _ image: SnapshotImage, _ root: RootFolder, _ question: Question
    ) -> TimeSpan? {
      guard case .edited(let edited) = self, let changed = edited.changed else { return image.period }
      // If an entry makes several targets, or sources are asked, the changed target's part cannot be identified.
      guard !image.asksSources, edited.outline.entryCount == image.count else { return nil }
      return changed.standingPeriod(image, in: root, state: question.place.state, now: question.now())
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
    if premises.manifest.count == question.present.manifestSize,
      question.present.manifestSum(premises.key) == premises.manifest
    {
      return .untouched
    }
    return OutlineFile.read(in: question.place.state, of: premises)
      .flatMap { question.present.editedManifest($0, premises.key) }.map { .edited($0) }
  }

  /// The root as a run holds it during the check.
  private struct Hold {
    private var lock: RunLock?
    /// Whether the state folder is ours to write in.
    var mayWrite: Bool { lock != nil }

    /// `nil` if another run holds the root, and if cleaning up needs the manifest.
    init?(_ question: Question, _ root: RootFolder, asksSources: Bool) {
      guard question.isRun else { return }
      do throws(FailureCause) {
        let folder = try StateFolder(
          path: question.place.state, mayBeLink: question.place.stateMayBeLink)
        lock = try RunLock.acquire(
          in: folder, wait: false, now: question.now(), onWait: { _ in }, isCancelled: { true })
        guard lock != nil else { return nil }
        folder.clearStaging(root: root)
        StagedTree.clearUnfinished(in: folder)
        SnapshotFile.clearUnfinished(in: question.place.state)
        // Only the targets tell which partial downloads are unused; a usable one needs a request for the rest.
        guard
          asksSources
            ? PartialDownload.keys(in: folder).isEmpty
            : !PartialDownload.mayHaveUnused(
              since: RunState.unusedPartialMoment(at: question.now()), in: folder)
        else { return nil }
      } catch {
        // If nothing can be written, there is nothing to lock, as in a run.
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
    _ image: SnapshotImage, _ outputs: TreeOutputs, _ question: Question
  ) -> Bool {
    let (isUnwanted, overwritesEdits) = (question.isUnwanted, question.overwritesEdits)
    let progress = Monitor(Progress())
    let look: @Sendable () -> Void = {
      var looker = OutputLooker(outputs.root)
      while let start = nextStretch(of: image.count, progress) {
        let range = start..<min(image.count, start + stretch)
        let stand = unsafe image.allSatisfy(in: range) { folder, name, look, signature in
          switch look {
          case .file: unsafe looker.has(signature, name, in: image.folders[folder], at: folder)
          case .folderWithEdits where overwritesEdits: false
          case .folder, .folderWithEdits:
            unsafe outputs.has(
              signature, String(cString: name), in: image.folders[folder],
              keepingEdits: look == .folderWithEdits)
          }
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

  /// Where it begins. An optional range would be a type that is made at run time, by a search through all conformances of
  /// the program.
  private static func nextStretch(of count: Int, _ progress: Monitor<Progress>) -> Int? {
    progress.withLock { progress in
      guard !progress.isBroken, progress.next < count else { return nil }
      let start = progress.next
      progress.next += stretch
      return start
    }
  }
}
