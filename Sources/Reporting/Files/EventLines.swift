package import SyncModel

/// The file that `--events` writes: `syncmake.events/1`, one JSON object per line, `schema/events.schema.json`.
///
/// Lines are in the order of the events, and each is complete when it is handed out.
package struct EventLines: RunReport {
  /// Between two lines on how far a body has come.
  private static let pause = Duration.milliseconds(500)

  private var header: RunHeader
  private var secrets: SecretMask { header.manifest.secrets }
  private var bodies: [TargetID: BodyProgress] = [:]
  /// The ``bodies`` with unreported progress, in order of arrival.
  private var changed: [TargetID] = []
  private var isChanged: Set<TargetID> = []
  private var lastProgress: Duration

  /// For a run that is about to begin.
  package init(_ header: RunHeader) {
    self.header = header
    lastProgress = header.began
  }

  /// The first line, before anything happens.
  package func start() -> String {
    JSONWriter.line { line in
      line.field("format", "syncmake.events/1")
      line.field("event", "begun")
      line.field("at_us", 0)
      line.field("time", header.time.rfc3339)
      line.field("version", header.version)
      line.field("manifest", secrets.mask(header.manifest.fileName))
      ShardJSON.write(&line, header.shard)
      PolicyJSON.write(&line, header.manifest)
    }
  }

  /// The event's line; none for a piece of a body.
  ///
  /// Progress is reported when time passes, at most twice a second, with one line per target.
  package mutating func handle(_ event: RunEvent, at now: Duration) -> String {
    switch event {
    case .waitingForLock(let holder):
      return line("waiting", now) { $0.field("holder", secrets.mask(holder)) }
    case .started(let targets): return line("started", now) { $0.field("targets", targets) }
    case .began(let id): return line("target", now, id) { _ in }
    case .note(let id, let note): return noted(note, id, now)
    case .requested(let id, let trace):
      return line("requested", now, id) { RequestJSON.write(&$0, trace, header) }
    case .decided(let id, let reason):
      return line("decided", now, id) { line in
        line.field("verdict", reason.isFresh ? "fresh" : "stale")
        line.field("reason", reason.code.rawValue)
        line.field("detail", ReasonText.wording(reason, secrets: secrets))
      }
    case .retrying(let id, let attempt, let after, let cause):
      return line("retrying", now, id) { line in
        line.field("attempt", attempt)
        line.field("after_us", Quantity.microseconds(after))
        write(&line, cause)
      }
    case .nextMirror(let id, let url, let cause):
      return line("next-mirror", now, id) { line in
        line.field("url", secrets.mask(url))
        write(&line, cause)
      }
    case .warning(let warning): return line("warning", now, warning.target) { write(&$0, warning) }
    case .received(let id, let progress):
      received(id, progress)
      return ""
    case .tick: return progress(now)
    case .stepped(let id, let times): return line("stepped", now, id) { write(&$0, times) }
    case .publishing(let id): return line("publishing", now, id) { _ in }
    case .published(let id): return line("published", now, id) { _ in }
    case .withheld: return ""
    case .finished(let result):
      bodies[result.id] = nil
      return line("finished", now, result.id) { RunJSON.writeOutcome(&$0, result, secrets) }
    }
  }

  /// The lines of the requests for lists, under the names of their templates.
  package mutating func takeLists(_ tale: EarlyTale) -> String {
    guard let askers = tale.askers else { return "" }
    let own = header.manifest
    header.manifest = askers
    defer { header.manifest = own }
    return tale.ofLists.reduce(into: "") { $0 += handle($1.event, at: $1.at) }
  }

  /// The last line: how the run ended, with its counts.
  package mutating func finish(_ end: RunEnd, at now: Duration) -> String {
    line("ended", now) { line in
      line.field("status", end.status.rawValue)
      line.object("summary") { RunJSON.writeCounts(&$0, end.results) }
      if let failure = end.failure {
        FailureJSON.write(&line, failure.code, FailureText.wording(failure, secrets: secrets))
      }
      line.field("duration_ms", Quantity.milliseconds(end.duration))
    }
  }

  private func line(
    _ event: String, _ now: Duration, _ id: TargetID? = nil, _ body: (inout JSONWriter) -> Void
  ) -> String {
    JSONWriter.line { line in
      line.field("event", event)
      line.field("at_us", header.microseconds(now))
      line.field("target", id.map(header.name))
      body(&line)
    }
  }

  // MARK: One kind of event each

  private func noted(_ note: ExchangeNote, _ id: TargetID, _ now: Duration) -> String {
    switch note {
    case .request(let method, let url, let conditions):
      line("request", now, id) { line in
        line.field("method", method)
        line.field("url", secrets.mask(url))
        line.strings("conditions", conditions.map(secrets.mask))
      }
    case .response(let status, let url, let length):
      line("response", now, id) { line in
        line.field("status", status)
        line.field("url", secrets.mask(url))
        line.field("length", length)
      }
    case .redirect(let from, let to):
      line("redirect", now, id) { line in
        line.field("from", secrets.mask(from))
        line.field("to", secrets.mask(to))
      }
    case .serverDigest(let told, let ofPart):
      line("server-digest", now, id) { line in
        line.field("field", told.field.rawValue)
        line.field("covers", ofPart ? "part" : "file")
        line.field("algorithm", told.algorithm.rawValue)
        line.field("digest", told.digest.text)
      }
    case .ignoredDigest(let ignored):
      line("server-digest-ignored", now, id) { line in
        line.field("field", ignored.field.rawValue)
        line.field("value", secrets.mask(ignored.value))
        line.field("why", ignored.reason.rawValue)
      }
    }
  }

  private func write(_ line: inout JSONWriter, _ cause: FailureCause) {
    FailureJSON.write(&line, cause.code, FailureText.wording(cause, secrets: secrets))
  }

  private func write(_ line: inout JSONWriter, _ warning: RunWarning) {
    line.field("message", WarningText.message(warning, manifest: header.manifest))
    line.field("hint", WarningText.hint(warning).map(secrets.mask))
    if case .lock(let diagnostic) = warning {
      line.field("file", secrets.mask(diagnostic.file))
      line.field("line", diagnostic.span?.line)
      line.field("column", diagnostic.span?.column)
    }
  }

  private func write(_ line: inout JSONWriter, _ times: StepTimes) {
    line.field("began_us", header.microseconds(times.span.began))
    line.field("ended_us", header.microseconds(times.span.ended))
    line.field("verifying_us", Quantity.microseconds(times.verifying))
    line.field("unpacking_us", Quantity.microseconds(times.unpacking))
    line.field("writing_us", Quantity.microseconds(times.writing))
  }

  // MARK: Bodies on their way

  private mutating func received(_ id: TargetID, _ progress: BodyProgress) {
    bodies[id] = progress
    if isChanged.insert(id).inserted { changed.append(id) }
  }

  private mutating func progress(_ now: Duration) -> String {
    guard !changed.isEmpty, now - lastProgress >= Self.pause else { return "" }
    lastProgress = now
    var lines = ""
    for id in changed {
      // A finished target needs no more progress.
      guard let body = bodies[id] else { continue }
      lines += line("progress", now, id) { line in
        line.field("bytes", body.here)
        line.field("total", body.total)
      }
    }
    changed = []
    isChanged = []
    return lines
  }
}

/// A request's times, as in `--events` and `--trace`.
enum RequestJSON {
  static func write(_ json: inout JSONWriter, _ trace: RequestTrace, _ header: RunHeader) {
    json.field("method", trace.method)
    json.field("url", header.manifest.secrets.mask(trace.url))
    json.field("connection", trace.connection)
    if trace.connection != nil { json.field("new_connection", trace.isFirstOnConnection) }
    json.field("status", trace.status)
    json.field("bytes", trace.bytes)
    json.field("began_us", header.microseconds(trace.span.began))
    json.field("sent_us", trace.untilSent.map { header.microseconds(trace.span.began + $0) })
    json.field("replied_us", trace.untilReply.map { header.microseconds(trace.span.began + $0) })
    json.field("ended_us", header.microseconds(trace.ended))
  }
}

extension Reason {
  /// Whether it is one of those by which a target is fresh.
  var isFresh: Bool { if case .fresh = self { true } else { false } }
}
