package import Planning
package import SyncModel

/// The document that `probe --json` prints: `syncmake.probe/1`, `schema/probe.schema.json`.
package enum ProbeJSON {
  /// The findings for each URL, in the given order; ends in a line end. `now` decides which dates are in the
  /// future.
  package static func render(_ reports: [ProbeReport], now: Timestamp, secrets: SecretMask) -> String {
    let hasFailed = reports.contains { if case .unreachable = $0.subject { true } else { false } }
    return JSONWriter.document { json in
      json.field("format", "syncmake.probe/1")
      json.field("status", hasFailed ? "failed" : "ok")
      json.objects("probes", reports) { ProbeFields(now: now, secrets: secrets).write(&$0, $1) }
    }
  }
}

private struct ProbeFields {
  let now: Timestamp
  let secrets: SecretMask

  func write(_ json: inout JSONWriter, _ report: ProbeReport) {
    json.field("url", secrets.mask(report.source.shown))
    switch report.subject {
    case .web(let found): write(&json, found, report.redirects)
    case .file(let size, let modified):
      json.object("file") { file in
        file.field("size", size)
        file.field("modified", modified.rfc3339)
      }
    case .unreachable(let cause): write(&json, "error", cause)
    }
    if let list = report.list {
      json.object("list") { json in
        json.field("format", list.format.rawValue)
        json.field("entries", list.entries)
      }
    }
    json.objects("sidecars", report.sidecars) { write(&$0, $1) }
    if let advice = report.advice { json.object("advice") { write(&$0, advice) } }
    json.field("requests", report.totals.requests)
    json.field("bytes_transferred", report.totals.bytes)
  }

  private func write(_ json: inout JSONWriter, _ found: ProbeFindings, _ redirects: [String]) {
    let whole = found.whole
    json.field("final_url", secrets.mask(whole.url))
    json.strings("redirects", redirects.map(secrets.mask))
    json.field("redirect", found.redirect.rawValue)
    json.field("http_status", whole.status)
    json.field("http_version", whole.version)
    json.field("length", whole.contentLength)
    json.field("end_provable", whole.endIsProvable)
    json.field("content_type", whole.contentType.map(secrets.mask))
    json.field("content_encoding", whole.contentEncoding.map(secrets.mask))
    json.object("head") { write(&$0, found.head) }
    if let etag = found.etag {
      json.object("etag") { json in
        json.field("value", secrets.mask(etag.value.text))
        json.field("strong", etag.value.isStrong)
        write(&json, others: etag.others.map(\.text), etag.answer)
      }
    }
    if let date = found.lastModified {
      json.object("last_modified") { json in
        let time = HTTPDate.parse(date.value, now: now)
        json.field("value", secrets.mask(date.value))
        json.field("time", time?.rfc3339)
        json.field("plausible", time.map { $0 <= now } ?? false)
        write(&json, others: date.others, date.answer)
      }
    }
    json.object("ranges") { write(&$0, found.ranges) }
    json.objects("digests", found.serverDigests.ofFile) { json, told in
      json.field("field", told.field.rawValue)
      json.field("algorithm", told.algorithm.rawValue)
      json.field("digest", told.digest.text)
    }
    json.objects("digests_ignored", found.serverDigests.ignored) { json, ignored in
      json.field("field", ignored.field.rawValue)
      json.field("value", secrets.mask(ignored.value))
      json.field("why", ignored.reason.rawValue)
    }
  }

  private func write(_ json: inout JSONWriter, others: [String], _ answer: ConditionAnswer) {
    json.field("stable", others.isEmpty)
    json.strings("others", others.map(secrets.mask))
    switch answer {
    case .notModified: json.field("answer", "not-modified")
    case .ignored: json.field("answer", "ignored")
    case .changed: json.field("answer", "changed")
    case .refused(let status): refused(&json, status)
    case .failed(let cause): failed(&json, cause)
    }
  }

  private func write(_ json: inout JSONWriter, _ head: HeadFinding) {
    switch head {
    case .agrees: json.field("answer", "agrees")
    case .differs: json.field("answer", "differs")
    case .refused(let status): refused(&json, status)
    case .failed(let cause): failed(&json, cause)
    }
  }

  private func write(_ json: inout JSONWriter, _ ranges: RangeFinding) {
    switch ranges {
    case .notAsked: json.field("answer", "not-asked")
    case .honoured(let guarded):
      json.field("answer", "honoured")
      json.field("guarded", guarded)
    case .honouredAlone:
      json.field("answer", "honoured")
      json.field("guarded", false)
      json.field("if_range", "refused")
    case .ignored: json.field("answer", "ignored")
    case .wrong(let text):
      json.field("answer", "wrong")
      json.field("detail", secrets.mask(text))
    case .refused(let status): refused(&json, status)
    case .failed(let cause): failed(&json, cause)
    }
  }

  private func refused(_ json: inout JSONWriter, _ status: Int) {
    json.field("answer", "refused")
    json.field("http_status", status)
  }

  private func failed(_ json: inout JSONWriter, _ cause: FailureCause) {
    json.field("answer", "failed")
    write(&json, "error", cause)
  }

  private func write(_ json: inout JSONWriter, _ finding: SidecarFinding) {
    json.field("url", secrets.mask(finding.url.shown))
    switch finding.content {
    case .digest(let algorithm, let digest):
      json.field("algorithm", algorithm.rawValue)
      json.field("digest", digest.text)
      if finding.subject == .output { json.field("of", finding.subject.rawValue) }
    case .ofOthers: json.field("problem", "it does not name the file")
    case .unreadable(let fault):
      json.field(
        "problem",
        FailureText.wording(.sidecarInvalid(source: finding.url.shown, fault), secrets: secrets))
    }
  }

  private func write(_ json: inout JSONWriter, _ advice: ProbeAdvice) {
    json.field("freshness", advice.rule.text { secrets.mask($0.url.shown) })
    json.field("reason", advice.reason.rawValue)
    json.field("sidecar", advice.sidecar.map { secrets.mask($0.url.shown) })
    json.field("resumable", advice.canResume)
    json.field("needs_unproven_length", advice.needsUnprovenLength)
    if let obstacle = advice.obstacle { write(&json, "obstacle", obstacle) }
  }

  private func write(_ json: inout JSONWriter, _ name: String, _ cause: FailureCause) {
    json.object(name) { error in
      error.field("code", cause.code.rawValue)
      error.field("message", FailureText.wording(cause, secrets: secrets))
    }
  }
}
