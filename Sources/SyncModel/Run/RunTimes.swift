/// From when to when, by the machine's monotonic clock: only differences mean something.
package struct RunSpan: Sendable, Equatable {
  /// Since an unnamed moment, as all times here.
  package var began: Duration
  /// Never before ``began``.
  package var ended: Duration

  package init(began: Duration, ended: Duration) {
    self.began = began
    self.ended = ended
  }
}

/// One request and its reply, as far as they came.
package struct RequestTrace: Sendable, Equatable {
  /// `GET` or `HEAD`.
  package var method: String
  /// Of this request alone: a redirect makes another. Secrets are still in it where ``ExchangeClient`` gets it;
  /// in a ``RunEvent`` they are masked.
  package var url: String
  /// Counts the run's connections from 1; `nil` where none stood.
  package var connection: Int?
  /// Whether the connection was made for this request.
  package var isFirstOnConnection: Bool
  /// Of the reply; `nil` where none came.
  package var status: Int?
  /// Bytes of the body that came.
  package var bytes: Int64
  /// From the moment it was its turn until the connection stood and it was sent; `nil` where it never was.
  package var untilSent: Duration?
  /// Until the reply's head was here; `nil` where it never was.
  package var untilReply: Duration?
  /// Until its end.
  package var total: Duration
  /// When that was; set by whoever reports it.
  package var ended: Duration

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

/// How long the threads that work on a body were busy with each part of the work.
///
/// They work while the body comes, and beside each other where it is large: the parts may add up to more or to less
/// than the span.
package struct StepTimes: Sendable, Equatable {
  /// From the first byte's turn to the last one's.
  package var span: RunSpan
  /// Counting and digesting, for `verify` steps and for the record alike.
  package var verifying: Duration
  /// Inflating; zero where no step unpacks.
  package var unpacking: Duration
  /// Writing the output and the partial download; a small body's counts as ``verifying``.
  package var writing: Duration

  package init(
    span: RunSpan, verifying: Duration = .zero, unpacking: Duration = .zero, writing: Duration = .zero
  ) {
    self.span = span
    self.verifying = verifying
    self.unpacking = unpacking
    self.writing = writing
  }
}
