import SyncModel

/// The times of a run, collected from its events: the requests, pauses and steps of each target.
struct RunTimeline: Sendable {
  /// One stretch of work, or of waiting, for one target; by the run's own clock, which begins at zero.
  struct Span: Sendable, Equatable {
    var target: TargetID
    var kind: Kind
    var start: Duration
    var end: Duration
    /// A note beside the kind, with secrets masked and foreign texts unchanged; empty for none.
    var note = ""
    /// Whether it ended in a failure, so that what follows is another try or the end.
    var isFailed = false
  }

  /// The activity in a span; the raw value is its class in the page.
  enum Kind: String, Sendable, CaseIterable {
    /// A request is sent, and its reply has not begun.
    case asking
    /// The body comes.
    case receiving
    /// Between two tries.
    case pausing
    /// The steps are at work; beside the others, not in a row with them.
    case steps
    /// Waits for the disk, and is put in place.
    case placing
  }

  /// In the order of the events.
  private(set) var spans: [Span] = []
  private(set) var warnings: [RunWarning] = []
  /// Warnings beyond these are counted only.
  private(set) var warningsLeftOut = 0
  private static let mostWarnings = 200
  /// Spans beyond these bear no note: it could not be shown anyway.
  private static let mostNotes = 50_000

  private var pauses: [TargetID: Span] = [:]
  private var placing: [TargetID: Duration] = [:]
  /// Failures whose request has not been reported yet.
  private var pending: [TargetID: FailureCause] = [:]
  /// The place of each target's last request in ``spans``.
  private var last: [TargetID: Int] = [:]
  private let secrets: SecretMask
  private let began: Duration

  /// - began: when the run did, by the clock of all other times.
  init(secrets: SecretMask, began: Duration) {
    self.secrets = secrets
    self.began = began
  }

  /// Takes in what happened at `now`.
  mutating func handle(_ event: RunEvent, at now: Duration) {
    let now = now - began
    switch event {
    case .requested(let id, let trace): add(trace, id)
    case .stepped(let id, let times): add(times, id)
    case .publishing(let id): placing[id] = now
    case .published(let id):
      if let start = placing.removeValue(forKey: id) { add(.placing, id, start, now, "") }
    case .retrying(let id, let attempt, let wait, let cause):
      fail(id, cause)
      let note = "\(Quantity.duration(wait)) after try \(attempt)"
      pauses[id] = Span(target: id, kind: .pausing, start: now, end: now + wait, note: note)
    case .nextMirror(let id, _, let cause): fail(id, cause)
    case .finished(let result):
      if let failure = result.failure {
        // It may have failed by its publication.
        if let start = placing.removeValue(forKey: result.id) { add(.placing, result.id, start, now, "") }
        fail(result.id, failure.cause)
      }
      endPause(result.id, now)
      pending[result.id] = nil
    case .warning(let warning):
      if warnings.count < Self.mostWarnings { warnings.append(warning) } else { warningsLeftOut += 1 }
    case .waitingForLock, .started, .began, .decided, .note, .received, .tick, .withheld: break
    }
  }

  private mutating func add(_ trace: RequestTrace, _ id: TargetID) {
    let (start, end) = (trace.span.began - began, trace.span.ended - began)
    endPause(id, start)
    let reply = trace.untilReply.map { start + $0 } ?? end
    let line = trace.connection.map { ", connection \($0)\(trace.isFirstOnConnection ? ", new" : "")" } ?? ""
    add(.asking, id, start, reply, "\(trace.method) \(secrets.mask(trace.url))\(line)")
    last[id] = spans.count - 1
    if let status = trace.status, trace.untilReply != nil {
      let size = trace.bytes > 0 ? ", \(Quantity.size(trace.bytes))" : ""
      add(.receiving, id, reply, end, HTTPStatusText.name(status) + size)
      last[id] = spans.count - 1
    }
    if let cause = pending.removeValue(forKey: id) { fail(id, cause) }
  }

  private mutating func add(_ times: StepTimes, _ id: TargetID) {
    let parts = [("verifying", times.verifying), ("unpacking", times.unpacking), ("writing", times.writing)]
    let note = parts.filter { $0.1 > .zero }.map { "\($0.0) \(Quantity.duration($0.1))" }
    add(.steps, id, times.span.began - began, times.span.ended - began, note.joined(separator: ", "))
  }

  private mutating func add(
    _ kind: Kind, _ id: TargetID, _ start: Duration, _ end: Duration, _ note: String
  ) {
    let note = spans.count < Self.mostNotes ? note : ""
    let start = max(.zero, start)
    spans.append(Span(target: id, kind: kind, start: start, end: max(start, end), note: note))
  }

  /// Marks the target's last request as failed; if it has none, or already a marked one, the next one.
  private mutating func fail(_ id: TargetID, _ cause: FailureCause) {
    guard let place = last[id], !spans[place].isFailed else {
      pending[id] = cause
      return
    }
    spans[place].isFailed = true
    let note = FailureText.wording(cause, secrets: secrets)
    if place < Self.mostNotes { spans[place].note += (spans[place].note.isEmpty ? "" : "; ") + note }
  }

  private mutating func endPause(_ id: TargetID, _ now: Duration) {
    guard var pause = pauses.removeValue(forKey: id) else { return }
    pause.end = max(pause.start, min(pause.end, now))
    if spans.count >= Self.mostNotes { pause.note = "" }
    spans.append(pause)
  }
}
