package import SyncModel

/// What a ``FetchMachine`` is to bring in, and how far it may go for it.
package struct FetchOrder: Sendable {
  /// What the replies are wanted for.
  package enum Purpose: Sendable, Equatable {
    /// The bytes, unless they are what is here already.
    case download
    /// Only whether a download would bring something else (`plan`): HEAD, else a GET whose body is dropped.
    case probe
    /// Only how many bytes a download would bring: one HEAD, for what is stale whatever the source says (`plan`).
    case size
  }

  package var purpose: Purpose
  /// Tried in order; never empty.
  package var mirrors: [SourceURL]
  /// Tries after the first, for each mirror.
  package var retries: Int
  /// What to ask about; `nil` asks plainly, and every 200 is then taken.
  package var conditions: Validators?
  /// How many bytes came of what ``conditions`` are of; `nil` where nobody knows.
  package var recordedSize: Int64?
  /// How a 200 to a conditional request is judged.
  package var rule: FreshnessRule
  /// A partial download that an earlier run left.
  package var resume: ResumePoint?
  /// Whether a digest is held against the whole body in the end.
  package var isCheckedByDigest: Bool
  /// Whether it is a sidecar, which is read even if its server calls it gzip.
  package var isSidecar = false
  /// In bytes, as the source announces them; `nil` is no limit.
  package var maxSize: Int64?
  /// Whether a body is taken that nothing proves to be whole.
  package var acceptsUnprovenLength: Bool
  /// Whether digests that servers send are looked at.
  package var usesServerDigests = true
  /// The last download, where a server's digest of the same bytes confirms what is here; else `nil`.
  package var recorded: ContentIdentity?
  /// What was announced of the body that ``resume`` goes on with.
  package var announced = AnnouncedDigests()
  /// To compare URLs of replies with recorded ones, which are masked.
  package var secrets: SecretMask
  /// Of the back-off's jitter.
  package var seed: UInt64

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
    self.conditions = conditions
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

/// What the driver of a ``FetchMachine`` does next.
package enum FetchAction: Sendable, Equatable {
  case ask(FetchQuestion)
  /// Wait, then tell ``FetchMachine/waited()``; `cause` and `attempt` (from 1) are for the report.
  case wait(Duration, attempt: Int, cause: FailureCause)
  /// Fetch every sidecar of the target anew, then tell ``FetchMachine/sidecarsRefreshed()``.
  case refreshSidecars
  case finish(FetchEnding)
}

/// One exchange to start.
package struct FetchQuestion: Sendable, Equatable {
  /// GET for a download, and where a probe has found that HEAD says too little; else HEAD.
  package var method: ExchangeRequest.Method
  /// One of the order's mirrors.
  package var url: SourceURL
  /// The order's; `nil` asks plainly.
  ///
  /// So it is where the order has none, after a 304 that does not fit, and once sidecars were fetched anew.
  package var conditions: Validators?
  /// Whether the first request carries the conditions, too, if they are another resource's.
  package var asksRedirector = true
  /// What is here to go on from; `nil` asks for the whole body.
  package var resume: ResumePoint?
  /// Set when this is the first question to a mirror after another one was given up: which, and why.
  package var gaveUp: GivenUp?

  /// A mirror that is not asked any more.
  package struct GivenUp: Sendable, Equatable {
    package var url: SourceURL
    /// Of its last try.
    package var cause: FailureCause

    package init(url: SourceURL, cause: FailureCause) {
      self.url = url
      self.cause = cause
    }
  }

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

/// What to do with a reply's body.
package enum ReplyJudgement: Sendable, Equatable {
  /// Not wanted; the machine says what is next when the exchange has ended.
  case drop
  /// Take it from byte 0, whatever had come before.
  case takeFromStart
  /// It goes on where the bytes that are here end.
  case takeContinuation
}

/// How a fetch ended.
package enum FetchEnding: Sendable, Equatable {
  /// The source still has what was asked about; `observed` is what it said of it just now.
  ///
  /// `by` is the server's digest that showed it, where the validators did not.
  case confirmed(observed: Validators, by: ServerDigest? = nil)
  /// The source has something else (only for ``FetchOrder/Purpose/probe``); `bytes` where it said so.
  case differs(observed: Validators, bytes: Int64?)
  /// The body is here and proven whole.
  case downloaded(observed: Validators)
  case failed(FailureCause, tries: Int)
}
