import SyncModel

/// The bytes of a body that have come so far, and how the rest of them can follow.
struct PresentBytes: Sendable {
  /// The resume point; used only for the URL that it came from.
  var resume: ResumePoint?
  /// The validators by which they can be resumed.
  var basis: (validator: StrongValidator, total: Int64?, lastModified: String?, url: String)?
  /// The whole size by the Content-Range of the present part; `nil` if the body comes from its start.
  var joinedSize: Int64?
  /// Whether bytes of different hosts were joined.
  var hasJoinedCopies = false
  /// Whether the whole body was asked for after a range had failed, or its bytes did not fit.
  var hasStartedOver = false

  /// The next range always begins at the end of them.
  ///
  /// It is useful only for the URL of the first bytes; the exchange ensures that.
  mutating func goOn(from accepted: Int64, isCheckedByDigest: Bool) {
    if accepted == 0 {
      resume = nil
    } else if let basis {
      resume = ResumePoint(
        offset: accepted, total: basis.total, validator: basis.validator, lastModified: basis.lastModified,
        url: basis.url, isCheckedByDigest: isCheckedByDigest)
    }
  }

  /// None of them may be used for resuming.
  mutating func forget() {
    basis = nil
    resume = nil
  }
}
