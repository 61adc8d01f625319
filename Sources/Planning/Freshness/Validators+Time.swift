package import SyncModel

extension Validators {
  /// A question with an output's own time, for the `mtime` rule without a record (contract, section 3).
  package static func ownTime(of signature: FileSignature) -> Validators {
    Validators(
      lastModified: HTTPDate.format(signature.modified),
      fileStamp: "\(signature.size)-\(signature.modified.nanoseconds)", origin: .ownTime)
  }

  /// The source's time for people: `Last-Modified` as it was sent, or a source file's time in that form.
  var date: String? { self.lastModified ?? sourceTime.map(HTTPDate.format) }

  /// A source file's time, out of ``fileStamp``; `nil` for web sources.
  package var sourceTime: Timestamp? {
    guard let stamp = self.fileStamp, let dash = stamp.firstIndex(of: "-") else { return nil }
    return Int64(stamp[stamp.index(after: dash)...]).map { Timestamp(nanoseconds: $0) }
  }
}
