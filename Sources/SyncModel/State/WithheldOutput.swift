/// A complete new output that waits for the others of its `update` in the state folder.
///
/// An update publishes all of its outputs at the end, or none (contract, section 8). Outputs of a failed update
/// stay withheld, so that the next one need not fetch them again.
package struct WithheldOutput: Sendable, Equatable {
  /// The record after its publication. Its signature is the withheld file's.
  package var record: TargetRecord
  /// Whether the file has the time that it is to have; else it gets that of its publication.
  package var keepsTime: Bool
  /// The output that it will replace, once the publication is decided; `nil` while it only waits.
  package var over: OutputObservation?

  /// `over` is `nil` until the publication is decided.
  package init(record: TargetRecord, keepsTime: Bool, over: OutputObservation? = nil) {
    self.record = record
    self.keepsTime = keepsTime
    self.over = over
  }
}

/// The end of an update that was decided and may be incomplete: the next holder of the run lock completes it.
package struct Publication: Sendable, Equatable {
  /// The text of the new `syncmake.lock`.
  package var lock: String

  /// `lock` is the whole text of the new lock file.
  package init(lock: String) { self.lock = lock }
}
