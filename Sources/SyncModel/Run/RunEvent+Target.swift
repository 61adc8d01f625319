extension RunEvent {
  /// The event's target; `nil` if the event is about the run.
  package var target: TargetID? {
    switch self {
    case .waitingForLock, .started, .tick: nil
    case .warning(let warning): warning.target
    case .note(let id, _), .decided(let id, _), .retrying(let id, _, _, _), .nextMirror(let id, _, _),
      .received(let id, _), .began(let id), .requested(let id, _), .stepped(let id, _), .publishing(let id),
      .published(let id), .withheld(let id):
      id
    case .finished(let result): result.id
    }
  }

  /// The same event about the target that has this id in another manifest; itself if it is about the run.
  package func about(_ id: TargetID) -> RunEvent {
    switch self {
    case .waitingForLock, .started, .tick: return self
    case .warning(.noValidator(_, let url)): return .warning(.noValidator(id, url: url))
    case .warning(.webPage(_, let url)): return .warning(.webPage(id, url: url))
    case .warning: return self
    case .note(_, let note): return .note(id, note)
    case .decided(_, let reason): return .decided(id, reason)
    case .retrying(_, let attempt, let after, let cause):
      return .retrying(id, attempt: attempt, after: after, cause: cause)
    case .nextMirror(_, let url, let cause): return .nextMirror(id, url: url, cause: cause)
    case .received(_, let progress): return .received(id, progress)
    case .began: return .began(id)
    case .requested(_, let trace): return .requested(id, trace)
    case .stepped(_, let times): return .stepped(id, times)
    case .publishing: return .publishing(id)
    case .published: return .published(id)
    case .withheld: return .withheld(id)
    case .finished(var result):
      result.id = id
      return .finished(result)
    }
  }
}

extension RunWarning {
  /// The target that it is about; `nil` if it is about the run.
  package var target: TargetID? {
    switch self {
    case .noValidator(let id, _), .webPage(let id, _): id
    default: nil
    }
  }
}
