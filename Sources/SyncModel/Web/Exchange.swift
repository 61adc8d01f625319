/// One question to a web server, redirects included.
package struct ExchangeRequest: Sendable {
  /// The methods.
  package enum Method: String, Sendable {
    /// The reply has a body.
    case get = "GET"
    /// The reply has a head only.
    case head = "HEAD"
    /// Sends ``ExchangeRequest/body``; redirects are not followed.
    case put = "PUT"
  }

  /// The method of each request; a redirect does not change it.
  package var method: Method
  /// Absolute, `http` or `https`, secrets still in it.
  package var url: String
  /// Sent if ``Validators/areSent(to:first:)``.
  package var conditions: Validators?
  /// Whether the first request carries the conditions, too, if they are another resource's.
  package var asksRedirector = true
  /// Sent if ``ResumePoint/isSent(to:first:)``.
  package var resume: ResumePoint?
  /// In the order in which they are sent, to the origin of ``url`` only.
  package var headers: [RequestHeader]
  /// For the same origin only; `nil` asks without credentials.
  package var authentication: Authentication?
  /// The time limits of each request.
  package var timeouts: Timeouts
  /// The resource that ``url`` is asked for instead of, by a rule of `rewrite`, secrets masked; else `nil`.
  package var mirroredResource: String?
  /// Whether its first hop is not to use a connection that is open already: another backend may answer.
  package var wantsNewConnection = false
  /// Whether caches on the way are to pass the request on to the server (RFC 9111, section 5.2.1.4).
  package var passesCaches = false

  /// Whether it is for the user's own cache, which no manifest has named: a policy neither judges nor counts it.
  package var isForCache = false
  /// What a PUT sends; nothing for other methods.
  package var body: (any RequestBody)?
  /// What signs each request; it has no other credentials then, and a redirect is a reply like others.
  package var signing: RequestSigning?

  /// `url` must be absolute; `headers` and `authentication` go to its origin only.
  package init(
    method: Method = .get, url: String, conditions: Validators? = nil, resume: ResumePoint? = nil,
    headers: [RequestHeader] = [], authentication: Authentication? = nil, timeouts: Timeouts = Timeouts()
  ) {
    self.method = method
    self.url = url
    self.conditions = conditions
    self.resume = resume
    self.headers = headers
    self.authentication = authentication
    self.timeouts = timeouts
  }
}

/// The bytes that a request sends; one thread at a time reads them.
package protocol RequestBody: AnyObject, Sendable {
  /// The number of bytes.
  var size: Int64 { get }

  /// Reads on into `buffer`; returns how many bytes came, 0 at the end, `nil` if they cannot be read.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?

  /// Goes back to the first byte.
  func rewind()
}

/// The position from which a partial download resumes.
package struct ResumePoint: Sendable, Equatable {
  /// The number of bytes present, more than 0.
  package var offset: Int64
  /// The whole body's size; `nil` if it is unknown.
  package var total: Int64?
  /// The validator that the rest must have, too.
  package var validator: StrongValidator
  /// The `Last-Modified` of the first bytes; `nil` if there was none.
  package var lastModified: String?
  /// The resource that the first bytes came from, secrets masked.
  package let url: String
  /// Whether a digest of the whole body will be checked.
  package var isCheckedByDigest: Bool
  /// Whether `If-Range` is sent; some servers answer every one by the whole file.
  package var isGuarded = true

  /// What signs `url` is removed; `offset` must be more than 0.
  package init(
    offset: Int64, total: Int64?, validator: StrongValidator, lastModified: String? = nil, url: String,
    isCheckedByDigest: Bool = false
  ) {
    self.offset = offset
    self.total = total
    self.validator = validator
    self.lastModified = lastModified
    self.url = ResourceURL.text(of: url)
    self.isCheckedByDigest = isCheckedByDigest
  }

  /// One that rests on a strong ETag.
  package init(offset: Int64, total: Int64?, etag: EntityTag, lastModified: String? = nil, url: String) {
    self.init(offset: offset, total: total, validator: .etag(etag), lastModified: lastModified, url: url)
  }
}

