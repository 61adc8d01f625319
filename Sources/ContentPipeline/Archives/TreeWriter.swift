import SyncModel

/// Digests the files of an archive, and makes a folder of them, beside the thread that reads the archive.
///
/// Small files are many calls to the system each, and all bytes are digested: that takes as long as decompressing them.
final class TreeWriter: BesideStage<TreeWriter.Batch>, @unchecked Sendable {
  /// What is done next; each but `bytes` is a call to the sink.
  enum Order {
    case beginFile(path: [UInt8], size: Int64, mode: UInt16, modified: Timestamp?)
    /// The next bytes of the batch's block are the file's.
    case bytes(Int)
    case endFile
    case link(path: [UInt8], target: [UInt8])
    case hardLink(path: [UInt8], other: [UInt8])
    case folder(path: [UInt8])
  }

  /// Orders that are performed at once, and the bytes for them.
  struct Batch {
    var orders: [Order] = []
    var block: Block
  }

  /// So that folders of empty files also keep two threads at work.
  private static let mostOrders = 1024

  private let sink: any TreeSink
  /// Filled by the reading thread.
  private var batch: Batch?
  /// In bytes, for all files together; `nil` for no limit.
  private let maxSize: Int64?
  /// Bytes of all files so far; with the digester, the writing thread's own.
  private var total: Int64 = 0
  private var digester = Digester([.sha256])
  private let protection: TreeProtection?
  private let isCancelled: () -> Bool

  /// `maxSize` is in bytes, for all files together; `nil` for no limit. `isCancelled` is asked now and then, on any thread.
  init(
    _ sink: any TreeSink, maxSize: Int64?, _ protection: TreeProtection? = nil, pool: WorkerPool,
    isCancelled: @escaping () -> Bool
  ) {
    self.protection = protection
    self.isCancelled = isCancelled
    self.sink = sink
    self.maxSize = maxSize
    super.init(pool: pool, worthWaking: 1)
    sink.use { [pool] work in pool.submit(work) }
  }

  // MARK: The thread that reads the archive

  /// As ``TreeSink/ignoresCase``.
  var ignoresCase: Bool { sink.ignoresCase }

  /// Throws for an entry that must not be written; `name` is the entry's own.
  func requireAllowed(_ path: [UInt8], isFolder: Bool, name: String) throws(FailureCause) {
    if let fault = protection?.fault(ofEntry: path, isFolder: isFolder) { throw .archive(fault, entry: name) }
  }

  /// As ``TreeSink/requireRoom(atMost:for:)``; call it before the first order.
  func requireRoom(
    atMost most: Int64, for files: () throws(FailureCause) -> [(path: [UInt8], size: Int64)]
  ) throws(FailureCause) {
    try sink.requireRoom(atMost: most, for: files)
  }

  /// Has `order` performed after all earlier ones.
  func add(_ order: Order) throws(FailureCause) {
    var batch = take()
    batch.orders.append(order)
    try put(batch)
  }

  /// Has the bytes added to the file that was begun last.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    var done = 0
    while done < bytes.count {
      var batch = take()
      let count = unsafe batch.block.append(UnsafeRawBufferPointer(rebasing: bytes[done...]))
      done += count
      if case .bytes(let before)? = batch.orders.last {
        batch.orders[batch.orders.count - 1] = .bytes(before + count)
      } else {
        batch.orders.append(.bytes(count))
      }
      try put(batch)
    }
  }

  private func take() -> Batch {
    defer { batch = nil }
    return batch ?? Batch(block: pool.blocks.take())
  }

  /// Few orders are not worth a thread.
  private func put(_ batch: Batch) throws(FailureCause) {
    if batch.block.isFull || batch.orders.count >= Self.mostOrders {
      try add(batch, beside: true)
    } else {
      self.batch = batch
    }
  }

  /// Waits until all orders are performed, and ends the folder; returns its entries as ``TreeSink/finish()`` does.
  func finish() throws(FailureCause) -> TreeEntries {
    try settle()
    return try sink.finish()
  }

  override func settle() throws(FailureCause) {
    if let batch {
      self.batch = nil
      return try add(batch, beside: false)
    }
    try super.settle()
  }

  override func stop() {
    if let batch { recycle([batch]) }
    batch = nil
    super.stop()
  }

  /// Throws away all entries.
  func restart() throws(FailureCause) {
    stop()
    total = 0
    try sink.restart()
  }

  // MARK: The thread that writes

  override func perform(_ batch: Batch) throws(FailureCause) {
    defer { recycle([batch]) }
    var place = 0
    for order in batch.orders {
      switch order {
      case .beginFile(let path, let size, let mode, let modified):
        try admit(size)
        digester.restart()
        try sink.beginFile(path, size: size, mode: mode, modified: modified)
      case .bytes(let count):
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: batch.block.bytes[place..<(place + count)])
        place += count
        unsafe digester.update(bytes)
        try unsafe sink.write(bytes)
      case .endFile:
        guard let sha256 = digester.value(.sha256) else { throw .internalError("a file has no digest") }
        try sink.endFile(sha256: sha256)
      case .link(let path, let target): try sink.addLink(path, target: target)
      case .hardLink(let path, let other):
        // It becomes a copy.
        try admit(sink.size(ofFile: other) ?? 0)
        try sink.addHardLink(path, to: other, isCancelled)
      case .folder(let path): try sink.addFolder(path)
      }
    }
  }

  private func admit(_ size: Int64) throws(FailureCause) {
    let (sum, overflow) = total.addingReportingOverflow(size)
    total = overflow ? .max : sum
    if let maxSize, total > maxSize { throw .tooLarge(limit: maxSize, size: total) }
  }

  override func recycle(_ batches: [Batch]) {
    for batch in batches { pool.blocks.give(batch.block) }
  }
}
