import SyncModel

/// The plan's facts about a pinned target besides its verdict: whether its file matches the lock, and whether its
/// source has moved.
struct LockCheck {
  let target: Target
  let pin: Pin
  /// What the list of its entry says now.
  let upstream: UpstreamEntry
  /// See ``FreshnessQuestion/hasUnmovedList``.
  var hasUnmovedList = false
  /// Whether the source may be asked.
  let asks: Bool
  let secrets: SecretMask

  /// Whether a URL of the target is locked: validators count for the resource that sent them only.
  private var hasLockedURL: Bool {
    guard case .urls(let locked) = pin.source else { return false }
    return target.source.mirrors?.contains { locked.contains(ByteString(secrets.mask($0.shown))) } ?? false
  }

  /// How the URLs that the list gives now differ from those of the target, which are locked. `nil` also if the list says
  /// whether the bytes are the locked ones.
  private var otherURL: StaleReason? {
    hasLockedURL && !isDecidedByList ? upstream.otherURL(than: pin) : nil
  }

  /// Whether a list says if the source has moved.
  var isDecidedByList: Bool { hasUnmovedList || upstream.isDecided(for: pin) }

  /// How the list compares with the lock, or else with the record: `recorded`. `nil` if it does not tell, or no longer has the
  /// entry.
  func list(orElse recorded: ListStanding?) -> ListStanding? {
    if upstream == .gone { return nil }
    guard upstream.isDecided(for: pin) else { return recorded }
    return upstream.change(from: pin) == nil ? .unchanged : .changed
  }

  /// The question whether the source has moved, after the verdict; `nil` if it is not worth a request.
  func question(after decision: Decision) -> MoveQuestion? {
    guard mayAsk(after: decision), case .urls = pin.source else { return nil }
    let question = PinRules.question(pin, decision.record, of: target, byValidators: hasLockedURL)
    // What the server says of the old URL does not count: an update would not ask it.
    guard otherURL != nil else { return question }
    if case .digest? = question { return question }
    return nil
  }

  /// Whether an update would have the file from another source than the locked one, and ``question(after:)`` does not ask it.
  func comesFromElsewhere(after decision: Decision) -> Bool {
    !hasLockedURL && mayAsk(after: decision) && question(after: decision) == nil
  }

  /// Whether an update would ask the source, by the verdict, and a list does not tell already.
  private func mayAsk(after decision: Decision) -> Bool {
    guard asks, !isDecidedByList else { return false }
    switch decision.verdict {
    case .fresh(.assumedFresh), .fresh(.leftToSeed), .fresh(.keptModified), .refused, .undecided, .dependsOn:
      return false
    case .fresh, .stale: return true
    }
  }

  /// How the source's version differs from the locked one, by its answer to the question.
  func difference(_ observed: Validators, _ told: ServerDigests, after decision: Decision) -> StaleReason? {
    // What the origin has sent says nothing of a mirror of the user's configuration, nor the reverse.
    if hasLockedURL, let recorded = PinRules.validators(pin, decision.record),
      recorded.isOfMirror == observed.isOfMirror
    {
      return .validatorChanged(recorded: recorded, observed: observed)
    }
    guard let locked = PinRules.download(pin, decision.record), let other = told.contradicting(locked)
    else { return nil }
    return .digestDiffers(
      other.algorithm, expected: other.digest, actual: locked.digest(other.algorithm))
  }

  /// Adds the lock's facts to the plan's line; `moved` is how the source differs, if it does, and `knowsMoved` whether it
  /// has said.
  func complete(
    _ planned: inout PlannedTarget, _ decision: Decision, _ question: FreshnessQuestion,
    moved: StaleReason?, knowsMoved: Bool, bytes: Int64?
  ) {
    let here = sha256(decision, question)
    let change = upstream.change(from: pin) ?? (knowsMoved ? nil : otherURL)
    planned.lock = PinRules.standing(pin, here: here, hasMoved: moved != nil || change != nil)
    if let change {
      planned.moved = change
    } else if let moved {
      planned.moved = moved
      planned.bytes = bytes
    } else if planned.action == .update {
      planned.bytes = pin.download?.size
    }
  }

  /// The output's digest, if it was needed; neither a file that was not read nor a kept edit matches the lock.
  private func sha256(_ decision: Decision, _ question: FreshnessQuestion) -> HexDigest? {
    guard case .file(let signature) = question.output, !question.hasKeptEdits else { return nil }
    if let read = question.facts.outputDigests?[.sha256] { return read }
    guard let record = decision.record, record.output == question.target.path,
      record.signature == signature
    else { return nil }
    return record.content.sha256
  }
}
