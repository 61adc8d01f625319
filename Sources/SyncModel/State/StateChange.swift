/// Everything that earlier runs left behind, as one value.
package struct StateSnapshot: Sendable {
  /// One for each output that was ever in order; several may bear one name.
  package var records: [TargetRecord]
  /// Outputs that were about to be renamed into place when a run ended: what they would have been.
  ///
  /// A file whose digest is one of these is ours, for all that ``records`` say (contract, section 6, promise 2).
  package var pending: [TargetRecord]
  /// One for each URL.
  package var sidecars: [SidecarRecord]
  /// Outputs whose records have the time of a check that is not recorded, but noted beside them
  /// (docs/decisions/0010).
  package var noted: Set<RelativePath> = []
  /// New outputs that no update has published yet, one for each output.
  package var withheld: [WithheldOutput] = []
  /// The publication of those of ``withheld`` that have an ``WithheldOutput/over``; `nil` where none is under way.
  package var publication: Publication?

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
  /// This output is in place; replaces what was recorded or intended for its path.
  ///
  /// Records of other outputs stay, whatever name they bear: the same target may have made them before, or a
  /// target of another manifest in the same folder, and without them an edit of those files could not be seen.
  case commit(TargetRecord)
  /// The intention for this output came to nothing.
  case withdraw(output: RelativePath)
  /// Forget this output.
  case forget(output: RelativePath)
  case sidecar(SidecarRecord)
  /// This output is whole in the state folder; replaces what was withheld for its path.
  case withhold(WithheldOutput)
  /// Nothing is withheld for this output any more.
  case unwithhold(output: RelativePath)
  /// An update is decided: all that is withheld with an ``WithheldOutput/over`` is to be put in place, and the lock.
  case decide(Publication)
  /// The publication is complete, or was given up.
  case concludePublication
}
