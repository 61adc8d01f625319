import ContentPipeline
import LocalFiles
import Planning
import Platform
import SyncModel

/// The cache on this machine as one run uses it: looks up, keeps account, and warns of the first trouble only.
///
/// The driver's thread calls it. Whatever is wrong with the cache costs a warning and no more.
final class LocalCache {
  private(set) var account: CacheAccount
  /// `nil` if it cannot be used, or is not there yet and nothing may be written.
  let folder: CacheFolder?
  private let settings: CacheSettings
  /// Nothing in the folder is changed: a stranger's manifest is run.
  private let isReadOnly: Bool
  /// A plan changes nothing, and tells of nothing.
  private let isRun: Bool
  /// Whether bad files may be removed.
  private var mayChange: Bool { isRun && !isReadOnly }
  private let report: (RunEvent) -> Void
  /// Whether the system has refused to share a file between the cache and this root.
  private var cannotShare = false
  /// Whether a run that fetches was waited for that gave no sign.
  var hasWaitedInVain = false
  /// Whether this part of the run has added something.
  private var hasStored = false
  /// What an answer named last: most often it is taken at once.
  private var found: (sha256: HexDigest, file: ReadableFile)?

  /// Opens the folder; a run makes it, and goes on with the account of its parts `before`. A plan only reads.
  ///
  /// A stranger's manifest in `strangersRoot` changes nothing in it. What it could have brought itself is not believed: its
  /// records would give any bytes for a source.
  init(
    _ settings: CacheSettings, before: CacheAccount? = nil, strangersRoot: String? = nil,
    report: @escaping (RunEvent) -> Void
  ) {
    account = before ?? CacheAccount()
    self.settings = settings
    isReadOnly = strangersRoot != nil
    isRun = before != nil
    self.report = report
    do throws(CacheFault) {
      if let strangersRoot, RealPath.of(settings.path).map({ Checkout.holds($0, of: strangersRoot) }) == true
      {
        throw .ofStranger
      }
      folder = try CacheFolder(named: settings.path, isMade: isRun && !isReadOnly)
    } catch {
      folder = nil
      if error != .missing { tellFault(error) }
    }
  }

  // MARK: Looking

  /// What is there for `question`; whether the bytes are right shows only when they are read.
  func answer(_ question: CacheQuestion) -> CacheAnswer {
    guard let folder else { return CacheAnswer() }
    var answer = CacheAnswer()
    for name in question.names {
      guard let sha256 = sha256(name), let file = folder.open(sha256) else { continue }
      answer.named = CachedFile(sha256: sha256, size: file.signature.size)
      found = (sha256, file)
      break
    }
    if let record = source(question.key) {
      let isNamed = answer.named?.sha256 == record.sha256
      let there = isNamed ? answer.named?.size : folder.size(of: record.sha256)
      if there == record.size {
        answer.record = record
      } else if there != nil {
        if isNamed { (answer.named, found) = (nil, nil) }
        let isRemoved = mayChange && folder.remove(record.sha256)
        // One that nothing has named and that cannot be removed would be told of in each run.
        if isRemoved || isNamed && isRun { noteBad(record.sha256) }
      }
    }
    return answer
  }

  /// By which digest a file is found.
  private func sha256(_ name: NamedDigest) -> HexDigest? {
    name.algorithm == .sha256
      ? name.digest : record(CacheKey(name.algorithm, name.digest))?.sha256
  }

  /// What leads to a file: whether it has the digest is found out with its bytes.
  private func record(_ key: CacheKey) -> CacheRecord? {
    value(Self.name(key)).flatMap { ActionResult.record(in: $0, at: key) }
  }

  /// What is said of a source. What others may write proves nothing but by its digest, unless it is signed.
  private func source(_ key: CacheKey) -> CacheRecord? {
    let name = Self.name(key)
    guard let folder, let value = value(name) else { return nil }
    if !settings.keys.isEmpty,
      let record = RecordTrust.signed(settings.keys).record(in: value, at: key, named: name)
    {
      return record
    }
    return folder.isOwn(value: name) ? RecordTrust.writers.record(in: value, at: key, named: name) : nil
  }

