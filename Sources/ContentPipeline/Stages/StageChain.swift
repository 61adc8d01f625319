import LocalFiles
import SyncModel

/// One body's stages and files, from the bytes as they come to the bytes that come out.
///
/// Used by one job at a time; what runs beside it is inside `AsyncSink`.
final class StageChain {
  /// From this size on another thread writes; smaller bodies are not worth the switch.
  private static let besideFrom: Int64 = 1 << 20

  /// All segments except the one after the last decompression, which belongs to the last stage. If there is a
  /// keeper, the first segment only counts, and the keeper digests.
  private var segments: [ByteSegment]
  private let unpackings: [UnpackingStage]
  private let tail: AsyncSink
  /// Digests and keeps compressed bytes that could be resumed; else `nil`.
  private let keeper: AsyncSink?
  private let output: StagedFile?
  private let partial: PartialDownload?
  private let blocks: BlockStore
  private let provesLength: Bool
  private let digestsRefused: Bool
  /// Why a step behind the download refused the bytes so far; the rest is only digested.
  private var refusal: FailureCause?
  private let isCancelled: () -> Bool
  /// The offset of the last checkpoint.
  private var noted: Int64 = 0
  /// The time of this chain's own work; the other stages have theirs. `nil` if not requested.
  private var meter: StepMeter?

  /// `isCancelled` is asked now and then in the midst of longer work: whether what the steps make of the bytes is
  /// unwanted. It stays so.
  init(
    _ spec: PipelineSpec, output: StagedFile?, partial: PartialDownload?, pool: WorkerPool,
    isCancelled: @escaping () -> Bool
  ) {
    var segments = spec.segments()
    unpackings = spec.transforms(partial: partial, pool: pool, isCancelled: isCancelled).map {
      UnpackingStage($0)
    }
    let meter = StepMeter(wanted: spec.measuresTimes)
    let (toOutput, toPartial) = (
      output.map { AsyncSink.Goal.output($0) }, partial.map { AsyncSink.Goal.partial($0) }
    )
    if spec.transforms {
      tail = AsyncSink(unpacked: segments.removeLast(), to: toOutput ?? .nowhere, pool: pool, meter: meter)
      keeper = toPartial.map { AsyncSink(segments[0], to: $0, pool: pool, meter: meter) }
    } else {
      tail = AsyncSink(to: toPartial ?? toOutput ?? .nowhere, pool: pool, meter: meter)
      keeper = nil
    }
    self.meter = meter
    self.segments = segments
    self.output = output
    self.partial = partial
    blocks = pool.blocks
    provesLength = spec.provesLength
    digestsRefused = spec.digestsRefusedDownload
    self.isCancelled = isCancelled
  }

  /// Takes `block` over: the next bytes as they come.
  func take(_ block: Block) throws(FailureCause) {
    if let refusal { return try digest(block, after: refusal) }
    let began = meter?.start()
    do throws(FailureCause) {
      if keeper == nil {
        try unsafe segments[0].update(block.bytes)
      } else {
        try segments[0].admit(block.count)
      }
    } catch {
      blocks.give(block)
      try proveUnpacked()
      throw error
    }
    meter?.add(\.verifying, since: began)
    if unpackings.isEmpty {
      try tail.take(block, beside: isLarge)
      try noteIfDue()
    } else {
      try unpackAndKeep(block)
      try noteIfDue()
    }
  }

  /// If the fault is not in the bytes, such as a full disk, the download may resume from them. Then they are waited
  /// for, since queued bytes are dropped after a failure.
  private func unpackAndKeep(_ block: Block) throws(FailureCause) {
    var failure: FailureCause?
    if !isCancelled() {
      do throws(FailureCause) { try unsafe unpack(block.bytes, 0) } catch { failure = error }
    }
    if let keeper { try keeper.take(block, beside: isLarge) } else { blocks.give(block) }
    // Then the bytes are only kept, whatever became of the rest.
    guard let failure, !isCancelled() else { return }
    let isRefusal = failure.traits.contains(.refusedByStep)
    if !isRefusal || digestsRefused { try keeper?.settle() }
    guard isRefusal, digestsRefused else { throw failure }
    try refuse(failure)
  }

  /// Keeps nothing of the bytes so far: none of them are worth resuming from.
  private func refuse(_ cause: FailureCause) throws(FailureCause) {
    refusal = cause
    if let digested = keeper?.segment { segments[0] = digested }
    stop()
    try output?.restart()
    try partial?.truncate(to: 0)
  }

  /// The limits of the download itself are still valid: without them a body may have no end.
  private func digest(_ block: Block, after refusal: FailureCause) throws(FailureCause) {
    defer { blocks.give(block) }
    do throws(FailureCause) { try unsafe segments[0].update(block.bytes) } catch { throw refusal }
  }

