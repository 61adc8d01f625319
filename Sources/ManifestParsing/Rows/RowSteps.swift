import SyncModel

/// The steps of the targets of a row file: what no column changes is read once for the whole file.
struct RowSteps {
  /// Those of one row.
  fileprivate var steps: [Step]
  /// The checks whose digests are in each row, by the places of their steps.
  fileprivate var digests: [(place: Int, check: LiteralCheck)] = []
}

/// A `verify` step with one digest and nothing else.
private struct LiteralCheck {
  var algorithm: DigestAlgorithm
  var digest: NodeID
}

extension ManifestReader {
  /// Steps for the cursor's row; `nil` after an error.
  func steps(_ known: RowSteps, _ scope: Scope) -> [Step]? {
    var steps = known.steps
    for (place, check) in known.digests {
      guard let digest = literalDigest(check.digest, check.algorithm, scope) else { return nil }
      steps[place] = .verifyDigest(check.algorithm, digest)
    }
    return steps
  }

  /// What can be kept of the steps of the first row, which are without an error; `nil` if more than digests may differ in
  /// the next one, or if the steps have more to them.
  func kept(_ steps: [Step], of items: ArraySlice<NodeID>, _ notes: StepNotes, _ row: RowCursor) -> RowSteps?
  {
    guard values.isEmpty, notes.references.isEmpty, notes.signaturesBesideSource.isEmpty else { return nil }
    let columns = Set(row.names)
    var known = RowSteps(steps: steps)
    for (place, item) in items.enumerated() {
      if let check = literalCheck(item) {
        known.digests.append((place, check))
      } else if refers(item, to: columns) {
        return nil
      }
    }
    return known
  }

  private func literalCheck(_ step: NodeID) -> LiteralCheck? {
    guard let check = onlyEntry(of: step), document.text(of: check.key) == "verify",
      let rule = onlyEntry(of: check.value), document[rule.value].kind == .scalar
    else { return nil }
    return DigestAlgorithm(rawValue: document.text(of: rule.key)).map {
      LiteralCheck(algorithm: $0, digest: rule.value)
    }
  }

  private func onlyEntry(of id: NodeID) -> MappingEntry? {
    let children = document.children(of: id)
    guard document[id].kind == .mapping, children.count == 2, let key = children.first,
      let value = children.last
    else { return nil }
    return MappingEntry(key: key, value: value)
  }
}
