package import SyncModel

/// The results of a probe's few requests to a web server; validators with a secret are ignored.
package struct ProbeFindings: Sendable, Equatable {
  /// The reply to a plain GET, status 200.
  package var whole: ResponseHead
  /// Whether HEAD tells the same as GET, so that `plan` can use it.
  package var head: HeadFinding
  /// `nil` if the server sends no ETag.
  package var etag: ValidatorFinding<EntityTag>?
  /// `nil` if the server sends no Last-Modified.
  package var lastModified: ValidatorFinding<String>?
  /// Whether the server sends the rest of a file.
  package var ranges: RangeFinding
  /// Whether repeated requests end at the same resource.
  package var redirect: RedirectFinding
  /// The file's digests in the reply to the plain GET and in its redirects.
  package var serverDigests: ServerDigests

  /// `whole` is the reply to a plain GET with status 200; a finding that is left out has its default.
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

/// The redirects of requests, without URL signatures.
package enum RedirectFinding: String, Sendable, CaseIterable {
  /// To the same URL, or nowhere.
  case steady
  /// To one resource, by a URL that is signed: validators count across signatures.
  case signed
  /// To other hosts, which have the same file by its name, its length and a validator.
  case mirrors
  /// To different resources: facts about one are not valid for another.
  case unstable
}

/// The answer to HEAD, which `plan` uses.
package enum HeadFinding: Sendable, Equatable {
  /// With the validators of a GET.
  case agrees
  /// Without a validator that a GET's reply has, or with another one.
  case differs
  /// Any other status than 200.
  case refused(Int)
  /// The request for HEAD failed.
  case failed(FailureCause)
}

/// One validator as it was seen in several replies.
package struct ValidatorFinding<Value: Sendable & Equatable>: Sendable, Equatable {
  /// As the reply to the plain GET has it.
  package var value: Value
  /// The different values in other replies, in order; empty if it stayed the same.
  package var others: [Value]
  /// The answer to the condition with this validator.
  package var answer: ConditionAnswer

  /// `value` is from the reply to the plain GET, `others` from the later replies.
  package init(_ value: Value, others: [Value] = [], answer: ConditionAnswer) {
    self.value = value
    self.others = others
    self.answer = answer
  }

  /// Whether no reply had a different one; a reply without one does not count.
  package var isStable: Bool { others.isEmpty }
}

/// The answer to `If-None-Match`, or `If-Modified-Since`, with the value that the server just sent.
package enum ConditionAnswer: Sendable, Equatable {
  /// 304.
  case notModified
  /// 200 with the same validator: the condition is ignored.
  case ignored
  /// 200 with another validator, with none, or from another place, to which the condition was not sent.
  case changed
  /// Any other status.
  case refused(Int)
  /// The request failed.
  case failed(FailureCause)
}

/// The answer to a range request like the one that resumes a partial download.
package enum RangeFinding: Sendable, Equatable {
  /// There is no strong validator, the file has less than two bytes, or the redirect went to another place.
  case notAsked
  /// 206 with the requested bytes; `guarded` tells whether If-Range with another tag got the whole file.
  case honoured(guarded: Bool)
  /// 200 to `Range` with the right `If-Range`, 206 with the right ETag to `Range` alone.
  case honouredAlone
  /// 200: the whole file again.
  case ignored
  /// 206 that is not credible; the text says why.
  case wrong(String)
  /// Any other status.
  case refused(Int)
  /// The request failed.
  case failed(FailureCause)
}

/// The list that a source is.
package struct ListFinding: Sendable, Equatable {
  /// As it would be read.
  package var format: ListFormat
  /// How many entries its first page has.
  package var entries: Int
  /// Whether two of them have the same name, and their keys, which are no paths, tell them apart.
  package var hasEqualNames: Bool
  /// Whether two of them have the same key, and their versions tell them apart.
  package var hasEqualKeys: Bool

  /// `entries` are those of the first page.
  package init(
    format: ListFormat, entries: Int, hasEqualNames: Bool = false, hasEqualKeys: Bool = false
  ) {
    self.format = format
    self.entries = entries
    self.hasEqualNames = hasEqualNames
    self.hasEqualKeys = hasEqualKeys
  }
}

/// Everything that a probe of one URL found.
package struct ProbeReport: Sendable {
  /// The examined source.
  package enum Subject: Sendable {
    /// A web server, with its replies.
    case web(ProbeFindings)
    /// A local file: its size in bytes, and when it was changed.
    case file(size: Int64, modified: Timestamp)
    /// It cannot be had.
    case unreachable(FailureCause)
  }

  /// The source as requested, secrets still in it.
  package var source: SourceURL
  /// What was found at ``source``.
  package var subject: Subject
  /// The redirects of a GET, in order, without the source itself. May contain secrets.
  package var redirects: [String]
  /// The files beside it, in the order of the requests; missing ones are left out.
  package var sidecars: [SidecarFinding]
  /// What entries it names; `nil` if it is no list, or was not read.
  package var list: ListFinding?
  /// The cost of all requests, including those for sidecars.
  package var totals: ExchangeTotals

  /// `totals` must include the requests for `sidecars`.
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

  /// `nil` if the source cannot be read.
  package var advice: ProbeAdvice? { ProbeAdvice(self) }
}
