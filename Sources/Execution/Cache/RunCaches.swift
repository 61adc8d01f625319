import LocalFiles
import Planning
import Platform
import SyncModel

/// The user's caches as one run uses them: the one on this machine is asked first, and gets what the other one has.
final class RunCaches {
  let local: LocalCache?
  let remote: RemoteCache?
  /// Bodies of this run, and without ``local`` everything of its earlier parts.
  private var bodies: CacheAccount
  /// `nil` if nothing is put on a server.
  private let uploads: Uploads?
  private let settings: RunSettings
  private let report: (RunEvent) -> Void

  /// `nil` if there is neither; `before` has what earlier parts of the run have done, `nil` in a plan.
  ///
  /// - place: in its state folder bodies wait for a server if there is no cache on this machine.
  init?(
    _ settings: RunSettings, before: CacheAccount?, at place: RootPlace,
    _ context: RemoteCache.Context
  ) {
    local = settings.caches.local.map {
      LocalCache(
        $0, before: before, strangersRoot: settings.isUntrusted ? place.root : nil, report: context.report)
    }
    // Without a network, only a cache in a folder is of use.
    let server = settings.questions.isOffline ? nil : settings.caches.remote
    remote = server.map { RemoteCache($0, context) }
    bodies = local == nil ? before ?? CacheAccount() : CacheAccount()
    if let server, server.writes, before != nil, !settings.isUntrusted {
      uploads = Uploads(
        UploadWorker(server, settings, context.secrets, context.hosts),
        spoolPath: local == nil ? place.state + "/uploads" : nil)
    } else {
      uploads = nil
    }
    self.settings = settings
    report = context.report
    if local == nil, remote == nil { return nil }
  }

  /// What the run has had from them, and has put there.
  var account: CacheAccount {
    var sum = bodies
    if let local { sum += local.account }
    if let remote { sum += remote.account }
    return sum
  }

  /// A target has its body from `origin`; `hasLooked` if it was looked for in the caches.
  func note(_ origin: BodyOrigin?, hasLooked: Bool) {
    switch origin {
    case .localCache, .remoteCache: bodies.hits += 1
    case .origin: if hasLooked { bodies.misses += 1 }
    case nil: break
    }
  }

  /// A file for a body of `size` bytes, `nil` if unknown; `nil` if it is not kept. `isForServer` if the server may get it.
  func newFile(size: Int64?, isForServer: Bool) -> CacheCopy? {
    if let local { return local.newFile(size: size) }
    return isForServer ? uploads?.newFile(size: size) : nil
  }

  /// Puts a body into the caches, with its records; `isShared` if others may have it.
  func store(_ entry: CacheEntry, _ copy: CacheCopy, isShared: Bool) {
    let goesUp = isShared && !entry.isFromRemote
    guard let local else {
      if goesUp { uploads?.store(entry, copy) }
      return
    }
    if local.store(entry, copy), goesUp, let folder = local.folder { uploads?.add(entry, in: folder) }
  }

  /// Says when the source was asked last, for those who believe the signature; `isShared` if others may have it.
  func renew(_ record: CacheRecord, at key: CacheKey, isShared: Bool) {
    local?.renew(record, at: key)
    if isShared { uploads?.renew(record, at: key, in: local?.folder) }
  }

  /// The run has ended; it waits for uploads, unless it was stopped.
  func close(by clock: any RunClock, _ stop: StopSignal) {
    if let server = settings.caches.remote, let uploads {
      let account = uploads.finish(within: server.longestWait * settings.resources.timeScale, stop)
      for file in account.bad { local?.noteBad(file) }
      bodies.stored += account.stored
      bodies.errors += account.errors + uploads.unspooled
      var fault = account.fault ?? uploads.fault
      // Of a server that is given up, the user was told.
      if account.left > 0, fault == nil, !server.health.isOver, !stop.isStopped {
        fault = .unfinished(account.left)
        bodies.errors += 1
      }
      if let fault, server.health.trouble.isNow() {
        report(.warning(.remoteCacheUnusable(url: server.url, fault)))
      }
    }
    local?.close(by: clock)
  }
}

/// What a run puts on a server, and where it waits for that.
final class Uploads {
  private let worker: UploadWorker
  /// `nil` if the bodies are in the cache on this machine.
  private let spoolPath: String?
  private lazy var spool: CacheFolder? = openSpool()
  /// How many bodies could not wait there; one for all of them if the folder cannot be made.
  private(set) var unspooled = 0
  /// Why the first of them could not.
  private(set) var fault: RemoteCacheFault?

  init(_ worker: UploadWorker, spoolPath: String?) {
    self.worker = worker
    self.spoolPath = spoolPath
  }

  /// Removes what a run that was killed has left there.
  private func openSpool() -> CacheFolder? {
    guard let spoolPath else { return nil }
    do throws(CacheFault) {
      let folder = try CacheFolder(path: spoolPath, isMade: true, mayBeLink: false)
      folder.clearUnfinished(before: MachineClock().now())
      folder.prune(maxSize: 0, unusedSince: nil) { _, _ in false }
      return folder
    } catch {
      note(error)
      return nil
    }
  }

  private func note(_ fault: CacheFault) {
    unspooled += 1
    if self.fault == nil { self.fault = .spool(fault) }
  }

  func newFile(size: Int64?) -> CacheCopy? {
    guard !worker.settings.health.isOver, let spool else { return nil }
    do throws(SystemError) { return try CacheCopy(spool, size: size) } catch {
      note(.system(error.text))
      return nil
    }
  }

  /// Sends a body that is in nobody's cache.
  func store(_ entry: CacheEntry, _ copy: CacheCopy) {
    guard let spool else { return }
    do throws(SystemError) {
      guard let file = try copy.finish(entry.record.size) else { return }
      worker.hold(entry.record.sha256)
      do throws(SystemError) { try spool.add(file, as: entry.record.sha256) } catch {
        worker.release(entry.record.sha256, in: spool)
        throw error
      }
      worker.add(order(entry, in: spool, isSpooled: true))
    } catch {
      note(.system(error.text))
    }
  }

  func add(_ entry: CacheEntry, in folder: CacheFolder) {
    worker.add(order(entry, in: folder, isSpooled: false))
  }

  /// Sends a signed record whose bytes the server may have; if it has not, those in `folder`.
  func renew(_ record: CacheRecord, at key: CacheKey, in folder: CacheFolder?) {
    guard worker.settings.signer != nil, let folder = folder ?? spool else { return }
    var order = order(CacheEntry(record, at: key, digests: []), in: folder, isSpooled: false)
    order.isRenewal = true
    worker.add(order)
  }

  private func order(_ entry: CacheEntry, in folder: CacheFolder, isSpooled: Bool) -> UploadOrder {
    var order = UploadOrder(
      entry, in: folder, isSpooled: isSpooled, signedBy: worker.settings.signer, worker.settings.trust)
    order.replaces = worker.settings.health.isBad(order.sha256)
    return order
  }

  func finish(within time: Duration, _ stop: StopSignal) -> UploadWorker.Account {
    worker.finish(within: time, stop)
  }
}
