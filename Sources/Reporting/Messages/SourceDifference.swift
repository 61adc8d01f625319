import Planning
import SyncModel

/// The first difference between a source and its record, strongest first.
enum SourceDifference {
  /// There was nothing to ask with.
  case nothingRecorded
  /// The server does not confirm the version, and sends no validator.
  case unconfirmed
  /// At least one of the two is there.
  case etag(was: String?, now: String?)
  case lastModified(was: String?, now: String?)
  /// For a source file; if both sizes are the same, the time differs.
  case size(was: Int64, now: Int64)
  /// A source file with an unknown difference.
  case sourceFile
  /// The file's URL after redirects.
  case place(was: String, now: String)

  init(_ recorded: Validators?, _ observed: Validators?) {
    self = Self.find(recorded, observed)
  }

  private static func find(_ recorded: Validators?, _ observed: Validators?) -> SourceDifference {
    guard let recorded, !recorded.isEmpty else { return .nothingRecorded }
    guard let observed, !observed.isEmpty else { return .unconfirmed }
    if recorded.fileStamp != observed.fileStamp { return stamps(recorded.fileStamp, observed.fileStamp) }
    if !isSame(recorded.etag, observed.etag) {
      return .etag(was: recorded.etag?.text, now: observed.etag?.text)
    }
    if !recorded.lastModified.hasSameBytes(as: observed.lastModified) {
      return .lastModified(was: recorded.lastModified, now: observed.lastModified)
    }
    if let was = recorded.url, let now = observed.url, !was.hasSameBytes(as: now) {
      return .place(was: ResourceURL.shown(was), now: ResourceURL.shown(now))
    }
    return .unconfirmed
  }

  private static func isSame(_ a: EntityTag?, _ b: EntityTag?) -> Bool {
    guard let a, let b else { return a == b }
    return a.weaklyEquals(b)
  }

  /// Stamps are `SIZE-NANOSECONDS`; people understand the size better.
  private static func stamps(_ was: String?, _ now: String?) -> SourceDifference {
    let sizes = [was, now].map { $0?.split(separator: "-").first.flatMap { Int64($0) } }
    guard let was = sizes[0], let now = sizes[1] else { return .sourceFile }
    return .size(was: was, now: now)
  }
}
