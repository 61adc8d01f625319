import ContentPipeline
import LocalFiles
import SyncModel

/// Where the bodies of a run become files: the state folder, for the parts of a run that decide.
///
/// The seam is above the bytes: a body takes whole pieces, and its pipeline, its staged file and its partial download
/// are behind it, so that no byte pays for a protocol. Tests have one in memory, which one suite holds to the same
/// rules as files.
protocol BodyStore: AnyObject, Sendable {
  /// A new body of `size` bytes, `nil` if unknown; with `facts` it can be resumed.
  ///
  /// Throws `.diskFull` or `.outputUnwritable`.
  func body(
    _ order: BodyOrder, size: Int64?, resumableBy facts: PartialFacts?
  ) throws(FailureCause) -> any TargetBody

  /// An empty file that waits in memory, for a small body; `nil` if it cannot, or cannot be created.
  func heldFile(for output: RelativePath) -> (any HeldFile)?

  /// Makes the bytes of prepared bodies durable; returns the devices all of which was synced.
  ///
  /// If it throws, one of them may be to blame.
  func sync(_ bodies: [any FinishedBody]) throws(FailureCause) -> Set<UInt64>

  /// Why nothing can be written when the disk is full.
  var isFull: FailureCause { get }

  // MARK: What earlier runs left

  /// The keys (``BodyIntake/key(of:)``) under which earlier runs left a partial download.
  var partialKeys: Set<String> { get }

  /// The partial download with this key; `nil` if there is no valid one.
  func kept(_ key: String) -> (any KeptBody)?

  /// Removes partial downloads that were last changed before `moment` and whose key is not among `keys`.
  func removePartials(unusedSince moment: Timestamp, except keys: Set<String>)

  /// Removes the partial download of `key` if it was last changed before `moment`.
  func removePartial(_ key: String, ifUnusedSince moment: Timestamp)
}

/// What a body is to become, and who hears of it.
struct BodyOrder {
  var output: RelativePath
  var spec: PipelineSpec
  /// Whether there is a file that the body may turn out to equal.
  var isReplacing: Bool
  /// How an archive becomes the folder that is the output; `nil` for a file.
  var tree: TreeOrder?
  /// Whether it is put aside in the state folder, and published later.
  var isWithheld = false
  /// Whether the manifest, and not the archive, gives the file its mode.
  var demandsMode = true
  /// The file of the cache that the bytes come from; `nil` for those from elsewhere.
  var hit: CacheHit?
  /// Gets the letters of other threads.
  var driver: Driver
  /// Called on the driver's thread.
  var news: (BodyNews) -> Void
}

/// How the files of an archive become a folder.
struct TreeOrder {
  var rules: TreeRules
  /// What happens to files that were edited.
  var edits: LocalChanges
  /// Where an untrusted manifest must change nothing.
  var places: ProtectedPlaces?
  /// Whether edited files stay as they are, so that they are no edits of the target.
  var keepsEdits: Bool { edits == .keep }
}

extension Target {
  /// How its archive becomes the folder that is the output; `nil` for a file.
  func treeOrder(_ settings: RunSettings) -> TreeOrder? {
    treeOrder(overwriting: settings.overrides.overwritesEdits, settings.policy?.places)
  }

  /// The same with what the settings have for it.
  func treeOrder(overwriting: Bool, _ places: ProtectedPlaces?) -> TreeOrder? {
    treeRules.map { rules in
      TreeOrder(rules: rules, edits: overwriting ? .overwrite : self.localChanges, places: places)
    }
  }
}

/// What a body tells while it is processed.
enum BodyNews {
  /// There is room again after ``BodyReception/full``.
  case hasRoom
  /// The kept bytes were read back up to `offset`; those from there may be pushed.
  case restored(offset: Int64)
  case finished(PipelineResult, TreeFacts? = nil)
  /// A step refused the body, which was digested to its end nevertheless.
  indirect case refused(FailureCause, download: ContentIdentity)
  case failed(FailureCause)
}

/// One body on its way from the network to a file that can be published.
///
/// The driver's thread calls it. A body that starts over gets a new object; one that continues keeps its own.
protocol TargetBody: AnyObject {
  /// Bytes taken since the start, restored ones included.
  var acceptedBytes: Int64 { get }

  /// Takes the next piece; never ``BodyReception/stop``. After ``BodyReception/full``, `hasRoom` follows.
  func push(_ bytes: UnsafeRawBufferPointer) -> BodyReception

  /// There are no more bytes: `finished`, `refused` or `failed` follows, for a small body before this returns.
  func finish()

  /// The body to publish; call once, after `finished`, and nothing else after it.
  func handOver() -> any FinishedBody

  /// Throws away everything, also what an earlier run left.
  func discard()

  /// Keeps what can be resumed; `done` gets its size once it is written, 0 when nothing is kept.
  func keepPartial(lengthIsKnown: Bool, _ done: @escaping (Int64) -> Void)

  /// Continues with the received part of a truncated body; `nil` if nothing of it is kept.
  ///
  /// Call it after `failed`; this object is useless afterwards, and the new one reports `restored`.
  func salvaged(_ order: BodyOrder) throws(FailureCause) -> (any TargetBody)?
}

/// What an earlier run left of a body.
protocol KeptBody: AnyObject {
  var facts: PartialFacts { get }

  /// Goes on with it; `restored` comes once it was read back.
  func restore(_ order: BodyOrder) throws(FailureCause) -> any TargetBody
}

/// A complete body that can be put in place; used by one thread at a time.
protocol FinishedBody: AnyObject, Sendable {
  /// Makes it a file with its final mode and mtime, and returns its signature; due before it is synced.
  ///
  /// `expected` is the last observation; `mode` and `modified` are `nil` as for ``publish(over:mode:modified:expectedDigest:in:)``.
  func prepare(
    for output: RelativePath, over expected: OutputObservation, mode: UInt16?, modified: Timestamp?
  ) throws(FailureCause) -> FileSignature

  /// Makes its bytes durable.
  func sync() throws(FailureCause)

  /// Puts the file into the output's place, in one step, if the output is still `expected` or missing.
  ///
  /// `mode` is `nil` for that of the replaced file or the usual one; `modified` is `nil` for the time of this call or,
  /// if no file was expected, that of the last write. `expectedDigest` is for the error only. Returns the output's
  /// signature. Throws `.outputModified` if another file is there, `.outputUnwritable` if something else is there, or
  /// the system refuses; then the old output is unchanged, and this can be published again or given up.
  func publish(
    over expected: OutputObservation, mode: UInt16?, modified: Timestamp?, expectedDigest: HexDigest?,
    in group: PublishedGroup
  ) throws(FailureCause) -> FileSignature

  /// Puts it aside as `key`, to be published later; returns its signature. It was ordered so.
  func withhold(as key: String) throws(FailureCause) -> FileSignature

  /// It is in place: the download that it was made from is no longer needed.
  func dropPartial()

  /// Keeps `download` for the next run if it can resume from it, `nil` if there was no download, and drops the rest.
  ///
  /// Returns the number of bytes that are kept.
  func giveUp(_ download: ContentIdentity?) -> Int64

  /// Whether a publication failed after it had begun to change the output: only the next run can tell what is there.
  var isBegun: Bool { get }
}

extension FinishedBody {
  var isBegun: Bool { false }
}

/// A ``FinishedBody`` that gets its bytes at once.
protocol HeldFile: FinishedBody {
  /// Takes all bytes.
  func fill(_ bytes: [UInt8]) throws(FailureCause)
}
