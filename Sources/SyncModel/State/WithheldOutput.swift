/// A complete new output that waits for others in the state folder: those of its `update`, or those that are published
/// together with it.
///
/// All of them are published, or none (contract, sections 8 and 10). If some fail, the others stay withheld, so that the
/// next run need not fetch them again.
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

/// A publication of withheld outputs that was decided and may be incomplete: the next holder of the run lock completes
/// it.
package struct Publication: Sendable, Equatable {
  /// The text of the new `syncmake.lock`; `nil` if the lock stays as it is.
  package var lock: String?
  /// What the new lock replaces; `nil` if that is unknown, or there is no new one.
  package var replaced: ReplacedLock?

  /// `lock` is the whole text of the new lock file, or `nil`.
  package init(lock: String?, replaced: ReplacedLock? = nil) {
    self.lock = lock
    self.replaced = replaced
  }
}

/// What was at a lock file's path when the publication of a new one was decided.
package enum ReplacedLock: Sendable, Equatable {
  case nothing
  case file(sha256: HexDigest)

  /// `nil` for nothing.
  package var sha256: HexDigest? { if case .file(let sha256) = self { sha256 } else { nil } }
}
