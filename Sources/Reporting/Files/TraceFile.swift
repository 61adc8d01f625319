package import SyncModel

/// The file that `--trace` writes: Chrome's trace event format, as an object, for Perfetto and chrome://tracing.
///
/// Each connection has a row, with a further one for each stream that runs beside others on it; so have the steps and
/// the files that wait to be put in place. On no row do two slices overlap. Targets are asynchronous spans.
package struct TraceFile: RunReport {
  private var header: RunHeader
  private var secrets: SecretMask { header.manifest.secrets }
  private var events: [Event] = []
  private var rows = TraceRows()
  /// The targets whose spans are open.
  private var begun: Set<TargetID> = []
  private var publishing: [TargetID: Duration] = [:]

  /// One of `traceEvents`, already written, with its sort key.
  private struct Event {
    var microseconds: Int64
    var json: String
  }

  /// For a run that is about to begin.
  package init(_ header: RunHeader) { self.header = header }

  /// Keeps the spans; everything is written at the end.
  package mutating func handle(_ event: RunEvent, at now: Duration) -> String {
    let secrets = secrets
    switch event {
    case .began(let id): begin(id, now)
    case .requested(let id, let trace): add(trace, id)
    case .stepped(let id, let times): add(times, id)
    case .publishing(let id): publishing[id] = now
    case .published(let id):
      if let began = publishing.removeValue(forKey: id) {
        slice(.publishing, RunSpan(began: began, ended: now), header.name(id)) { _ in }
      }
    case .decided(let id, let reason):
      mark(id, reason.code.rawValue, now) { $0.field("detail", ReasonText.wording(reason, secrets: secrets)) }
    case .retrying(let id, let attempt, _, let cause):
      mark(id, "try \(attempt) failed", now) { Self.write(&$0, cause, secrets) }
    case .nextMirror(let id, _, let cause):
      mark(id, "mirror given up", now) { Self.write(&$0, cause, secrets) }
    case .finished(let result): add(result, now)
    case .waitingForLock, .started, .note, .warning, .received, .tick, .withheld: break
    }
    return ""
  }

  /// Keeps the requests for lists, under the names of their templates.
  package mutating func takeLists(_ tale: EarlyTale) -> String {
    guard let askers = tale.askers else { return "" }
    let own = header.manifest
    header.manifest = askers
    defer { header.manifest = own }
    for (event, time) in tale.ofLists { _ = handle(event, at: time) }
    return ""
  }

  /// The whole document, its slices and marks in the order of their times.
  package mutating func finish(_ end: RunEnd, at now: Duration) -> String {
    let sorted = events.indices.sorted {
      (events[$0].microseconds, $0) < (events[$1].microseconds, $1)
    }
    let all = rows.metadata + sorted.map { events[$0].json }
    let about = JSONWriter.line { json in
      json.field("format", "syncmake.trace/1")
      json.field("version", header.version)
      json.field("manifest", header.manifestPath)
      json.field("time", header.time.rfc3339)
      json.field("status", end.status.rawValue)
    }
    return "{\"displayTimeUnit\": \"ms\", \"otherData\": \(Self.withoutLineEnd(about)), \"traceEvents\": [\n"
      + all.joined(separator: ",\n") + "\n]}\n"
  }

  // MARK: Slices

  private mutating func add(_ trace: RequestTrace, _ id: TargetID) {
    let group: TraceRows.Group =
      trace.connection.map { .connection($0, host: secrets.mask(WebURL(trace.url)?.host ?? "")) }
      ?? .noConnection
    let header = header
    slice(group, trace.span, header.name(id)) { args in
      RequestJSON.write(&args, trace, header)
    }
  }

  private mutating func add(_ times: StepTimes, _ id: TargetID) {
    slice(.steps, times.span, header.name(id)) { args in
      args.field("verifying_us", Quantity.microseconds(times.verifying))
      args.field("unpacking_us", Quantity.microseconds(times.unpacking))
      args.field("writing_us", Quantity.microseconds(times.writing))
    }
  }

  private mutating func slice(
    _ group: TraceRows.Group, _ span: RunSpan, _ name: String, _ args: (inout JSONWriter) -> Void
  ) {
    let (began, ended) = (header.microseconds(span.began), header.microseconds(span.ended))
    let row = rows.row(of: group, from: began, to: ended)
    add(began) { json in
      json.field("ph", "X")
      json.field("name", name)
      json.field("cat", group.category)
      json.field("pid", group.process.rawValue)
      json.field("tid", row)
      json.field("ts", began)
      json.field("dur", ended - began)
      json.object("args", args)
    }
  }

  // MARK: Targets

  private mutating func add(_ result: TargetResult, _ now: Duration) {
    if !begun.contains(result.id) {
      // The target was never examined, or ended at once.
      guard result.outcome != .skipped else { return }
      begin(result.id, now - result.duration)
    }
    begun.remove(result.id)
    let secrets = secrets
    span(result.id, "e", now, header.name(result.id)) { args in
      RunJSON.writeOutcome(&args, result, secrets)
    }
  }

  private mutating func begin(_ id: TargetID, _ moment: Duration) {
    begun.insert(id)
    span(id, "b", moment, header.name(id)) { _ in }
  }

  private mutating func mark(
    _ id: TargetID, _ name: String, _ now: Duration, _ args: (inout JSONWriter) -> Void
  ) {
    // The span itself shows a decision that needed no work.
    if begun.contains(id) { span(id, "n", now, name, args) }
  }

  private mutating func span(
    _ id: TargetID, _ phase: String, _ moment: Duration, _ name: String, _ args: (inout JSONWriter) -> Void
  ) {
    let moment = header.microseconds(moment)
    rows.use(.targets)
    add(moment) { json in
      json.field("ph", phase)
      json.field("name", name)
      json.field("cat", "target")
      json.field("id", id.index)
      json.field("pid", TraceRows.Process.targets.rawValue)
      json.field("tid", 1)
      json.field("ts", moment)
      json.object("args", args)
    }
  }

  private static func write(_ json: inout JSONWriter, _ cause: FailureCause, _ secrets: SecretMask) {
    FailureJSON.write(&json, cause.code, FailureText.wording(cause, secrets: secrets))
  }

  private mutating func add(_ microseconds: Int64, _ body: (inout JSONWriter) -> Void) {
    events.append(Event(microseconds: microseconds, json: Self.withoutLineEnd(JSONWriter.line(body))))
  }

  private static func withoutLineEnd(_ line: String) -> String {
    String(line.unicodeScalars.dropLast())
  }
}
