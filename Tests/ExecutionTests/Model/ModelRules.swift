/// The contract's section 3 as a table, written from the contract alone.
enum ModelRules {
  enum Verdict: Equatable {
    case fresh(String)
    case stale(String)
    /// An edited output that must stay.
    case refused
    /// Only the source can tell: with the record's validators, or the file's own time.
    case ask(ModelCondition)
    /// The sidecar has the expected digest.
    case askSidecar
    /// An input is about to change, in a plan: lines 6 to 8 cannot be decided.
    case depends(isRecorded: Bool)
  }

  /// The facts about an input when a target is decided.
  enum Input: Equatable {
    case content(Int?)
    /// `-W` names it: what needs it is stale.
    case assumedNew
    /// As in make, `-o` also keeps dependents from being remade because of it.
    case assumedOld
    /// A plan cannot know.
    case unknown
  }

  static func verdict(
    _ id: Int, in world: ModelWorld, _ options: ModelOptions, inputs: [Int: Input]
  ) -> Verdict {
    let target = world.targets[id]
    // 1
    if options.assumedOld.contains(id) { return .fresh("assumed-fresh") }
    // 2
    guard let file = world.files[id] else { return .stale("output-missing") }
    let record = world.records[id]
    // 3
    if let record, record.content != file.content {
      if options.overwrites { return .stale("output-modified") }
      switch target.localChanges {
      case .refuse: return .refused
      case .keep: return .fresh("output-modified")
      case .overwrite: return .stale("output-modified")
      }
    }
    // 4
    if options.forcesAll || options.assumedNew.contains(id) { return .stale("forced") }
    // 5
    if let record, record.variant != target.variant { return .stale("definition-changed") }
    // 6
    var isUnknown = false
    for input in target.inputs {
      switch inputs[input] ?? .content(nil) {
      case .assumedNew: return .stale("dependency-changed")
      case .assumedOld: break
      case .unknown: isUnknown = true
      case .content(let content):
        if let record, record.inputs[input] != content { return .stale("dependency-changed") }
      }
    }
    if isUnknown { return .depends(isRecorded: record != nil) }
    // 7 and 8
    guard target.from == nil else {
      return record == nil ? .stale("never-synced") : .fresh("inputs-unchanged")
    }
    return rule(target.rule, target, file, record)
  }

  private static func rule(
    _ rule: ModelTarget.Rule, _ target: ModelTarget, _ file: ModelFile, _ record: ModelRecord?
  ) -> Verdict {
    switch rule {
    case .once: return .fresh("present")
    case .always: return .stale("always")
    case .digest: return file.content == target.expected ? .fresh("digest-matches") : .stale("digest-differs")
    case .sidecar: return .askSidecar
    case .interval(let then):
      if record?.age == .young { return .fresh("within-interval") }
      return self.rule(then, target, file, record)
    case .etag:
      guard let record else { return .stale("never-synced") }
      return record.isAskable ? .ask(.validators(record.validators)) : .stale("validator-changed")
    case .mtime:
      if let record, record.isAskable { return .ask(.validators(record.validators)) }
      if record?.isDownloaded == true { return .stale("newer-remote") }
      return .ask(.ownTime(file.time))
    }
  }
}

extension ModelRecord {
  /// Whether the source can tell by a validator, or by a digest, that it still has this version.
  fileprivate var isAskable: Bool { !validators.isEmpty || hasServerDigest }
}

/// The validators of a conditional request.
enum ModelCondition: Equatable {
  case validators(ModelValidators)
  case ownTime(ModelFile.Time)
}
