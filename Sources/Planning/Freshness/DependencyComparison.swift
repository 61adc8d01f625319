import SyncModel

/// The content of a target's dependencies, compared with the recorded content: line 6 of the table in the contract,
/// section 3.
struct DependencyComparison {
  /// In the order of the dependencies; empty if none is known to differ.
  private(set) var changes: [DependencyChange] = []
  /// Dependencies that would be updated first, so that their content is unknown; each once.
  private(set) var open: [TargetName] = []
  /// The entries of `verify` that would be read from one of ``open``.
  private var openEntries: Set<ByteString> = []

  /// Without a record nothing can differ, except by `-W`.
  init(_ dependencies: [DependencyState], with record: TargetRecord?, of target: Target) {
    guard !dependencies.isEmpty else { return }
    var recorded: [Input: [HexDigest]] = [:]
    for input in record?.inputs ?? [] {
      recorded[Input(input.kind, input.name, input.entry), default: []].append(input.digest)
    }
    var seen: Set<TargetName> = []
    for dependency in dependencies where dependency.kind != .after {
      let input = Input(dependency.kind, dependency.name, dependency.entry)
      let was = recorded[input] ?? []
      switch dependency.content {
      case .takenAsUnchanged: break
      case .takenAsChanged: note(dependency, was: was.first, now: nil)
      case .wouldChange:
        if seen.insert(dependency.name).inserted { open.append(dependency.name) }
        if let entry = dependency.entry { openEntries.insert(ByteString(entry)) }
      case .settled(let now):
        guard record != nil, !was.contains(now) else { break }
        // An entry that only the freshness rule names, new in the manifest, is for the rule to compare.
        if was.isEmpty, dependency.kind == .verify, !Self.stepReads(dependency.entry, in: target) { break }
        // One entry may be read in two algorithms: compare with that of the same length.
        note(dependency, was: was.first { $0.text.utf8.count == now.text.utf8.count } ?? was.first, now: now)
      }
    }
  }

  /// Whether `verdict`, found without the open dependencies, must wait for them.
  ///
  /// Stale stays stale whatever they become; so does a fact still to be learnt, unless one of them gives it.
  func leaveOpen(_ verdict: Verdict) -> Bool {
    guard !open.isEmpty else { return false }
    return switch verdict {
    case .fresh: true
    case .undecided(.expectedDigest(_, .entry(_, let name))): openEntries.contains(name)
    default: false
    }
  }

  private mutating func note(_ dependency: DependencyState, was: HexDigest?, now: HexDigest?) {
    changes.append(DependencyChange(kind: dependency.kind, name: dependency.name, was: was, now: now))
  }

  private static func stepReads(_ entry: String?, in target: Target) -> Bool {
    target.steps.contains {
      if case .verifyDigest(_, .entry(_, let name)) = $0 { return entry.map { ByteString($0) } == name }
      return false
    }
  }

  /// Distinguishes the inputs of a target.
  private struct Input: Hashable {
    var kind: DependencyKind
    var name: TargetName
    var entry: ByteString?

    init(_ kind: DependencyKind, _ name: TargetName, _ entry: String?) {
      self.kind = kind
      self.name = name
      self.entry = entry.map { ByteString($0) }
    }
  }
}
