package import Planning
package import SyncModel

/// Text about a server's validators and ranges.
package enum ProbeText {
  /// The URL, then a line for each finding, and the advice; ends in a line end.
  ///
  /// `now` decides which dates are in the future. Empty for a source that cannot be read, see
  /// ``failure(_:style:secrets:)``.
  package static func render(
    _ report: ProbeReport, now: Timestamp, style: TextStyle, secrets: SecretMask
  ) -> String {
    guard let advice = report.advice else { return "" }
    let wording = ProbeWording(report: report, now: now, secrets: secrets)
    let rows =
      wording.findings + wording.list + [("sidecars", wording.sidecars)]
      + AdviceWording(advice: advice, secrets: secrets).rows
    return style.paint(secrets.shown(report.source.shown), .bold) + "\n"
      + rows.map { label, text in line(label, CleanText.clean(text), style) }.joined()
  }

  /// Why a source cannot be read, and a hint; `nil` if it can.
  package static func failure(_ report: ProbeReport, style: TextStyle, secrets: SecretMask) -> String? {
    guard case .unreachable(let cause) = report.subject else { return nil }
    let message = FailureText.message(cause, secrets: secrets)
    return MessageText.error(
      message.holds(report.source.shown) ? message : "\(report.source.shown): \(message)",
      hint: FailureText.hint(TargetFailure(cause), target: nil, secrets: secrets), style: style,
      secrets: secrets)
  }

  /// The advice without what `add` has made of it: whole lines, indented.
  static func advice(_ advice: ProbeAdvice, style: TextStyle, secrets: SecretMask) -> String {
    let wording = AdviceWording(advice: advice, secrets: secrets)
    return [wording.freshness, wording.resume].compactMap(\.self)
      .map { label, text in line(label, CleanText.clean(text), style) }.joined()
  }

  /// That a source is a list, with what follows: a whole line, indented.
  static func list(_ list: ListFinding, _ rest: String, _ style: TextStyle) -> String {
    line("list", list.words + rest, style)
  }

  private static func line(_ label: String, _ text: String, _ style: TextStyle) -> String {
    let gap = String(repeating: " ", count: max(1, 15 - label.utf8.count))
    return "  \(style.paint(label, .faint))\(gap)\(text)\n"
  }
}

extension ListFinding {
  fileprivate var words: String {
    let what =
      switch format {
      case .atom: "an Atom feed"
      case .rss: "an RSS feed"
      case .dash: "a feed for Dash and Zeal"
      case .index: "a folder's listing"
      case .checksums: "a list of digests"
      case .github: "the releases of a repository"
      case .json: "rows in JSON"
      case .csv: "a table"
      case .s3: "a bucket's listing"
      case .sitemap: "a sitemap"
      case .metalink: "a Metalink"
      }
    return "\(what) (\(format.rawValue)), \(entries) \(entries == 1 ? "entry" : "entries")"
  }
}

/// The findings in words; foreign texts as they are, secrets masked.
private struct ProbeWording {
  let report: ProbeReport
  let now: Timestamp
  let secrets: SecretMask

  var findings: [(String, String)] {
    let redirects = report.redirects.map { ("leads to", secrets.mask($0)) }
    switch report.subject {
    case .unreachable: return redirects
    case .file(let size, let modified):
      return [("file", "\(Quantity.size(size)), changed \(modified.rfc3339)")]
    case .web(let found):
      return redirects
        + [
          ("reply", reply(found.whole)), ("ETag", etag(found)), ("Last-Modified", date(found)),
          ("ranges", ranges(found)), ("HEAD", head(found.head)),
        ] + redirect(found.redirect) + digests(found.serverDigests)
    }
  }

  /// Empty for what is no list.
  var list: [(String, String)] { report.list.map { [("list", $0.words)] } ?? [] }

  private func redirect(_ finding: RedirectFinding) -> [(String, String)] {
    switch finding {
    case .steady: []
    case .signed: [("redirect", "signed URLs: validators are compared across signatures")]
    case .mirrors:
      [("redirect", "to different hosts: file name, length and validator are compared across hosts")]
    case .unstable: [("redirect", "to a different file for each request")]
    }
  }

  /// Empty for most servers, which send none.
  private func digests(_ digests: ServerDigests) -> [(String, String)] {
    let told = digests.ofFile.map {
      "\($0.field.rawValue) (\($0.algorithm.rawValue) \($0.digest.text.prefix(12))...)"
    }
    let ignored = digests.ignored.map {
      "\($0.field.rawValue) ignored: \(ExchangeText.wording($0, secrets))"
    }
    let all = told + ignored
    return all.isEmpty ? [] : [("digests", all.joined(separator: ", "))]
  }

  private func reply(_ head: ResponseHead) -> String {
    var parts = ["\(HTTPStatusText.name(head.status)) over HTTP/\(head.version)"]
    parts.append(head.contentLength.map(Quantity.size) ?? "length unknown")
    if let type = head.contentType { parts.append(secrets.mask(type)) }
    if let encoding = head.contentEncoding { parts.append("encoded as \(secrets.mask(encoding))") }
    if !head.endIsProvable {
      parts.append("ended only by the connection's end, which does not prove that it is complete")
    }
    return parts.joined(separator: ", ")
  }

  private func etag(_ found: ProbeFindings) -> String {
    guard let etag = found.etag else { return "none" }
    let kind = etag.value.isStrong ? "strong" : "weak"
    return "\(secrets.mask(etag.value.text)), \(kind)\(others(etag.others.map(\.text))); "
      + answer(etag.answer, "If-None-Match")
  }

