import LocalFiles
package import Planning
package import SyncModel

/// The place of a manifest's files, and the facts about them.
package struct Workspace: Sendable {
  /// The valid manifest, or the part of it that ``open`` describes.
  package var manifest: Manifest
  /// The dependencies in ``manifest``.
  package var graph: TargetGraph
  package var place: RootPlace
  /// What the manifest was read from; `nil` if it is in no file, if it is a stranger's, and in the library, whose caller has
  /// read it.
  var files: ManifestFiles?
  /// The content of `syncmake.lock`; `nil` if there is none.
  package var lock: LockFile?
  /// The lock file's observation before it was read.
  package var lockSeen = OutputObservation.missing
  /// The sha256 of the bytes that were read, for commands that replace it; `nil` if there is none, or it is unknown.
  var lockDigest: HexDigest?
  /// Targets that take what their sources have now, as if the lock did not contain them.
  package var unpinned: Set<TargetID> = []
  /// What a run needs to write a compiled snapshot; `nil` if it must not.
  package var basis: SnapshotBasis?
  /// The shard whose state this is; `nil` for a plain run.
  package internal(set) var shard: ShardPlace?

  /// Whether the manifest is a stranger's, so that its `file` sources must be inside the root.
  var isUntrusted: Bool { manifest.isUntrusted }
  private var extent = Extent.whole

  private enum Extent {
    case whole, part
    case open(OpenTargets)
  }

  /// Whether ``manifest`` may lack targets that are not known yet.
  package var isPart: Bool {
    get { if case .part = extent { true } else { false } }
    set { extent = newValue ? .part : .whole }
  }

  /// Whether targets that an earlier run knew may be missing: a list or a value could not be read, or not yet.
  var lacksTargets: Bool {
    isPart || !manifest.waiting.isEmpty
      || manifest.templates.contains { if case .expanded = $0.state { false } else { true } }
  }

  /// Set where ``manifest`` holds nothing but these targets, since all others are known to be fresh.
  package var open: OpenTargets? {
    get { if case .open(let targets) = extent { targets } else { nil } }
    set { extent = newValue.map { .open($0) } ?? .whole }
  }

  /// `graph` must be made from `manifest`.
  package init(manifest: Manifest, graph: TargetGraph, at place: RootPlace) {
    self.manifest = manifest
    self.graph = graph
    self.place = place
  }

  /// Opens the root.
  func openRoot() throws(FailureCause) -> RootFolder { try place.openRoot(isUntrusted: isUntrusted) }
}

/// What a compiled snapshot of a manifest rests on.
package struct SnapshotBasis: Sendable {
  /// What must be unchanged for the snapshot to be used.
  package var premises: SnapshotPremises
  /// `nil` if a snapshot must not survive an edit.
  package var outline: ManifestOutline?
  /// Whether the snapshot also keeps what a result says of each target. Such a snapshot is made only if the source of every
  /// target has confirmed its output.
  package var keepsConfirmed = false

  /// `outline` must be of the manifest in `premises`; `nil` if a snapshot must not survive an edit.
  package init(premises: SnapshotPremises, outline: ManifestOutline?) {
    self.premises = premises
    self.outline = outline
  }

  /// The same for targets that these bytes declare, instead of a manifest's text. A later call needs a result for each of
  /// them.
  package func declared(by bytes: [UInt8]) -> SnapshotBasis {
    var premises = premises
    premises.manifest = unsafe bytes.withUnsafeBytes { unsafe ByteSum.of($0, premises.key) }
    var basis = SnapshotBasis(premises: premises, outline: nil)
    basis.keepsConfirmed = true
    return basis
  }
}

extension Workspace {
  /// The valid pin for `target`.
  package func pin(of target: Target) -> Pin? {
    guard let lock, !unpinned.contains(target.id) else { return nil }
    return lock.pins[target.name]
  }

  /// What the list says now of the entry that `pin` has.
  func upstreamEntry(of pin: Pin?) -> UpstreamEntry {
    guard let pinned = pin?.entry,
      let template = manifest.templates.first(where: { $0.list.template == pinned.template }),
      let list = template.upstream
    else { return .unknown }
    guard let now = list[pinned.entry.identity] else { return .gone }
    return .listed(
      now.revision, urls: now.urls.map { ByteString(manifest.secrets.mask(SourceURL.web($0).shown)) })
  }
}
