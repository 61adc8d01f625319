/// A new output that is whole and waits for the others of its `update`: its file lies in the state folder.
///
/// An update publishes all of its outputs at the end or none (contract, section 8). What a failed one has brought
/// stays withheld, so that the next one need not fetch it again.
package struct WithheldOutput: Sendable, Equatable {
  /// What will be true once it is in place. Its signature is that of the withheld file.
  package var record: TargetRecord
  /// Whether the file has the time that it is to have; else it gets that of its publication.
  package var keepsTime: Bool
  /// What it is to replace, once the publication is decided; `nil` while it only waits.
  package var over: OutputObservation?

  package init(record: TargetRecord, keepsTime: Bool, over: OutputObservation? = nil) {
    self.record = record
    self.keepsTime = keepsTime
    self.over = over
  }
}

/// The end of an update that was decided and may not be complete: whoever holds the run lock next completes it.
package struct Publication: Sendable, Equatable {
  /// The text of the new `syncmake.lock`.
  package var lock: String

  package init(lock: String) { self.lock = lock }
}