  private func date(_ found: ProbeFindings) -> String {
    guard let date = found.lastModified else { return "none" }
    return "\(secrets.mask(date.value))\(doubt(date.value))\(others(date.others)); "
      + answer(date.answer, "If-Modified-Since")
  }

  private func doubt(_ text: String) -> String {
    guard let time = HTTPDate.parse(text, now: now) else { return ", which is not a date" }
    return time > now ? ", in the future" : ""
  }

  private func others(_ values: [String]) -> String {
    values.isEmpty ? "" : ", in other replies \(values.prefix(3).map(secrets.mask).joined(separator: ", "))"
  }

  private func answer(_ answer: ConditionAnswer, _ name: String) -> String {
    switch answer {
    case .notModified: "\(name) gives 304"
    case .ignored: "\(name) is ignored"
    case .changed: "\(name) gives another version"
    case .refused(let status): "\(name) gives \(HTTPStatusText.name(status))"
    case .failed(let cause): "\(name) fails: \(FailureText.message(cause, secrets: secrets))"
    }
  }

  private func ranges(_ found: ProbeFindings) -> String {
    switch found.ranges {
    case .notAsked:
      if let etag = found.etag, !etag.value.isStrong { return "useless with a weak ETag" }
      guard found.whole.strongValidator(now: now) != nil else {
        return "of no use without an ETag, or a date that is old enough"
      }
      return found.redirect == .steady || found.redirect == .signed
        ? "not asked for: the file is too short" : "not asked for: the redirect led elsewhere"
    case .honoured(guarded: true): return "honoured; another version is sent whole"
    case .honouredAlone: return "honoured without If-Range only: the ETag is compared here"
    case .honoured(guarded: false): return "honoured, though If-Range is ignored: the ETag is compared here"
    case .ignored: return "ignored: the whole file is sent"
    case .wrong(let text): return "answered wrongly: \(secrets.mask(text))"
    case .refused(let status): return "refused: \(HTTPStatusText.name(status))"
    case .failed(let cause): return "failed: \(FailureText.message(cause, secrets: secrets))"
    }
  }

  private func head(_ head: HeadFinding) -> String {
    switch head {
    case .agrees: "the same as GET"
    case .differs:
      "its validators differ from GET's: `plan` may need a GET, or may see a change that `run` does not see"
    case .refused(let status): "\(HTTPStatusText.name(status)): `plan` needs a GET"
    case .failed(let cause): "fails: \(FailureText.message(cause, secrets: secrets))"
    }
  }

  var sidecars: String {
    guard !report.sidecars.isEmpty else { return "none found" }
    return report.sidecars.map { finding in
      let name = secrets.mask(finding.url.shown).split(separator: "/").last.map(String.init) ?? ""
      switch finding.content {
      case .digest(let algorithm, let digest):
        return "\(name) (\(algorithm.rawValue) \(digest.text.prefix(12))...)"
      case .ofOthers: return "\(name) (does not name the file)"
      case .unreadable(let fault):
        let cause = FailureCause.sidecarInvalid(source: finding.url.shown, fault)
        return "\(name) (\(FailureText.message(cause, secrets: secrets)))"
      }
    }.joined(separator: ", ")
  }
}

/// The advice in words.
private struct AdviceWording {
  let advice: ProbeAdvice
  let secrets: SecretMask

  var rows: [(String, String)] {
    var rows = [freshness]
    if let sidecar = advice.sidecar, case .digest(let algorithm, _) = sidecar.content, !isRule {
      let place = sidecar.subject == .output ? ", behind gunzip" : ""
      rows.append(
        ("steps", "verify: {\(algorithm.rawValue): {url: \(YAMLText.quoted(shown(sidecar)))}}\(place)"))
    }
    if let resume { rows.append(resume) }
    if advice.needsUnprovenLength {
      rows.append(
        ("", "needs `unproven_length: accept` or a digest: nothing else proves that a download is complete"))
    }
    if let obstacle = advice.obstacle {
      rows.append(("", "a run would fail: \(FailureText.message(obstacle, secrets: secrets))"))
    }
    return rows
  }

  var freshness: (String, String) { ("freshness", "\(advice.rule.text(shown)): \(reason)") }

  /// `nil` for a local file, of which nothing is downloaded.
  var resume: (String, String)? {
    if case .fileTimes = advice.reason { return nil }
    return ("resume", "interrupted downloads \(advice.canResume ? "resume" : "start over")")
  }

  private var isRule: Bool { if case .digest = advice.rule { true } else { false } }

  private func shown(_ finding: SidecarFinding) -> String { secrets.mask(finding.url.shown) }

  private var reason: String {
    switch advice.reason {
    case .fileTimes: "size and time of the file show changes"
    case .etagConfirmed: "the server confirms its ETag"
    case .etagCompared: "the server ignores the condition, but its ETag stays the same"
    case .dateConfirmed: "the server sends no ETag and confirms its date"
    case .dateCompared: "the server sends no ETag and ignores the condition, but its date stays the same"
    case .etagUnstable: "the ETag differs from reply to reply, but the date does not"
    case .validatorsUnstable: "the validators differ from reply to reply"
    case .noValidator: "the server sends neither ETag nor date"
    case .digestSent: "no validator works, but the server sends a digest of the file"
    case .mirrorsCompared: "all hosts to which requests are redirected have the same file"
    case .redirectUnstable:
      "requests are redirected to different files, and a validator is valid for one file only"
    case .conditionsRefused: "the server refuses conditional requests"
    }
  }
}
