import SyncModel

/// What a pin says of bytes, and of a target's standing (contract, section 8).
package enum PinRule {
  /// Why bytes that came for the target `name` may not be taken; `nil` where they are as locked.
  ///
  /// `download` is `nil` for a target made from another's output, whose input has a pin of its own.
  package static func mismatch(
    _ pin: Pin, of name: TargetName, download: ContentIdentity?, output: ContentIdentity
  ) -> FailureCause? {
    func compare(_ locked: Pin.Content?, _ actual: ContentIdentity?, ofDownload: Bool) -> FailureCause? {
      guard let locked, let sha256 = actual?.sha256, sha256 != locked.sha256 else { return nil }
      return .lockMismatch(name: name, locked: locked.sha256, actual: sha256, ofDownload: ofDownload)
    }
    return compare(pin.download, download, ofDownload: true) ?? compare(pin.output, output, ofDownload: false)
  }

  /// How a target stands to its pin.
  ///
  /// - Parameters:
  ///   - here: the output's sha256; `nil` where it is missing or cannot be read.
  ///   - hasMoved: whether the source said that it has something else; `false` where nobody asked it.
  package static func standing(_ pin: Pin, here: HexDigest?, hasMoved: Bool = false) -> LockStanding {
    if hasMoved { return .moved }
    return here == pin.output.sha256 ? .pinned : .drifted
  }

  /// What to ask the source with to learn whether it has moved; `nil` where nothing can tell.
  ///
  /// A record of the very bytes that are locked knows better than the lock, but no more than that binds it to a URL.
  package static func question(_ pin: Pin, _ record: TargetRecord?) -> Validators? {
    if let record, record.content.sha256 == pin.output.sha256, record.download != nil,
      var known = record.validators, !known.isEmpty
    {
      if known.fileStamp == nil { known.url = Validators.anyURL }
      return known
    }
    return pin.validators
  }
}
