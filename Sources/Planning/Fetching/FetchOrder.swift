package import SyncModel

/// The order for a ``FetchMachine``: what to fetch, and its limits.
package struct FetchOrder: Sendable {
  /// The purpose of the replies.
  package enum Purpose: Sendable, Equatable {
    /// The bytes, unless the present version is current.
    case download
    /// Only whether a download would have another version (`plan`): HEAD, else a GET whose body is dropped.
    case probe
    /// Only the size of a download: one HEAD, for a target that is stale in any case (`plan`). A GET follows one that has no
    /// validator and the length of an empty file.
    case size
  }

  /// Whether the body is wanted, or only an answer about it.
  package var purpose: Purpose
  /// Tried in order; never empty.
  package var mirrors: [SourceURL]
  /// The user's rules for where requests go instead.
  package var rewrites: [RewriteRule] = []
  /// Tries after the first, for each mirror.
  package var retries: Int
  /// The conditions; `nil` asks unconditionally, and then every 200 is accepted.
  package var conditions: Validators?
  /// Whether ``conditions`` were recorded when another URL was asked: then they count for their own resource only.
  package var isOfOtherURL = false
  /// The resource of which ``conditions`` were recorded, if they are valid for any: a copy of it confirms, too.
  package var recordedURL: String?
  /// Whether a HEAD's reply without validators is answer enough: only a server's digest is wanted.
  package var settlesForHead = false
  /// The size of the version of ``conditions``; `nil` if unknown.
  package var recordedSize: Int64?
  /// How a 200 to a conditional request is judged.
  package var rule: FreshnessRule
  /// A partial download that an earlier run left.
  package var resume: ResumePoint?
  /// Whether a digest of the whole body will be checked.
  package var isCheckedByDigest: Bool
  /// Whether it is a sidecar or a list, which is read even if its server calls it gzip.
  package var isDocument = false
  /// Whether caches on the way are to ask the server: what they gave before has contradicted something.
  package var passesCaches = false
  /// In bytes, as the source announces them; `nil` for no limit.
  package var maxSize: Int64?
  /// Whether a body is taken that nothing proves to be whole.
  package var acceptsUnprovenLength: Bool
  /// Whether digests that servers send are looked at.
  package var usesServerDigests = true
  /// The last download, if a server's digest of the same bytes can confirm it; else `nil`.
  package var recorded: ContentIdentity?
  /// The announced digests of the body that ``resume`` continues.
  package var announced = AnnouncedDigests()
  /// To compare URLs of replies with recorded ones, which are masked.
  package var secrets: SecretMask
  /// The seed of the back-off's jitter.
  package var seed: UInt64

  /// `mirrors` must not be empty; `resume` makes sense only for ``Purpose/download``; `maxSize` is in bytes.
  ///
  /// Empty `conditions` are none: a request with them would have nothing that a 304 could answer.
  package init(
    purpose: Purpose = .download, mirrors: [SourceURL], retries: Int = 0, conditions: Validators? = nil,
    recordedSize: Int64? = nil, rule: FreshnessRule = .etag, resume: ResumePoint? = nil,
    isCheckedByDigest: Bool = false, maxSize: Int64? = nil, acceptsUnprovenLength: Bool = false,
    secrets: SecretMask = SecretMask(),
    seed: UInt64 = 0
  ) {
    self.purpose = purpose
    self.mirrors = mirrors
    self.retries = retries
    self.conditions = conditions.flatMap { $0.isEmpty ? nil : $0 }
    self.recordedSize = recordedSize
    self.rule = rule
    self.resume = resume
    self.isCheckedByDigest = isCheckedByDigest
    self.maxSize = maxSize
    self.acceptsUnprovenLength = acceptsUnprovenLength
    self.secrets = secrets
    self.seed = seed
  }
}

/// The next action for the driver of a ``FetchMachine``.
package enum FetchAction: Sendable, Equatable {
  /// Start this exchange; report its reply, its body's bytes and its end.
  indirect case ask(FetchQuestion)
  /// Wait, then report ``FetchMachine/waited()``; `cause` and `attempt` (from 1) are for the report.
  case wait(Duration, attempt: Int, cause: FailureCause)
  /// Fetch every sidecar of the target again, then report ``FetchMachine/sidecarsRefreshed()``.
  case refreshSidecars
  /// The fetch is over; no action follows.
  case finish(FetchEnding)
}

/// One exchange to start.
package struct FetchQuestion: Sendable, Equatable {
  /// GET for a download, and if HEAD turned out to be insufficient for a probe; else HEAD.
  package var method: ExchangeRequest.Method
  /// One of the order's mirrors.
  package var url: SourceURL
  /// What is asked instead of ``url``, by one of the order's rules; `nil` if none applies.
  package var rewritten: RewrittenURL?
  /// The order's; `nil` asks unconditionally.
  ///
  /// It is `nil` if the order has none, after a 304 that does not match, and after sidecars were fetched again.
  package var conditions: Validators?
  /// Whether the first request carries the conditions, too, if they are another resource's.
  package var asksRedirector = true
  /// Whether caches on the way are to ask the server: of the order, and after sidecars were fetched again.
  package var passesCaches = false
  /// The resume point; `nil` requests the whole body.
  package var resume: ResumePoint?
  /// Set when this is the first question to a mirror after another one was given up: which, and why.
  package var gaveUp: GivenUp?

  /// A mirror that is no longer used.
  package struct GivenUp: Sendable, Equatable {
    /// The address that was given up.
    package var url: SourceURL
    /// The failure of its last try.
    package var cause: FailureCause
  }

  /// `conditions` and `resume` are `nil` for an unconditional request for the whole body.
  package init(
    method: ExchangeRequest.Method = .get, url: SourceURL, conditions: Validators? = nil,
    resume: ResumePoint? = nil, gaveUp: GivenUp? = nil
  ) {
    self.method = method
    self.url = url
    self.conditions = conditions
    self.resume = resume
    self.gaveUp = gaveUp
  }
}

/// The action for a reply's body.
package enum ReplyJudgement: Sendable, Equatable {
  /// Not wanted; the machine gives the next action when the exchange has ended.
  case drop
  /// Take it from byte 0, whatever had come before.
  case takeFromStart
  /// It continues at the end of the present bytes.
  case takeContinuation
}

/// How a fetch ended.
package enum FetchEnding: Sendable, Equatable {
  /// The source has confirmed the version; `observed` has its validators.
  ///
  /// `by` is the server's digest that showed this, if the validators did not.
  case confirmed(observed: Validators, by: ServerDigest? = nil)
  /// The source has another version (only for ``FetchOrder/Purpose/probe``); `bytes` if it sent the size.
  case differs(observed: Validators, bytes: Int64?)
  /// The body is present and proven complete.
  case downloaded(observed: Validators)
  /// No mirror delivered; the cause is that of the last try, and `tries` counts the tries at all mirrors.
  case failed(FailureCause, tries: Int)
}
