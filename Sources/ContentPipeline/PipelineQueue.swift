import SyncModel

/// Input from a pipeline's driver that its jobs have not yet taken; guarded by the pipeline's lock.
struct PipelineQueue {
  enum Command {
    case bytes(Block)
    case restore, finish
    case flush(notesEnd: Bool, @Sendable () -> Void)
  }

  /// A command for the job.
  struct Turn {
    var command: Command
    /// There is room again for a waiting driver.
    var isDrained: Bool
    var isEnded: Bool
  }

  enum Next {
    case work(Turn)
    case idle
  }

  /// In blocks: 3 MiB.
  static let limit = 6
  /// The first bytes of a partial are passed on early, so that a kill during a slow start loses little.
  private static let firstPortion = 64 << 10

  var accepted: Int64 = 0
  private(set) var isEnded = false
  private var commands = Queue<Command>()
  private var queuedBlocks = 0
  private var filling: Block?
  /// The number of free blocks for which the driver waits; `nil` if it does not wait.
  private var wantedRoom: Int?
  /// A job is on its way or at work.
  private var isRunning = false
  /// A job has the stages; it resets this when it has done what `next` gave it.
  var isWorking = false
  /// `cancel` has the stages.
  var isStopping = false
  /// A flush was added.
  private var isFlushed = false

  /// Nobody wants what the steps make of the bytes any more; a flush still wants the download.
  var isInVain: Bool { isEnded || isFlushed }

  /// `mustRun`: a job must be submitted.
  mutating func push(
    _ bytes: UnsafeRawBufferPointer, from blocks: BlockStore, isDurable: Bool
  ) -> (isTaken: Bool, mustRun: Bool) {
    if isInVain { return (true, false) }
    let size = Int64(Block.capacity)
    let filled = Int((accepted + Int64(bytes.count)) / size - accepted / size)
    // A push larger than the whole queue must find its way, too.
    guard queuedBlocks == 0 || queuedBlocks + filled <= PipelineQueue.limit else {
      wantedRoom = min(max(filled, PipelineQueue.limit / 2), PipelineQueue.limit)
      return (false, false)
    }
    unsafe copy(bytes, from: blocks)
    if isDurable, !isRunning, accepted <= 1 << 20, let filling, filling.count >= PipelineQueue.firstPortion {
      queueFilling()
    }
    return (true, startRunning())
  }

  /// A full block ends at a multiple of a block's size in the body, so that the next one can be written with direct
  /// I/O.
  private mutating func copy(_ bytes: UnsafeRawBufferPointer, from blocks: BlockStore) {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let block = filling ?? blocks.take()
      filling = block
      let room = Block.capacity - Int(accepted % Int64(Block.capacity))
      let size = unsafe block.append(UnsafeRawBufferPointer(rebasing: rest.prefix(room)))
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[size...])
      accepted += Int64(size)
      if accepted % Int64(Block.capacity) == 0 { queueFilling() }
    }
  }

  private mutating func queueFilling() {
    guard let block = filling else { return }
    filling = nil
    queuedBlocks += 1
    commands.append(.bytes(block))
  }

  /// Returns whether a job must be submitted.
  mutating func add(_ command: Command) -> Bool {
    queueFilling()
    if case .flush = command {
      isFlushed = true
      wantedRoom = nil
    }
    commands.append(command)
    return startRunning()
  }

  /// Nothing is taken from now on; returns the blocks that were.
  mutating func end() -> [Block] {
    isEnded = true
    wantedRoom = nil
    return dropBytes()
  }

  /// `nil` while `cancel` has the stages.
  mutating func next() -> Next? {
    if isStopping { return nil }
    guard let command = commands.popFirst() else {
      isRunning = false
      return .idle
    }
    isWorking = true
    if case .bytes = command { queuedBlocks -= 1 }
    return .work(Turn(command: command, isDrained: hasDrained(), isEnded: isEnded))
  }

  /// `nil` while another job has the stages.
  mutating func claimForStopping() -> Void? {
    guard !isWorking, !isStopping else { return nil }
    isStopping = true
    return ()
  }

  private mutating func hasDrained() -> Bool {
    guard let wanted = wantedRoom, queuedBlocks == 0 || PipelineQueue.limit - queuedBlocks >= wanted else {
      return false
    }
    wantedRoom = nil
    return true
  }

  private mutating func startRunning() -> Bool {
    guard !isRunning, !commands.isEmpty else { return false }
    isRunning = true
    return true
  }

  private mutating func dropBytes() -> [Block] {
    var dropped: [Block] = []
    if let filling { dropped.append(filling) }
    filling = nil
    queuedBlocks = 0
    for case .bytes(let block) in commands.remove(where: { if case .bytes = $0 { true } else { false } }) {
      dropped.append(block)
    }
    return dropped
  }
}
