import SyncModel

/// What the record of a fresh target says of its list (contract, section 11).
///
/// The template is always that of now, by which the record is found once the entry has left its list; so is the manifest's
/// name. The revision says which version the recorded bytes are. So it becomes that of now only if something shows that
/// the bytes are of it; otherwise the list would say at every later run that a file is current which nobody has compared.
/// All else in the definition stays: it has made the file, also where a lock keeps a file that another definition would
/// make.
extension FreshnessQuestion {
  /// The definition to record for a target that is fresh by `reason`; `nil` if the recorded one is still right.
  func renewedDefinition(of record: TargetRecord?, by reason: FreshReason) -> [DefinitionField]? {
    guard case .entry = self.target.source, let record, record.definition != self.definition,
      Definition.entry(in: record.definition) != nil
    else { return nil }
    var renewed = record.definition
    for field in self.definition where !field.isDefining {
      let place = renewed.firstIndex { $0.name == field.name } ?? renewed.endIndex
      let isKnown = place < renewed.endIndex
      var value = field.value
      if field.name == DefinitionField.revision {
        let recorded = ListRevision(text: isKnown ? renewed[place].value : "")
        var listed = ListRevision(text: value)
        if provesRevision(reason) {
          value = listed.completed(by: recorded).text
        } else if case .present = reason {
          // By `once` any file will do. What the list says of it for the first time is what a later version is compared
          // with; a digest is no such thing, since it can be compared with the file.
          listed.digests = []
          value = recorded.completed(by: listed).text
        } else {
          continue
        }
      } else if field.name == DefinitionField.asked, !isOfSource(reason) {
        continue
      }
      renewed.replaceSubrange(
        place..<(isKnown ? place + 1 : place), with: [DefinitionField(name: field.name, value: value)])
    }
    return renewed == record.definition ? nil : renewed
  }

  /// Whether the source itself has said so: what is recorded of it counts for the URL of now.
  private func isOfSource(_ reason: FreshReason) -> Bool {
    switch reason {
    case .notModified, .serverDigestMatches: true
    default: false
    }
  }

  /// Whether a target that is fresh by `reason` has the bytes of which its list speaks now.
  ///
  /// The list itself says so if it has the recorded revision, and the source if it is asked now, as a download would
  /// have the same bytes. Rules that ask nobody do not know. A digest in the manifest may be that of an earlier version,
  /// unless it is the list's; and a lock knows of no later one.
  private func provesRevision(_ reason: FreshReason) -> Bool {
    switch reason {
    case .listUnchanged, .notModified, .serverDigestMatches: true
    case .digestMatches(let algorithm, let digest):
      self.facts.expectedDigest != nil
        || self.target.source.listedDigests.contains(ListedDigest(algorithm, digest))
    case .present, .inputsUnchanged, .withinInterval, .asLocked, .assumedFresh, .leftToSeed, .keptModified,
      .listGone, .listGoneEdited, .listGoneWaits, .listGoneMissing, .touched:
      false
    }
  }
}
