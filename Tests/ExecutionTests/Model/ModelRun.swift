/// The effects of a run and a plan on the model's world.
struct ModelRun {
  private(set) var world: ModelWorld
  let options: ModelOptions
  /// The size of a content as it is served, by content and whether it is packed.
  let size: (Int, Bool) -> Int

  init(_ world: ModelWorld, _ options: ModelOptions, size: @escaping (Int, Bool) -> Int) {
    self.world = world
    self.options = options
    self.size = size
  }

  // MARK: A run

  /// A run of all selected targets with `-k`; it changes the world.
  mutating func run() -> [ModelResult] {
    var results: [ModelResult] = []
    for id in world.targets.indices {
      let blocked =
        !options.assumedOld.contains(id)
        && world.targets[id].inputs.contains { ["failed", "skipped"].contains(results[$0].outcome) }
      results.append(blocked ? ModelResult(outcome: "skipped", requests: 0...0) : settle(id))
    }
    return results
  }

  private mutating func settle(_ id: Int) -> ModelResult {
    let inputs = Dictionary(
      uniqueKeysWithValues: world.targets[id].inputs.map { ($0, runInput($0)) })
    switch ModelRules.verdict(id, in: world, options, inputs: inputs) {
    case .refused: return ModelResult(outcome: "failed", code: "output-modified", requests: 0...0)
    case .fresh(let code):
      adopt(id, code)
      return ModelResult(outcome: "fresh", code: code, requests: 0...0)
    case .stale(let code): return update(id, code)
    case .ask(let condition): return ask(id, condition)
    case .askSidecar: return askSidecar(id)
    case .depends: return ModelResult(outcome: "failed", code: "internal", requests: 0...0)
    }
  }

  private func runInput(_ id: Int) -> ModelRules.Input {
    if options.assumedOld.contains(id) { return .assumedOld }
    return options.assumedNew.contains(id) ? .assumedNew : .content(world.files[id]?.content)
  }

  /// A file that its rule has confirmed is recorded from then on.
  private mutating func adopt(_ id: Int, _ code: String) {
    guard world.records[id] == nil, code != "assumed-fresh" else { return }
    record(id, ModelValidators())
  }

  private mutating func record(_ id: Int, _ validators: ModelValidators) {
    guard let file = world.files[id] else { return }
    let target = world.targets[id]
    let inputs = target.inputs.compactMap { input in
      world.files[input].map { (input, $0.content) }
    }
    world.records[id] = ModelRecord(
      content: file.content, variant: target.variant, inputs: Dictionary(uniqueKeysWithValues: inputs),
      validators: validators, age: .young)
  }

  /// The content whose digest is recorded as that of a download.
  private func recorded(_ id: Int) -> Int? {
    world.records[id].flatMap { $0.isDownloaded ? $0.content : nil }
  }

  private func version(_ id: Int) -> ServedVersion? { world.served[world.targets[id].path] }

  private mutating func get(_ id: Int, _ condition: ModelCondition?) -> ModelTransfer {
    guard let version = version(id) else {
      return ModelTransfer(ending: .failed("http-status"), requests: 1...1, partial: .none)
    }
    let target = world.targets[id]
    var transfer = ModelTransfer.get(
      version, target, condition: condition, recorded: recorded(id), partial: world.partials[id],
      size: size(version.content, target.unpacks))
    if target.isSigned {
      transfer.requests = 2 * transfer.requests.lowerBound...2 * transfer.requests.upperBound
    }
    world.partials[id] = transfer.partial
    return transfer
  }

  private mutating func update(_ id: Int, _ code: String) -> ModelResult {
    let target = world.targets[id]
    if let from = target.from {
      guard let content = world.files[from]?.content else {
        return ModelResult(outcome: "failed", code: "internal", requests: 0...0)
      }
      return place(id, content, ModelValidators(), code, 0...0)
    }
    if options.isOffline { return ModelResult(outcome: "failed", code: "offline", requests: 0...0) }
    let transfer = get(id, nil)
    if target.rule == .sidecar { return endPaired(id, transfer, code, hasSidecar: false) }
    return end(id, transfer, code, transfer.requests)
  }

  private mutating func end(
    _ id: Int, _ transfer: ModelTransfer, _ code: String, _ requests: ClosedRange<Int>
  ) -> ModelResult {
    switch transfer.ending {
    case .failed(let code): return ModelResult(outcome: "failed", code: code, requests: requests)
    case .sameDigest(let validators):
      world.records[id]?.validators = validators
      confirm(id)
      return ModelResult(outcome: "fresh", code: "digest-matches", requests: requests)
    case .confirmed:
      confirm(id)
      return ModelResult(outcome: "fresh", code: "not-modified", requests: requests)
    case .downloaded(let content, let validators):
      let target = world.targets[id]
      if target.rule == .digest, content != target.expected {
        return ModelResult(outcome: "failed", code: "digest-mismatch", requests: requests)
      }
      return place(id, content, validators, code, requests)
    }
  }

  /// The source has the recorded version, or the file of no record.
  private mutating func confirm(_ id: Int) {
    if var record = world.records[id] {
      record.age = .young
      world.records[id] = record
      if world.targets[id].rule.innermost == .mtime, record.isDownloaded, let date = record.validators.date {
        world.files[id]?.time = .date(date)
      }
    } else {
      let reply = version(id).flatMap { $0.manner == .alwaysNotModified ? nil : $0.validators }
      record(id, reply ?? ModelValidators())
    }
  }

