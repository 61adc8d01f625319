import SyncModel

/// The plan's facts about a pinned target besides its verdict: whether its file matches the lock, and whether its
/// source has moved.
struct LockCheck {
  let pin: Pin
  /// What the list of its entry says now.
  let upstream: UpstreamEntry
  /// Whether the source may be asked.
  let asks: Bool

  /// The locked download, which a server's digest may be of.
  var download: ContentIdentity? {
    pin.download.map { ContentIdentity(size: $0.size, sha256: $0.sha256) }
  }

  /// Whether the list says if the source has moved.
  var isDecidedByList: Bool { upstream.isDecided(for: pin) }

  /// How the list compares with the lock; `nil` if it does not tell.
  var list: ListStanding? {
    guard isDecidedByList else { return nil }
    return upstream.change(from: pin) == nil ? .unchanged : .changed
  }

  /// The validators for a question to the source, after the verdict; `nil` if it is not worth a request.
  func question(after decision: Decision) -> Validators? {
    guard asks, case .urls = pin.source, !isDecidedByList else { return nil }
    switch decision.verdict {
    case .fresh(.assumedFresh), .fresh(.leftToSeed), .fresh(.keptModified), .refused, .undecided, .dependsOn:
      return nil
    case .fresh, .stale: return PinRules.question(pin, decision.record)
    }
  }

  /// Adds the lock's facts to the plan's line; `observed` is the source's version, if it is another.
  func complete(
    _ planned: inout PlannedTarget, _ decision: Decision, _ question: FreshnessQuestion,
    movedTo observed: Validators?, bytes: Int64?
  ) {
    let here = sha256(decision, question)
    let change = upstream.change(from: pin)
    planned.lock = PinRules.standing(pin, here: here, hasMoved: observed != nil || change != nil)
    if let change {
      planned.moved = change
    } else if let observed {
      planned.moved = .validatorChanged(recorded: PinRules.question(pin, decision.record), observed: observed)
      planned.bytes = bytes
    } else if planned.action == .update {
      planned.bytes = pin.download?.size
    }
  }

  /// The output's digest, if it was needed; a file that was not read does not match the lock.
  private func sha256(_ decision: Decision, _ question: FreshnessQuestion) -> HexDigest? {
    guard case .file(let signature) = question.output else { return nil }
    if let read = question.facts.outputDigests?[.sha256] { return read }
    guard let record = decision.record, record.output == question.target.path,
      record.signature == signature
    else { return nil }
    return record.content.sha256
  }
}
