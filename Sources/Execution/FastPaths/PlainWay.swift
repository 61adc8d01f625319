import LocalFiles
import Planning
import SyncModel
import Transfer

/// The shared data of a run's plain fetches, and the rule for their targets.
final class PlainWay {
  let context: RunContext
  let committer: Committer
  private let bodies: any BodyStore
  /// A target only waits for the disk.
  let closing: (TargetID) -> Void
  /// A target has ended.
  let done: (TargetResult) -> Void
  /// Begins the full path, which continues an exchange.
  let handOver: (TargetID, AdoptedExchange) -> SourceExchange

  /// `nil` if an option of the run affects all its targets.
  init?(
    _ context: RunContext, closing: @escaping (TargetID) -> Void, done: @escaping (TargetResult) -> Void,
    handOver: @escaping (TargetID, AdoptedExchange) -> SourceExchange
  ) {
    let settings = context.settings
    guard let bodies = context.state.bodies, let committer = context.state.committer,
      context.workspace.lock == nil,
      // What a server repeats of a secret must not be stored.
      context.manifest.secrets.isEmpty, !settings.overrides.forcesAll, settings.overrides.assumedOld.isEmpty,
      settings.overrides.assumedNew.isEmpty, !settings.questions.isOffline, !settings.reports.hasPins,
      !settings.reports.hasTimes,
      settings.caches.local == nil, settings.caches.remote == nil
    else { return nil }
    self.context = context
    self.bodies = bodies
    self.committer = committer
    self.closing = closing
    self.done = done
    self.handOver = handOver
  }

  /// Begins to fetch the target; `nil`, without any effect, if it may not take this path.
  func begin(_ id: TargetID, at began: Duration) -> PlainFetch? {
    let target = context.target(id)
    // What is recorded first: most targets that are here have a record.
    guard context.settings.overrides.seedWork?.seed(for: id) == nil,
      context.records.record(for: target) == nil, let url = target.plainURL,
      context.settings.routes.leaves(url),
      context.workspace.graph.dependencies(of: id).isEmpty, !context.terms.withholds(id),
      context.state.partialKey(of: target) == nil, context.records.pending(for: target) == nil,
      context.root.observeUnpublished(target.path) == .missing,
      let network = try? context.driver.openNetwork()
    else { return nil }
    let fetch = PlainFetch(target, began: began, on: self)
    fetch.begin(asking: url, over: network)
    return fetch
  }

  /// In bytes; `nil` if the reply is not simple, or the body is not small.
  func sizeOfPlainBody(_ head: ResponseHead, for target: Target) -> Int? {
    guard head.status == 200, head.contentEncoding == nil, head.digestFields.isEmpty,
      let size = head.contentLength,
      size <= StagedFile.mostHeld, size <= target.maxSize ?? .max
    else { return nil }
    // These give a warning: the rule needs a validator and none came, or a page came.
    if head.etag == nil, head.lastModified == nil, target.needsValidators { return nil }
    if PageRule.isPage(head, for: target) { return nil }
    return Int(size)
  }

  /// A file that waits in memory; `nil` if it cannot, or cannot be created.
  func file(for target: Target) -> (any HeldFile)? { bodies.heldFile(for: target.path) }
}