/// The header of a reply that is not a redirect.
package struct ResponseHead: Sendable, Equatable {
  /// 200 or more: interim replies are passed over.
  package var status: Int
  /// The resource: after redirects, without what signs it; not masked.
  package var url: String
  /// Whether the URL held parameters that ``url`` leaves out.
  package var isSigned = false
  /// `nil` also if two different ones were sent.
  package var etag: EntityTag?
  /// `nil` also if two different ones were sent.
  package var lastModified: String?
  /// The Content-Length in bytes; in a 206 it is the length of the part.
  ///
  /// `nil` if there is none, and for a chunked body. A reply to HEAD has one, too.
  package var contentLength: Int64?
  /// The header's text.
  package var contentRange: String?
  /// Lower case; `nil` for none and for `identity`.
  package var contentEncoding: String?
  /// The media type in lower case, without parameters.
  package var contentType: String?
  /// The header's text.
  package var retryAfter: String?
  /// The header's text; `nil` also if it is not needed: it tells how old a Last-Modified without an ETag is, and when
  /// ``retryAfter`` was said.
  package var date: String?
  /// Every line with a digest, those of the redirects first; empty for most replies.
  package var digestFields: [DigestField] = []
  /// The text of every header `Link`; empty for most replies.
  package var links: [String] = []
  /// Whether `Cache-Control` says that it is for its receiver only, or must not be kept.
  package var isPrivate = false
  /// HTTP's major version; 0 if it was not examined.
  package var version = 0
  /// Whether its framing can prove that the body is complete; `false` if only the connection's end ends it.
  package var endIsProvable = true

  /// The texts are the header's own, `nil` for a header that is not there; further facts are set afterwards.
  package init(
    status: Int, url: String, etag: EntityTag? = nil, lastModified: String? = nil,
    contentLength: Int64? = nil,
    contentRange: String? = nil, contentEncoding: String? = nil, contentType: String? = nil,
    retryAfter: String? = nil
  ) {
    self.status = status
    self.url = url
    self.etag = etag
    self.lastModified = lastModified
    self.contentLength = contentLength
    self.contentRange = contentRange
    self.contentEncoding = contentEncoding
    self.contentType = contentType
    self.retryAfter = retryAfter
  }
}

/// What to do with the body of a ``ResponseHead``.
package enum BodyDisposition: Sendable, Equatable {
  /// Receive it; it is wanted.
  case take
  /// Not wanted: read to its end if that is cheap, else hang up.
  case drop
}

/// The result of passing on a piece of a body.
package enum BodyReception: Sendable, Equatable {
  /// All of the piece was used.
  case taken
  /// There is no room: keep it and offer it again after `resume`.
  case full
  /// No more is wanted; the exchange ends as ``ExchangeEnd/stopped``.
  case stop
}

/// How an exchange ended.
package enum ExchangeEnd: Sendable, Equatable {
  /// The reply ended; `lengthIsProven` tells whether its framing proves that it is complete.
  case complete(lengthIsProven: Bool)
  /// The body was dropped or the receiver stopped it.
  case stopped
  /// The exchange broke off; the body so far is not complete.
  case failed(FailureCause)
}

/// The cost of an exchange.
package struct ExchangeTotals: Sendable, Equatable {
  /// Body bytes received, those of redirects and dropped bodies included.
  package var bytes: Int64
  /// Requests sent, redirects included.
  package var requests: Int

  /// `bytes` are those of bodies only.
  package init(bytes: Int64 = 0, requests: Int = 0) {
    self.bytes = bytes
    self.requests = requests
  }

  /// Adds what another exchange cost.
  package static func += (a: inout ExchangeTotals, b: ExchangeTotals) {
    a.bytes += b.bytes
    a.requests += b.requests
  }
}

/// A line of what goes over the wire, for `--verbose`; secrets still in it.
package enum ExchangeNote: Sendable, Equatable {
  /// `conditions` are the names and values of the conditional and range headers sent.
  case request(method: String, url: String, conditions: [String])
  /// The head of a reply; `length` is the announced length in bytes, `nil` without one.
  case response(status: Int, url: String, length: Int64?)
  /// A redirect that is followed.
  case redirect(from: String, to: String)
  /// A digest that came with the reply or with the redirect to it; with `ofPart`, a digest of the part in a 206.
  case serverDigest(ServerDigest, ofPart: Bool)
  /// A digest field that proves nothing.
  case ignoredDigest(IgnoredDigest)
}
