import Archives
import Planning
import SyncModel

/// The step `unpack`: of the bytes of an archive it makes those of one file, or a folder of files (contract, section 10).
///
/// Of a folder it puts out the listing, at the end.
///
/// A tar is read while it arrives, and its file's bytes pass on at once. All entries are checked up to the archive's
/// end, so the output is whole only after ``finish()``. Other formats have their directory at the end, and with
/// `strip: auto` only the end shows what a name is; such archives are kept in a ``ArchiveStore`` and read at the end.
final class EntryExtractor: ByteTransform {
  private enum State {
    /// The first bytes, which tell the format.
    case head([UInt8])
    case stream(TarExtraction)
    /// `scan` reads the same bytes as they arrive, to find the top folder.
    case kept(ArchiveFormat, ArchiveStore, scan: TarExtraction?)
    /// The last bytes have come.
    case reading(any KeptExtraction)
  }

  private let rules: UnpackRules
  /// `nil` if the output is one file.
  private let writer: TreeWriter?
  private let name: String
  private let place: ArchiveStore.Place?
  private let requireRoom: RoomDemand
  private let decoding: (Compression) -> Decoding
  private let isCancelled: () -> Bool
  private var state = State.head([])
  private var hasTakenBack = false
  var isExecutable: Bool? {
    switch state {
    case .stream(let extraction): extraction.isExecutable
    case .reading(let extraction): extraction.isExecutable
    case .head, .kept: nil
    }
  }
  /// Why the folder could not be emptied for a new start.
  private var restartFailure: FailureCause?

  /// `writer` takes the files, if the output is a folder. `name` is the archive's; `place` is where it can be kept, if
  /// need be. `requireRoom` is asked about the output, if that is one file. `isCancelled` is asked now and then.
  init(
    _ rules: UnpackRules, into writer: TreeWriter?, name: String, keptAt place: ArchiveStore.Place?,
    requireRoom: @escaping RoomDemand = { _ in }, decoding: @escaping (Compression) -> Decoding,
    isCancelled: @escaping () -> Bool
  ) {
    self.rules = rules
    self.writer = writer
    self.name = name
    self.place = place
    self.requireRoom = requireRoom
    self.decoding = decoding
    self.isCancelled = isCancelled
  }

  func restart() {
    state = .head([])
    hasTakenBack = false
    do throws(FailureCause) { try writer?.restart() } catch { restartFailure = error }
  }

  func stop() { writer?.stop() }

  func takesBack() -> Bool {
    defer { hasTakenBack = false }
    return hasTakenBack
  }

  func unpack(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    do throws(FailureCause) { return try unsafe read(input, into: output, isLast: isLast) } catch {
      // What went wrong with an earlier entry comes first.
      if !isCancelled() { try writer?.settle() }
      throw error
    }
  }

