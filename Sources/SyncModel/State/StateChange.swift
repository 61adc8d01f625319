/// Everything that earlier runs have stored, as one value.
package struct StateSnapshot: Sendable {
  /// One for each output that was ever in order; several may bear one name.
  package var records: [TargetRecord]
  /// The planned content of outputs that were about to be renamed when a run ended.
  ///
  /// A file with one of these digests is ours, whatever ``records`` contain (contract, section 6, promise 2).
  package var pending: [TargetRecord]
  /// One for each URL.
  package var sidecars: [SidecarRecord]
  /// Outputs whose records have the time of a check that is not recorded, but noted beside them
  /// (docs/decisions/0010).
  package var noted: Set<RelativePath> = []
  /// New outputs that are not published yet, one for each output.
  package var withheld: [WithheldOutput] = []
  /// The publication of those ``withheld`` outputs that have an ``WithheldOutput/over``; `nil` if none is in
  /// progress.
  package var publication: Publication?
  /// The outputs of an earlier run's publication that this run has completed: none if it was taken back, and `nil` if
  /// there was none; not stored.
  package var completed: Set<RelativePath>?

  /// Nothing is withheld and no publication is in progress until the fields say so.
  package init(records: [TargetRecord] = [], pending: [TargetRecord] = [], sidecars: [SidecarRecord] = []) {
    self.records = records
    self.pending = pending
    self.sidecars = sidecars
  }
}

/// One thing to remember; a list of them is stored all or nothing.
package enum StateChange: Sendable, Equatable {
  /// This output is about to be renamed into place; durable before the rename.
  case intend(TargetRecord)
  /// This output is published; replaces the record or intention for its path.
  ///
  /// Records of other outputs stay, whatever name they have: the same target, or a target of another manifest in
  /// the same folder, may have made them before, and without them an edit of those files could not be detected.
  case commit(TargetRecord)
  /// The intention for this output came to nothing.
  case withdraw(output: RelativePath)
  /// Forget this output.
  case forget(output: RelativePath)
  /// A sidecar was fetched or confirmed; replaces the one that was stored for its URL.
  case sidecar(SidecarRecord)
  /// This output is complete in the state folder; replaces what was withheld for its path.
  case withhold(WithheldOutput)
  /// Nothing is withheld for this output any more.
  case unwithhold(output: RelativePath)
  /// A publication is decided: all withheld outputs with an ``WithheldOutput/over`` will be put in place, and the lock.
  case decide(Publication)
  /// The publication is complete, or was given up.
  case concludePublication
}