  private func value(_ name: HexDigest) -> [UInt8]? { folder?.value(name, limit: 2 * CacheRecord.longest) }

  static func name(_ key: CacheKey) -> HexDigest { Digester.digest(Array(key.text.text.utf8), .sha256) }

  /// The file, to be read; `nil` if it has gone. `mayBeLinked`: the output may be another name of it.
  func open(_ file: CachedFile, mayBeLinked: Bool) -> CacheHit? {
    let last = found.take()
    guard let folder, let opened = last?.sha256 == file.sha256 ? last?.file : folder.open(file.sha256) else {
      return nil
    }
    if !isReadOnly { folder.noteUse(of: opened) }
    return CacheHit(file, opened, in: self, mayBeLinked: mayBeLinked)
  }

  /// Makes `staged` a file with the bytes of `file`, which was `opened`, without a copy of them; returns it for
  /// reading. `nil` if the bytes are to be copied.
  func share(
    _ file: CachedFile, _ opened: ReadableFile, with staged: StagedFile, mayBeLinked: Bool
  ) -> ReadableFile? {
    guard let folder, !cannotShare else { return nil }
    do throws(CacheFolder.SharingFault) {
      switch settings.link {
      case .reflink: return try folder.clone(opened, into: staged)
      // A stranger's output must not be a file of the cache.
      case .hardlink where mayBeLinked && !isReadOnly: return try folder.link(file.sha256, into: staged)
      case .hardlink, .copy: return nil
      }
    } catch {
      cannotShare = error == .impossible
      return nil
    }
  }

  /// Whether the file of `record` is there.
  func has(_ record: CacheRecord) -> Bool { folder?.size(of: record.sha256) == record.size }

  /// Removes a file that has other bytes than its name says.
  func drop(_ file: CachedFile) {
    guard let folder else { return }
    if mayChange { folder.remove(file.sha256) }
    found = nil
    noteBad(file.sha256)
  }

  /// A file has, or had, other bytes than its name says.
  func noteBad(_ sha256: HexDigest) {
    guard let folder else { return }
    account.bad += 1
    warn(.cacheEntryBad(path: folder.path(of: sha256)))
  }

  /// The right to fetch what `question` is about; `nil` if there is nothing to hold it in, or nothing will be kept.
  func lock(_ question: CacheQuestion) -> CacheLock.Attempt? {
    if isReadOnly { return nil }
    let key = question.names.first.map { CacheKey($0.algorithm, $0.digest) } ?? question.key
    return folder.map { CacheLock.attempt(Self.name(key), in: $0) }
  }

  // MARK: Keeping

  /// A file for a body of `size` bytes, `nil` if unknown; `nil` if there is no room for it.
  func newFile(size: Int64?) -> CacheCopy? {
    guard let folder else { return nil }
    do throws(SystemError) {
      return try CacheCopy(folder, size: size)
    } catch {
      tellFault(.system(error.text))
      return nil
    }
  }

  /// Puts a body into the cache, with its records; whether the body is there.
  @discardableResult
  func store(_ entry: CacheEntry, _ copy: CacheCopy) -> Bool {
    guard let folder else { return false }
    do throws(SystemError) {
      // Its bytes were digested on their way to the output; a file that lacks some would be bad.
      guard let file = try copy.finish(entry.record.size) else { return false }
      try folder.add(file, as: entry.record.sha256)
      for item in entry.values(signedBy: settings.signer) where !hasSigned(item, of: entry) {
        try folder.set(item.name, item.bytes)
      }
      account.stored += 1
      hasStored = true
      return true
    } catch {
      tellFault(folder.fault(error, storing: entry.record.sha256))
      return false
    }
  }

  /// Whether an unsigned record would take the place of a signed one of the same version.
  private func hasSigned(_ value: CacheValue, of entry: CacheEntry) -> Bool {
    guard let key = value.unsigned, let known = source(key) else { return false }
    return known.isSigned && known.sha256 == entry.record.sha256
      && entry.record.validators.map { CacheRule.repeats($0, known) } == true
  }