  /// Writes what is still in memory of the download, and notes how far that goes if it `notes`.
  func flush(notes: Bool) throws(FailureCause) {
    guard refusal == nil else { return }
    try (keeper ?? tail).settle()
    if notes, received > noted { try note(beside: false) }
  }

  /// There are no more bytes: `.finished`, or `.refused` if that is wanted. Throws the first fault in order of the
  /// steps.
  func finish() throws(FailureCause) -> PipelineEvent {
    if let refusal { return .refused(refusal, download: segments[0].identity) }
    do throws(FailureCause) { try verify() } catch {
      if error.traits.contains(.cutShort) { keepForResuming() }
      guard digestsRefused, error.traits.contains(.refusedByStep) else { throw error }
      return .refused(error, download: segments[0].identity)
    }
    return .finished(result)
  }

  private var result: PipelineResult {
    let all = (segments + [tail.segment].compactMap { $0 }).map { (segment: $0, identity: $0.identity) }
    let download = all[0].identity
    return PipelineResult(
      download: download, output: tail.segment == nil ? download : all[all.count - 1].identity,
      lengthIsProvenByContent: provesLength,
      stepDigests: all.reduce(into: [:]) { found, part in
        found.merge(part.segment.stepDigests(part.identity)) { first, _ in first }
      },
      signedContents: all.reduce(into: [:]) { found, part in
        found.merge(part.segment.signedContents) { first, _ in first }
      }, isExecutable: unpackings.lazy.compactMap(\.transform.isExecutable).first,
      times: meter?.times(with: tail.meters + (keeper?.meters ?? [])))
  }

  /// Throws everything away, on disk too.
  func restart() throws(FailureCause) {
    forget()
    try output?.restart()
    try partial?.truncate(to: 0)
  }

  /// Stops using the files and frees the memory.
  func stop() {
    tail.stop()
    keeper?.stop()
    for stage in unpackings {
      stage.transform.stop()
      if let block = stage.unpacked { blocks.give(block) }
      stage.unpacked = nil
    }
  }

  private var received: Int64 { segments[0].count }
  private var isLarge: Bool { received > StageChain.besideFrom }

  private func forget() {
    stop()
    tail.restart()
    keeper?.restart()
    for index in segments.indices { segments[index].restart() }
    for stage in unpackings { stage.restart() }
    noted = 0
    refusal = nil
  }
}

// MARK: - unpacking

extension StageChain {
  /// Sends `bytes` through the decompression step at `index` and the following steps; `isLast`: no more will
  /// follow.
  private func unpack(
    _ bytes: UnsafeRawBufferPointer, _ index: Int, isLast: Bool = false
  ) throws(FailureCause) {
    let stage = unpackings[index]
    var rest = unsafe bytes
    while true {
      let block = stage.unpacked ?? blocks.take()
      stage.unpacked = block
      let began = meter?.start()
      let used: Int
      do throws(FailureCause) {
        used = try unsafe stage.transform.unpack(rest, into: block, isLast: isLast)
      } catch {
        try proveUnpacked()
        throw error
      }
      if stage.transform.takesBack() { try restart(after: index) }
      meter?.add(\.unpacking, since: began)
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[used...])
      guard block.isFull else { return }
      try passOn(index)
    }
  }

  /// Hands what the decompressing step at `index` has unpacked to what follows it.
  private func passOn(_ index: Int) throws(FailureCause) {
    guard let block = unpackings[index].unpacked, block.count > 0 || !block.memberEnds.isEmpty else { return }
    unpackings[index].unpacked = nil
    // A block of a gzip bomb expands a thousandfold; this failure is not reported.
    if isCancelled() {
      blocks.give(block)
      throw .internalError("cancelled")
    }
    guard index + 1 < unpackings.count else { return try tail.take(block, beside: block.isFull) }
    defer { blocks.give(block) }
    let began = meter?.start()
    try unsafe segments[index + 1].update(block.bytes)
    meter?.add(\.verifying, since: began)
    try unsafe unpack(block.bytes, index + 1)
  }

  /// Throws away all that came out of the step at `index`, except for its present block.
  private func restart(after index: Int) throws(FailureCause) {
    for later in segments.indices where later > index { segments[later].restart() }
    for later in unpackings.indices where later > index { unpackings[later].restart() }
    tail.stop()
    tail.restart()
    try output?.restart()
  }

  /// Throws a fault in the bytes that were decompressed so far: it precedes the present fault.
  private func proveUnpacked() throws(FailureCause) {
    guard let last = unpackings.last else { return }
    try tail.settle()
    if let block = last.unpacked { try tail.prove(block) }
  }

  private func verify() throws(FailureCause) {
    if let keeper {
      try keeper.settle()
      if let digested = keeper.segment { segments[0] = digested }
    }
    for index in segments.indices {
      try segments[index].verify()
      guard index < unpackings.count else { continue }
      try unsafe unpack(UnsafeRawBufferPointer(start: nil, count: 0), index, isLast: true)
      do throws(FailureCause) { try unpackings[index].transform.finish() } catch {
        try proveUnpacked()
        throw error
      }
      try passOn(index)
    }
    try tail.settle()
    try tail.segment?.verify()
  }
}

