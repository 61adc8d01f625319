import SyncModel

/// Publishes the units of a run, one after another, on the committer's thread, which alone calls it.
final class UnitPublisher: @unchecked Sendable {
  private let publication: WithheldPublication
  /// Whether the publication of an earlier unit may be decided and not concluded. There can be only one at a time.
  private var mayBeOpen = false

  init(_ publication: WithheldPublication) { self.publication = publication }

  /// Publishes a unit's new outputs. Returns why they are not in place, or `nil`.
  func publish(_ contents: WithheldShelf.Contents, in store: any RecordStore) -> WithheldPublication.Fault? {
    do throws(WithheldPublication.Fault) {
      // Without new outputs nothing is decided.
      guard !contents.new.isEmpty else {
        try publication.perform(contents, lock: nil, in: store)
        return nil
      }
      do throws(FailureCause) { if mayBeOpen { try publication.completeOpen(in: store) } } catch {
        return WithheldPublication.Fault(cause: error)
      }
      mayBeOpen = !(try publication.perform(contents, lock: nil, in: store))
    } catch {
      mayBeOpen = error.isOpen
      // As for other outputs: the next run makes sure that the disk has their names.
      return error.isInPlace ? nil : error
    }
    return nil
  }
}