  /// Says when the source was asked last, if it is worth saying: unsigned it would prove nothing.
  func renew(_ record: CacheRecord, at key: CacheKey) {
    guard let signer = settings.signer, !isReadOnly, let folder, folder.size(of: record.sha256) == record.size
    else { return }
    let value = CacheValue(record, at: key, signedBy: signer)
    do throws(SystemError) { try folder.set(value.name, value.bytes) } catch {
      tellFault(.system(error.text))
    }
  }

  /// The run has ended: what was used least recently goes, if the run has added something.
  func close(by clock: any RunClock) {
    found = nil
    guard hasStored, let folder else { return }
    let began = clock.monotonic()
    folder.trim(
      maxSize: settings.maxSize, unfinishedBefore: Self.unfinished(clock.now()), isOrphan: Self.isOrphan
    ) { (clock.monotonic() - began) / Self.longestUpkeep }
  }

  /// A run waits for no more than that.
  private static let longestUpkeep = Duration.seconds(2)

  /// What was being written before this moment is not written any more.
  private static func unfinished(_ now: Timestamp) -> Timestamp { Timestamp(seconds: now.seconds - 86_400) }

  /// Removes files, what is recorded of them alone, and what killed runs have left.
  static func prune(
    _ folder: CacheFolder, maxSize: Int64?, unusedSince moment: Timestamp?, now: Timestamp
  ) -> (removed: CacheContents, kept: Int) {
    folder.clearUnfinished(before: unfinished(now))
    return folder.prune(maxSize: maxSize, unusedSince: moment, isOrphan: isOrphan)
  }

  /// Whether `value` is the record of a file that is not there. Of other programs' values nothing is known.
  private static func isOrphan(_ value: [UInt8], in folder: CacheFolder) -> Bool {
    ActionResult.record(in: value, at: nil).map { folder.isGone($0.sha256) } ?? false
  }

  // MARK: Trouble

  private func tellFault(_ fault: CacheFault) {
    account.errors += 1
    warn(.cacheUnusable(path: settings.path, fault))
  }

  private func warn(_ warning: RunWarning) {
    if settings.trouble.isNow() { report(.warning(warning)) }
  }
}

/// The bytes of a download on their way into the cache, beside those that become the output.
final class CacheCopy {
  /// What is left free on the disk, in bytes: the output comes first.
  private static let reserve: Int64 = 64 << 20
  /// In bytes: so often it is checked that there is room.
  private static let stride: Int64 = 32 << 20
  private let folder: CacheFolder
  private var file: CacheFile?
  private var failure: SystemError?
  private var checkedSize: Int64 = 0

  init(_ folder: CacheFolder, size: Int64?) throws(SystemError) {
    self.folder = folder
    // The output needs as much. A server may name any length: no disk has room for a quarter of what can be counted.
    try folder.requireRoom(for: 2 * min(size ?? 0, Int64.max / 4) + Self.reserve)
    file = try folder.newFile()
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let file else { return }
    do throws(SystemError) {
      if file.size - checkedSize >= Self.stride {
        checkedSize = file.size
        try folder.requireRoom(for: Self.reserve)
      }
      try unsafe file.append(bytes)
    } catch {
      giveUp(error)
    }
  }

  /// The body goes on from its byte `size`.
  func goOn(from size: Int64) {
    guard let file, file.size != size else { return }
    guard file.size > size else { return giveUp(nil) }
    do throws(SystemError) { try file.truncate(to: size) } catch { giveUp(error) }
  }

  private func giveUp(_ error: SystemError?) {
    file = nil
    failure = error
  }

  /// The file, if it has `size` bytes; `nil` if some never came here. Throws what went wrong on the way.
  func finish(_ size: Int64) throws(SystemError) -> CacheFile? {
    if let failure { throw failure }
    guard let file, file.size == size else { return nil }
    self.file = nil
    return file
  }
}
