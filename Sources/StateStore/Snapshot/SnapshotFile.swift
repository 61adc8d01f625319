import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file `snapshot` in the state folder: a cache of what manifest and state come to, free to be lost.
package enum SnapshotFile {
  static let name = "snapshot"
  /// More than the largest manifest's targets could need; a larger file is foreign.
  private static let longest = 1 << 30

  /// Replaces the snapshot in `folder` in one step; the caller holds the run lock.
  ///
  /// Nothing is synced: the sum detects damage by a power cut. If it cannot be written, nothing is left behind, and
  /// only time is lost.
  package static func write(_ snapshot: CompiledSnapshot, of state: StateIdentity, in folder: String) {
    replace(in: folder) { hasSettled in
      var stateSum: ByteSum.Value?
      if !hasSettled(state) {
        stateSum = StateIdentity.bytes(in: folder, snapshot.premises.key)
        guard stateSum != nil else { return nil }
      }
      guard StateIdentity(folder: folder) == state else { return nil }
      if let outline = snapshot.outline {
        OutlineFile.write(outline, of: snapshot.premises, in: folder)
      } else {
        OutlineFile.remove(in: folder)
      }
      return SnapshotLayout.encode(snapshot, state, stateSum: stateSum)
    }
  }

  /// Makes `image` valid for the present state: the rows of `changed` replace its rows of the same outputs. The caller
  /// holds the run lock, and guarantees that all other rows are still valid.
  ///
  /// If this fails, the snapshot is unchanged, and invalid because the state has changed.
  package static func revise(_ image: SnapshotImage, with changed: CompiledSnapshot, in folder: String) {
    guard let state = StateIdentity(folder: folder) else { return }
    replace(in: folder) { isRested in
      let stateSum = isRested(state) ? nil : StateIdentity.bytes(in: folder, image.premises.key)
      guard isRested(state) || stateSum != nil else { return nil }
      return image.revised(with: changed, state, stateSum: stateSum)
    }
  }

  /// The key of the sums of the snapshot in `folder`, so that the next one is comparable; `nil` without a snapshot.
  package static func key(in folder: String) -> ByteSum.Key? {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"),
      let start = try? file.read(upTo: SealedForm.contentOffset, at: 0)
    else { return nil }
    return SnapshotLayout.form.key(of: start)
  }

  /// Once the state file has not changed for a while, its times are enough to detect changes: marks this in the
  /// file, so that the next run need not read the state. The caller holds the run lock and has checked
  /// ``isStateUnchanged(_:in:)``.
  package static func refresh(_ image: SnapshotImage, in folder: String) {
    guard image.stateSum != nil else { return }
    replace(in: folder) { hasSettled in hasSettled(image.state) ? image.withoutStateSum() : nil }
  }

  /// Makes `image` valid in `period` for a manifest with other bytes and the same content; for the same callers.
  package static func refresh(
    _ image: SnapshotImage, for edited: EditedManifest, period: TimeSpan, in folder: String
  ) {
    var premises = image.premises
    premises.manifest = edited.sum
    OutlineFile.write(edited.outline, of: premises, in: folder)
    replace(in: folder) { hasSettled in
      image.holding(
        for: edited.sum, in: period, isStateRested: image.stateSum == nil || hasSettled(image.state))
    }
  }

  /// Replaces the old file by a new one; `bytes` returns its content, `nil` for none.
  private static func replace(
    in folder: String, _ bytes: (_ hasSettled: (StateIdentity) -> Bool) -> [UInt8]?
  ) {
    AtomicFile.replace("\(folder)/\(name)") { new in bytes { $0.hasSettled(beside: new) } }
  }

  /// Removes unfinished files of a killed run: the snapshot, ``CheckLog`` and ``OutlineFile``; the caller holds the
  /// run lock.
  package static func clearUnfinished(in folder: String) {
    for name in [name, CheckLog.name, OutlineFile.name] { AtomicFile.clear("\(folder)/\(name)") }
  }

  /// The snapshot in `folder`; `nil` if there is no undamaged one.
  ///
  /// `isWorthIt` is called with the manifest's size before more than the first bytes are read.
  package static func read(in folder: String, isWorthIt: (_ manifestSize: Int64) -> Bool) -> SnapshotImage? {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"), let size = try? file.regularSize,
      size <= longest,
      let start = try? file.read(upTo: SnapshotLayout.fixed, at: 0),
      let manifestSize = unsafe start.withUnsafeBytes({ unsafe SnapshotLayout.manifestSize(in: $0) }),
      isWorthIt(manifestSize), let bytes = try? file.read(upTo: size, at: 0)
    else { return nil }
    return SnapshotImage(bytes)
  }

  /// Whether the state file in `folder` is still the one from which `image` was made.
  ///
  /// If its last change was so soon before the snapshot that a later change could have the same time, its bytes are
  /// compared, which takes as long as reading them.
  package static func isStateUnchanged(_ image: SnapshotImage, in folder: String) -> Bool {
    guard StateIdentity(folder: folder) == image.state else { return false }
    guard let sum = image.stateSum else { return true }
    return StateIdentity.bytes(in: folder, image.premises.key) == sum
  }
}