  private mutating func place(
    _ id: Int, _ content: Int, _ validators: ModelValidators, _ code: String, _ requests: ClosedRange<Int>
  ) -> ModelResult {
    let old = world.files[id]
    let isUnchanged = old?.content == content
    var time = isUnchanged ? old?.time ?? .recent : .recent
    if world.targets[id].from == nil, world.targets[id].rule.innermost == .mtime, let date = validators.date {
      time = .date(date)
    }
    world.files[id] = ModelFile(content: content, time: time)
    record(id, validators)
    guard world.targets[id].from == nil else {
      return ModelResult(outcome: "updated", code: code, isUnchanged: isUnchanged, requests: requests)
    }
    world.records[id]?.isDownloaded = true
    let hasServerDigest = version(id)?.sentDigest != nil
    world.records[id]?.hasServerDigest = hasServerDigest
    return ModelResult(outcome: "updated", code: code, isUnchanged: isUnchanged, requests: requests)
  }

  private mutating func ask(_ id: Int, _ condition: ModelCondition) -> ModelResult {
    if options.isOffline { return ModelResult(outcome: "failed", code: "offline", requests: 0...0) }
    let transfer = get(id, condition)
    return end(id, transfer, changeCode(world.targets[id].rule), transfer.requests)
  }

  private func changeCode(_ rule: ModelTarget.Rule) -> String {
    rule.innermost == .mtime ? "newer-remote" : "validator-changed"
  }

  private mutating func askSidecar(_ id: Int) -> ModelResult {
    if options.isOffline { return ModelResult(outcome: "failed", code: "offline", requests: 0...0) }
    guard let version = version(id), let file = world.files[id] else {
      return ModelResult(outcome: "failed", code: "internal", requests: 0...0)
    }
    if version.sidecar == file.content {
      if var record = world.records[id] {
        record.age = .young
        world.records[id] = record
      } else {
        record(id, ModelValidators())
      }
      return ModelResult(outcome: "fresh", code: "digest-matches", requests: 1...1)
    }
    return endPaired(id, get(id, nil), "digest-differs", hasSidecar: true)
  }

  /// A download that must match its sidecar; otherwise both are fetched once more.
  private mutating func endPaired(
    _ id: Int, _ transfer: ModelTransfer, _ code: String, hasSidecar: Bool
  ) -> ModelResult {
    guard let version = version(id) else { return end(id, transfer, code, transfer.requests) }
    let (low, high) = (transfer.requests.lowerBound, transfer.requests.upperBound)
    guard case .downloaded(let content, _) = transfer.ending else {
      return end(id, transfer, code, low + (hasSidecar ? 1 : 0)...high + 1)
    }
    guard content != version.sidecar else { return end(id, transfer, code, low + 1...high + 1) }
    let again = get(id, nil)
    world.partials[id] = .unknown
    // A server that has refused `If-Range` does not get it again.
    let spared = version.refusesIfRange ? world.targets[id].isSigned ? 2 : 1 : 0
    let requests = low + 2 + again.requests.lowerBound - spared...high + 2 + again.requests.upperBound
    if case .downloaded = again.ending {
      return ModelResult(outcome: "failed", code: "digest-mismatch", requests: requests)
    }
    return end(id, again, code, requests)
  }

  // MARK: A plan

  /// The actions of a run; the world is unchanged.
  func plan() -> [ModelPlanned] {
    var planned: [ModelPlanned] = []
    for id in world.targets.indices {
      let inputs = Dictionary(
        uniqueKeysWithValues: world.targets[id].inputs.map { ($0, planInput($0, planned[$0])) })
      planned.append(plan(id, inputs))
    }
    return planned
  }

  private func planInput(_ id: Int, _ planned: ModelPlanned) -> ModelRules.Input {
    if options.assumedOld.contains(id) { return .assumedOld }
    if options.assumedNew.contains(id) { return .assumedNew }
    return planned.action == "fresh" ? .content(world.files[id]?.content) : .unknown
  }

  private func plan(_ id: Int, _ inputs: [Int: ModelRules.Input]) -> ModelPlanned {
    switch ModelRules.verdict(id, in: world, options, inputs: inputs) {
    case .refused: return ModelPlanned(action: "error", code: "output-modified")
    case .fresh(let code): return ModelPlanned(action: "fresh", code: code)
    case .stale(let code): return ModelPlanned(action: "update", code: code)
    case .depends(let isRecorded): return ModelPlanned(action: "maybe", isCertain: isRecorded)
    case .ask(let condition): return options.isOffline ? ModelPlanned(action: "maybe") : head(id, condition)
    case .askSidecar:
      if options.isOffline { return ModelPlanned(action: "maybe") }
      return version(id)?.sidecar == world.files[id]?.content
        ? ModelPlanned(action: "fresh", code: "digest-matches")
        : ModelPlanned(action: "update", code: "digest-differs")
    }
  }

  private func head(_ id: Int, _ condition: ModelCondition) -> ModelPlanned {
    guard var version = version(id) else { return ModelPlanned(action: "error", code: "http-status") }
    if case .cut = version.manner {
      version.announced = version.sentDigest
      version.manner = .honest
    }
    let transfer = ModelTransfer.get(
      version, world.targets[id], condition: condition, recorded: recorded(id), partial: .none, size: 1)
    switch transfer.ending {
    case .confirmed: return ModelPlanned(action: "fresh", code: "not-modified")
    case .sameDigest: return ModelPlanned(action: "fresh", code: "digest-matches")
    // A plan sees no body, which may differ from the digest.
    case .downloaded, .failed("digest-mismatch"):
      return ModelPlanned(action: "update", code: changeCode(world.targets[id].rule))
    case .failed(let code): return ModelPlanned(action: "error", code: code)
    }
  }

  // MARK: --touch

  /// Records the present file without validators.
  mutating func touch() {
    for id in world.targets.indices { record(id, ModelValidators()) }
  }
}
