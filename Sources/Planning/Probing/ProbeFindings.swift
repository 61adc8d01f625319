package import SyncModel

/// What a web server's replies to a probe's few questions show; validators that repeat a secret count as none.
package struct ProbeFindings: Sendable, Equatable {
  /// The reply to a plain GET, status 200.
  package var whole: ResponseHead
  package var head: HeadFinding
  /// `nil` where the server sends no ETag.
  package var etag: ValidatorFinding<EntityTag>?
  /// `nil` where the server sends no Last-Modified.
  package var lastModified: ValidatorFinding<String>?
  package var ranges: RangeFinding
  package var redirect: RedirectFinding
  /// What the plain GET and its redirects say of the file's digests.
  package var serverDigests: ServerDigests

  package init(
    whole: ResponseHead, head: HeadFinding, etag: ValidatorFinding<EntityTag>? = nil,
    lastModified: ValidatorFinding<String>? = nil, ranges: RangeFinding = .notAsked,
    redirect: RedirectFinding = .steady, serverDigests: ServerDigests = ServerDigests()
  ) {
    self.whole = whole
    self.head = head
    self.etag = etag
    self.lastModified = lastModified
    self.ranges = ranges
    self.redirect = redirect
    self.serverDigests = serverDigests
  }
}

/// Where requests were led, leaving out what signs a URL.
package enum RedirectFinding: String, Sendable, CaseIterable {
  /// To the same URL, or nowhere.
  case steady
  /// To one resource, by a URL that is signed: validators count across signatures.
  case signed
  /// To other hosts, which have the same file by its name, its length and a validator.
  case mirrors
  /// To different resources: what is known of one says nothing of another.
  case unstable
}

/// The answer to HEAD, which `plan` uses.
package enum HeadFinding: Sendable, Equatable {
  /// With the validators of a GET.
  case agrees
  /// Without a validator that a GET's reply has, or with another one.
  case differs
  case refused(Int)
  case failed(FailureCause)
}

/// One validator as it was seen in several replies.
package struct ValidatorFinding<Value: Sendable & Equatable>: Sendable, Equatable {
  /// As the reply to the plain GET has it.
  package var value: Value
  /// What other replies had in its place, in their order; empty where it stayed the same.
  package var others: [Value]
  /// What the condition that goes with it was answered by.
  package var answer: ConditionAnswer

  package init(_ value: Value, others: [Value] = [], answer: ConditionAnswer) {
    self.value = value
    self.others = others
    self.answer = answer
  }

  /// Whether no reply had another one in its place; one that had none does not count.
  package var isStable: Bool { others.isEmpty }
}

/// How a server answers `If-None-Match`, or `If-Modified-Since`, with what it just sent.
package enum ConditionAnswer: Sendable, Equatable {
  /// 304.
  case notModified
  /// 200 with the same validator: the condition is ignored.
  case ignored
  /// 200 with another validator, with none, or from elsewhere, where the condition was not sent.
  case changed
  /// Any other status.
  case refused(Int)
  case failed(FailureCause)
}

/// What a range, asked for as a partial download goes on, is answered by.
package enum RangeFinding: Sendable, Equatable {
  /// There is no strong validator to ask with, the file has less than two bytes, or the redirect led elsewhere.
  case notAsked
  /// 206 with the bytes that were asked for; `guarded` tells whether If-Range with another tag got the whole file.
  case honoured(guarded: Bool)
  /// 200 to `Range` with the right `If-Range`, 206 with the right ETag to `Range` alone.
  case honouredAlone
  /// 200: the whole file again.
  case ignored
  /// 206 that is not credible; the text says why.
  case wrong(String)
  case refused(Int)
  case failed(FailureCause)
}

/// Everything that a probe of one URL found.
package struct ProbeReport: Sendable {
  /// What was looked at.
  package enum Subject: Sendable {
    case web(ProbeFindings)
    /// A local file: its size in bytes, and when it was changed.
    case file(size: Int64, modified: Timestamp)
    /// It cannot be had.
    case unreachable(FailureCause)
  }

  /// As it was asked for, secrets still in it.
  package var source: SourceURL
  package var subject: Subject
  /// Where a GET was led, in order; without the source itself. Secrets still in it.
  package var redirects: [String]
  /// What was found beside the file, in the order asked for; those that are not there are left out.
  package var sidecars: [SidecarFinding]
  /// Of all requests, those for sidecars among them.
  package var totals: ExchangeTotals

  package init(
    source: SourceURL, subject: Subject, redirects: [String] = [], sidecars: [SidecarFinding] = [],
    totals: ExchangeTotals = ExchangeTotals()
  ) {
    self.source = source
    self.subject = subject
    self.redirects = redirects
    self.sidecars = sidecars
    self.totals = totals
  }

  /// `nil` where the source cannot be had.
  package var advice: ProbeAdvice? { ProbeAdvice(self) }
}