// MARK: - checkpoints

extension StageChain {
  /// Small parts are noted often, so that little of a slow start is lost; later 1 MiB at most is.
  private func noteIfDue() throws(FailureCause) {
    let step: Int64 = received <= 1 << 20 ? 64 << 10 : 1 << 20
    if received - noted >= step { try note(beside: isLarge) }
  }

  private func note(beside: Bool) throws(FailureCause) {
    guard partial != nil else { return }
    if let keeper {
      try keeper.noteHere(beside: beside)
    } else {
      guard let checkpoint = segments[0].checkpoint else { return }
      try tail.note(checkpoint, beside: beside)
    }
    noted = received
  }

  /// The driver may find that the body was cut off and resume from the present bytes, so no byte may be lost.
  private func keepForResuming() {
    do throws(FailureCause) {
      try tail.settle()
      try keeper?.settle()
      if received > noted { try note(beside: false) }
    } catch {
      // The step's failure is reported; without this checkpoint the download resumes from an earlier one.
    }
  }

  /// Reads the partial back up to its last valid checkpoint, and truncates it there.
  ///
  /// Returns the position in bytes, or `nil` as soon as `isInVain` says so; then the partial is unchanged. Bytes
  /// that cannot be decompressed, or are too large, count as missing: the source may have a better version now.
  func restore(isInVain: () -> Bool) throws(FailureCause) -> Int64? {
    guard let partial else { return 0 }
    do throws(FailureCause) {
      guard try replay(partial, isInVain) else { return nil }
      try tail.settle()
      try proveUnpacked()
    } catch {
      guard error.traits.contains(.refusedByStep) else { throw error }
      try restart()
      return 0
    }
    noted = received
    keeper?.adopt(segments[0])
    try partial.truncate(to: received)
    return received
  }

  /// Returns whether it came to its end.
  private func replay(_ partial: PartialDownload, _ isInVain: () -> Bool) throws(FailureCause) -> Bool {
    let block = blocks.take()
    defer { blocks.give(block) }
    for checkpoint in partial.checkpoints.sorted(by: { $0.offset < $1.offset }) {
      guard checkpoint.offset > received, checkpoint.offset <= partial.size else { continue }
      if isInVain() { return false }
      let start = received
      guard let proven = prove(partial, checkpoint, block) else { return true }
      segments[0] = proven
      try forward(partial, from: start, to: checkpoint.offset, block)
    }
    return true
  }

  /// The download as it stood at `checkpoint`; `nil` when the bytes there are others, too many or unreadable.
  private func prove(_ partial: PartialDownload, _ checkpoint: PartialDownload.Checkpoint, _ block: Block)
    -> ByteSegment?
  {
    var trial = segments[0]
    do throws(FailureCause) {
      try unsafe read(partial, from: received, to: checkpoint.offset, block) { bytes throws(FailureCause) in
        try unsafe trial.update(bytes)
      }
    } catch {
      return nil
    }
    let isProven = trial.count == checkpoint.offset && trial.digester.value(.sha256) == checkpoint.sha256
    return isProven ? trial : nil
  }

  /// Sends a checked part, which is still in the page cache, through the stages after the partial.
  private func forward(
    _ partial: PartialDownload, from start: Int64, to end: Int64, _ block: Block
  ) throws(FailureCause) {
    guard !unpackings.isEmpty || output != nil else { return }
    try unsafe read(partial, from: start, to: end, block) { bytes throws(FailureCause) in
      if unpackings.isEmpty { try unsafe output?.write(bytes) } else { try unsafe unpack(bytes, 0) }
    }
  }

  /// Ends early, without an error, if the file does.
  private func read(
    _ partial: PartialDownload, from start: Int64, to end: Int64, _ block: Block,
    _ body: (UnsafeRawBufferPointer) throws(FailureCause) -> Void
  ) throws(FailureCause) {
    var offset = start
    while offset < end {
      block.clear()
      let wanted = Int(min(end - offset, Int64(Block.capacity)))
      unsafe block.grow(by: try partial.read(at: offset, into: .init(rebasing: block.free.prefix(wanted))))
      guard block.count > 0 else { return }
      try unsafe body(block.bytes)
      offset += Int64(block.count)
    }
  }
}