  private func read(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    if let restartFailure { throw restartFailure }
    var used = 0
    if case .head(let head) = state {
      used = min(input.count, ArchiveFormat.recognizedFrom - head.count)
      let whole = unsafe head + input.prefix(used)
      state = .head(whole)
      guard isLast || whole.count == ArchiveFormat.recognizedFrom else { return used }
      try begin(whole)
    }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: input[used...])
    return try unsafe used + proceed(rest, into: output, isLast: isLast)
  }

  func finish() throws(FailureCause) {
    switch state {
    case .stream(let extraction): _ = try extraction.finish()
    case .reading: break
    case .head, .kept: throw .internalError("an archive was not read")
    }
  }

  // MARK: The format

  private func begin(_ head: [UInt8]) throws(FailureCause) {
    let format: ArchiveFormat
    do throws(ArchiveFault) {
      format = try ArchiveRecognition.format(demanded: rules.format, name: name, firstBytes: head)
    } catch {
      throw .archive(error)
    }
    if format.isStream, case .count(let count) = rules.strip {
      let extraction = TarExtraction(format, decoding, try purpose(strip: count), requireRoom, isCancelled)
      extraction.feed(head)
      state = .stream(extraction)
    } else {
      try keep(format, head)
    }
  }

  private func keep(_ format: ArchiveFormat, _ head: [UInt8]) throws(FailureCause) {
    guard let place else { throw .internalError("unpack has no place for the archive") }
    let store = try ArchiveStore(place)
    let scan =
      format.isStream ? TarExtraction(format, decoding, .find(TopFolder()), requireRoom, isCancelled) : nil
    scan?.feed(head)
    try unsafe head.withBytes { bytes throws(FailureCause) in try unsafe store.add(bytes) }
    state = .kept(format, store, scan: scan)
  }

  private func purpose(strip: Int) throws(FailureCause) -> TarExtraction.Purpose {
    guard rules.tree != nil else { return .extract(EntrySelection(rules, strip: strip, .tar)) }
    return .unpack(try unpacking(strip: strip, .tar))
  }

  private func unpacking(strip: Int, _ naming: EntrySelection.Naming) throws(FailureCause) -> TreeUnpacking {
    guard let writer else { throw .internalError("unpack has no folder for the files") }
    return TreeUnpacking(rules, strip: strip, naming, writer)
  }

  // MARK: The bytes

  private func proceed(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    switch state {
    case .stream(let extraction):
      let used = try unsafe extraction.unpack(input, into: output, isLast: isLast)
      if extraction.takesBack() { hasTakenBack = true }
      return used
    case .kept(let format, let store, let scan):
      try unsafe store.add(input)
      // It puts nothing out.
      _ = try unsafe scan?.unpack(input, into: output, isLast: isLast)
      guard isLast else { return input.count }
      let reading = try extraction(format, store, scan)
      state = .reading(reading)
      try read(reading, into: output)
      return input.count
    case .reading(let reading):
      try read(reading, into: output)
      return input.count
    case .head: throw .internalError("an archive was not recognised")
    }
  }

  private func read(_ reading: any KeptExtraction, into output: Block) throws(FailureCause) {
    try reading.read(into: output)
    if reading.takesBack() { hasTakenBack = true }
  }

  private func extraction(
    _ format: ArchiveFormat, _ store: ArchiveStore, _ scan: TarExtraction?
  ) throws(FailureCause) -> any KeptExtraction {
    if let scan {
      let extraction = TarExtraction(
        format, decoding, try purpose(strip: try scan.finish()), requireRoom, isCancelled)
      return KeptTarExtraction(extraction, store)
    }
    let library = decoding(.gzip).library
    if format == .xar { try XarMemory.check(store, isCancelled) }
    if rules.tree != nil {
      let strip =
        format == .zip
        ? try ZipExtraction.strip(rules, store)
        : try LibraryExtraction.strip(format, rules, store, isCancelled)
      return TreeReading(format, store, try unpacking(strip: strip, .directory), by: library, isCancelled)
    }
    if format == .zip { return try ZipExtraction(rules, store, by: library, requireRoom, isCancelled) }
    return try LibraryExtraction(format, rules, store, requireRoom, isCancelled)
  }
}

/// Reads the wanted entry of an archive that is there as a whole.
protocol KeptExtraction: AnyObject {
  /// Adds content to `output` until that is full or there is no more. The first call that leaves room has read
  /// everything, and throws unless the whole archive is in order.
  func read(into output: Block) throws(FailureCause)

  /// As ``ByteTransform/takesBack()``.
  func takesBack() -> Bool

  /// As ``ByteTransform/isExecutable``.
  var isExecutable: Bool? { get }
}

extension KeptExtraction {
  func takesBack() -> Bool { false }
}

extension Block {
  /// Fills it from `source`, which returns 0 at its end; returns whether that was reached.
  func fill(
    from source: (UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int
  ) throws(FailureCause) -> Bool {
    while !isFull {
      let count = try unsafe source(free)
      guard count > 0 else { return true }
      grow(by: count)
    }
    return false
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` that throws errors of one type.
  func withBytes(_ body: (UnsafeRawBufferPointer) throws(FailureCause) -> Void) throws(FailureCause) {
    try unsafe withUnsafeBytes { bytes in
      Result { () throws(FailureCause) in try unsafe body(bytes) }
    }.get()
  }
}
