import SyncModel

/// What a run did when, gathered from its events: the requests, pauses and steps of each target.
///
/// Times are the run's own: how long ago it began, from any steady clock.
package struct RunCourse: Sendable {
  /// One stretch of work, or of waiting, for one target.
  struct Span: Sendable, Equatable {
    var target: TargetID
    var kind: Kind
    var start: Duration
    var end: Duration
    /// What to say of it beside its kind, foreign texts in it, secrets masked; empty for nothing.
    var note = ""
    /// Whether it ended in a failure, so that what follows is another try or the end.
    var isFailed = false
  }

  /// What is done in a span; the raw value is the word for it.
  enum Kind: String, Sendable, CaseIterable {
    /// A request is sent, and nothing of a reply has come.
    case asking = "asking"
    case receiving = "receiving"
    /// Between two tries.
    case pausing = "pausing"
    /// The last bytes go through the steps, and the file is put in place.
    case finishing = "finishing"
  }

  /// In the order in which they ended.
  private(set) var spans: [Span] = []
  private(set) var warnings: [RunWarning] = []
  /// Warnings beyond these are counted only.
  private(set) var warningsLeftOut = 0
  private static let mostWarnings = 200

  private var open: [TargetID: Span] = [:]
  private let secrets: SecretMask

  package init(manifest: Manifest) { secrets = manifest.secrets }

  /// Takes in what happened at `now`.
  package mutating func handle(_ event: RunEvent, at now: Duration) {
    switch event {
    case .note(let id, .request(let method, let url, _)):
      begin(.asking, id, now, "\(method) \(secrets.mask(url))")
    case .note(let id, .redirect(_, let to)): begin(.asking, id, now, "redirected to \(secrets.mask(to))")
    case .note(let id, .response(let status, _, let length)):
      let size = length.map { ", \(Quantity.size($0))" } ?? ""
      begin(.receiving, id, now, HTTPStatusText.name(status) + size)
    case .retrying(let id, let attempt, let wait, let cause):
      end(id, now, failure: cause)
      let words = FailureText.wording(cause, secrets: secrets)
      begin(.pausing, id, now, "\(Quantity.duration(wait)) after try \(attempt): \(words)")
    case .nextMirror(let id, _, let cause): end(id, now, failure: cause)
    case .finished(let result):
      if let failure = result.failure {
        end(result.id, now, failure: failure.cause)
      } else {
        end(result.id, now)
      }
    case .warning(let warning):
      if warnings.count < Self.mostWarnings { warnings.append(warning) } else { warningsLeftOut += 1 }
    case .waitingForLock, .started, .decided, .received, .tick: break
    }
  }

  private mutating func begin(_ kind: Kind, _ id: TargetID, _ now: Duration, _ note: String) {
    end(id, now)
    open[id] = Span(target: id, kind: kind, start: now, end: now, note: note)
  }

  private mutating func end(_ id: TargetID, _ now: Duration, failure: FailureCause? = nil) {
    guard var span = open.removeValue(forKey: id) else { return }
    span.end = now
    if let failure {
      span.isFailed = true
      span.note += (span.note.isEmpty ? "" : "; ") + FailureText.wording(failure, secrets: secrets)
    }
    spans.append(span)
  }
}
