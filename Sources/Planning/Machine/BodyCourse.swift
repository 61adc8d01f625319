import SyncModel

/// How far a target's body has come, from what an earlier run left of it to its publication.
struct BodyCourse: Sendable {
  /// A whole body that an earlier run left, whose source is asked whether it still has this version.
  struct Held {
    /// The conditions for a request without the held body.
    var otherwise: Validators?
    /// Set for an output that an earlier update withheld, steps and all.
    var withheld: TargetRecord?
    /// Set for a body in a cache.
    var shared: CacheRecord?
    /// Set once the source has confirmed the version.
    var confirmed: Validators?
  }

  // MARK: On its way

  /// Whether the driver has a body, or the beginning of one.
  var hasBody = false
  /// By what the present bytes can be resumed.
  var partial: PartialFacts?
  var held: Held?
  /// In bytes, of a body that a step refused.
  var received: Int64 = 0
  /// Why a body was refused whose received part is read back.
  var salvaging: (cause: FailureCause, received: Int64)?
  /// Where a page for people has come from in place of the file; `nil` if none has.
  var pageURL: String?

  // MARK: At its end

  /// The body, once it has passed its steps.
  var whole: BodyContent?
  /// Whether its demands were searched for.
  var hasSought = false
  /// Why signatures are not the body's, by the place of their steps; `nil` until they are checked.
  var signatureFaults: [Int: FailureCause]?
  /// The body's validators; `nil` for a copy of another target's output.
  var observed: Validators?
  var publication: TargetAction.Publication?

  /// Forgets a body that is refused; how much of it has come, in bytes.
  mutating func refuse() -> Int64 {
    let size = whole?.download.size ?? received
    whole = nil
    signatureFaults = nil
    return size
  }

  /// The validators of the held partial download, which its source has confirmed: a 304 may leave out what the first
  /// reply had.
  func completed(_ confirmed: Validators) -> Validators {
    var validators = confirmed
    validators.etag = confirmed.etag ?? partial?.validator.etag
    validators.lastModified = confirmed.lastModified ?? partial?.lastModified
    return validators
  }
}
