/// From when to when, by the machine's monotonic clock: only differences mean something.
package struct RunSpan: Sendable, Equatable {
  /// Since an arbitrary epoch, like all times here.
  package var began: Duration
  /// Never before ``began``.
  package var ended: Duration

  /// `ended` must not be before `began`.
  package init(began: Duration, ended: Duration) {
    self.began = began
    self.ended = ended
  }
}

/// One request and its reply, as far as they came.
package struct RequestTrace: Sendable, Equatable {
  /// `GET` or `HEAD`.
  package var method: String
  /// The URL of this request only: a redirect makes another request. ``ExchangeClient`` gets it with secrets; in a
  /// ``RunEvent`` they are masked.
  package var url: String
  /// Counts the run's connections from 1; `nil` if none was established.
  package var connection: Int?
  /// Whether the connection was made for this request.
  package var isFirstOnConnection: Bool
  /// Of the reply; `nil` if there was none.
  package var status: Int?
  /// Bytes of the body that came.
  package var bytes: Int64
  /// From the request's turn until the connection was established and the request was sent; `nil` if it never was.
  package var untilSent: Duration?
  /// Until the reply's head arrived; `nil` if it never did.
  package var untilReply: Duration?
  /// Until its end.
  package var total: Duration
  /// The time of the event; set by its reporter.
  package var ended: Duration

  /// Times that were never reached are `nil`; `total` is not shorter than any of them.
  package init(
    method: String, url: String, connection: Int? = nil, isFirstOnConnection: Bool = false,
    status: Int? = nil, bytes: Int64 = 0, untilSent: Duration? = nil, untilReply: Duration? = nil,
    total: Duration, ended: Duration = .zero
  ) {
    self.method = method
    self.url = url
    self.connection = connection
    self.isFirstOnConnection = isFirstOnConnection
    self.status = status
    self.bytes = bytes
    self.untilSent = untilSent
    self.untilReply = untilReply
    self.total = total
    self.ended = ended
  }

  /// From the moment it was its turn to its end; of use once ``ended`` is set.
  package var span: RunSpan { RunSpan(began: ended - total, ended: ended) }
}

/// The threads' times for each part of a body's work.
///
/// The threads work while the body arrives, and in parallel if it is large: the parts may add up to more or less
/// than the span.
package struct StepTimes: Sendable, Equatable {
  /// From the first byte's turn to the last one's.
  package var span: RunSpan
  /// Counting and digesting, for `verify` steps and for the record alike.
  package var verifying: Duration
  /// Inflating; zero without a decompression step.
  package var unpacking: Duration
  /// Writing the output and the partial download; a small body's counts as ``verifying``.
  package var writing: Duration

  /// Parts that were not measured, or had no work, are zero.
  package init(
    span: RunSpan, verifying: Duration = .zero, unpacking: Duration = .zero, writing: Duration = .zero
  ) {
    self.span = span
    self.verifying = verifying
    self.unpacking = unpacking
    self.writing = writing
  }
}
