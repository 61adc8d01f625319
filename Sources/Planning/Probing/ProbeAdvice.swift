package import SyncModel

/// The conclusion from a probe's findings: the rule that will work, and whether downloads can be resumed.
package struct ProbeAdvice: Sendable, Equatable {
  /// A freshness rule to write into the manifest.
  package enum Rule: Sendable, Equatable {
    /// The server's validators tell whether the file changed; `mtime` if only its date is reliable.
    case etag, mtime
    /// The digest that this sidecar gives.
    case digest(SidecarFinding)
    /// Nothing shows whether the file changed: fetch it once a day.
    case daily
  }

  /// Why it is this rule and no other.
  package enum Reason: String, Sendable, CaseIterable {
    /// It is a local file: size and time tell whether it changed.
    case fileTimes = "file-times"
    /// The server answers 304 to `If-None-Match`.
    case etagConfirmed = "etag-confirmed"
    /// The server ignores conditions, but sends the same ETag: the check costs the beginning of a download.
    case etagCompared = "etag-compared"
    /// The server answers 304 to `If-Modified-Since`.
    case dateConfirmed = "date-confirmed"
    /// The server ignores conditions, but sends the same date: the check costs the beginning of a download.
    case dateCompared = "date-compared"
    /// The ETag changes from reply to reply, the date does not.
    case etagUnstable = "etag-unstable"
    /// No validator is reliable: each changes from reply to reply, or its condition finds a change.
    case validatorsUnstable = "validators-unstable"
    /// The server sends neither an ETag nor a Last-Modified.
    case noValidator = "no-validator"
    /// Each request is led to another host, and all of them have the same file.
    case mirrorsCompared = "mirrors-compared"
    /// No validator works, but the server sends a digest of the file.
    case digestSent = "digest-sent"
    /// Each request is led to another URL.
    case redirectUnstable = "redirect-unstable"
    /// Conditional requests are refused or fail.
    case conditionsRefused = "conditions-refused"
  }

  /// The best rule that the findings allow.
  package var rule: Rule
  /// The finding that led to ``rule``.
  package var reason: Reason
  /// The strongest sidecar that names the file: to verify downloads by.
  package var sidecar: SidecarFinding?
  /// Whether an interrupted download resumes; `false` also for a local file, which is not downloaded.
  package var canResume: Bool
  /// Whether the target needs `unproven_length: accept`, because nothing else proves that a download is complete.
  package var needsUnprovenLength: Bool
  /// Why every run would fail; `nil` if runs can succeed.
  package var obstacle: FailureCause?

  /// `nil` if the source cannot be read.
  init?(_ report: ProbeReport) {
    sidecar = report.sidecars.first { if case .digest = $0.content { true } else { false } }
    canResume = false
    needsUnprovenLength = false
    switch report.subject {
    case .unreachable: return nil
    case .file: (rule, reason) = (.etag, .fileTimes)
    case .web(let found):
      (rule, reason) = Self.rule(found, sidecar)
      // The same digest is fresh under `etag`, whatever the validators are.
      let hasDigest = !found.serverDigests.ofFile.isEmpty
      if rule == .daily, reason != .conditionsRefused, hasDigest { (rule, reason) = (.etag, .digestSent) }
      canResume = Self.canResume(found, sidecar)
      needsUnprovenLength = !found.whole.endIsProvable && sidecar == nil && !hasDigest
      obstacle = Self.obstacle(found.whole, source: report.source)
    }
  }

  private static func rule(_ found: ProbeFindings, _ sidecar: SidecarFinding?) -> (Rule, Reason) {
    let other: Rule = sidecar.map { .digest($0) } ?? .daily
    if found.redirect == .unstable { return (other, .redirectUnstable) }
    if found.redirect == .mirrors { return (.etag, .mirrorsCompared) }
    if found.etag.map({ $0.answer.isBad }) ?? found.lastModified?.answer.isBad ?? false {
      return (other, .conditionsRefused)
    }
    if let etag = found.etag, etag.isStable, etag.answer != .changed {
      return (.etag, etag.answer == .notModified ? .etagConfirmed : .etagCompared)
    }
    let isDated = found.lastModified.map { $0.isStable && $0.answer != .changed && !$0.answer.isBad } ?? false
    if found.etag != nil {
      return isDated ? (.mtime, .etagUnstable) : (other, .validatorsUnstable)
    }
    guard let date = found.lastModified else { return (other, .noValidator) }
    guard isDated else { return (other, .validatorsUnstable) }
    return (.etag, date.answer == .notModified ? .dateConfirmed : .dateCompared)
  }

  /// With mirrors, bytes are joined only if a digest is checked at the end.
  private static func canResume(_ found: ProbeFindings, _ sidecar: SidecarFinding?) -> Bool {
    switch found.ranges {
    case .honoured, .honouredAlone: break
    default: return false
    }
    let isStable = found.etag?.isStable ?? found.lastModified?.isStable ?? false
    return switch found.redirect {
    case .steady, .signed: isStable
    case .mirrors: isStable && found.etag != nil && sidecar != nil
    case .unstable: false
    }
  }

  /// A gzip file with the Content-Encoding gzip is stored unchanged, wherever it came from.
  private static func obstacle(_ head: ResponseHead, source: SourceURL) -> FailureCause? {
    guard let encoding = head.contentEncoding else { return nil }
    if EncodedFile.isStored(encoding, urls: [head.url, source.text]) { return nil }
    return .protocolError(url: head.url, .contentEncoding(encoding))
  }
}

extension ProbeAdvice.Rule {
  /// In the manifest's notation, on one line; `sidecar` gives the sidecar's URL as it should be written.
  package func text(_ sidecar: (SidecarFinding) -> String) -> String {
    switch self {
    case .etag: return "etag"
    case .mtime: return "mtime"
    case .daily: return "{interval: 1d, then: always}"
    case .digest(let finding):
      guard case .digest(let algorithm, _) = finding.content else { return "etag" }
      let subject = finding.subject == .output ? ", of: output" : ""
      return "{\(algorithm.rawValue): {url: \(YAMLText.quoted(sidecar(finding)))}\(subject)}"
    }
  }
}

extension ConditionAnswer {
  /// Whether a run that asks so would fail.
  fileprivate var isBad: Bool {
    switch self {
    case .refused, .failed: true
    default: false
    }
  }
}
