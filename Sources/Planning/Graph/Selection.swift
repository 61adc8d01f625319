package import SyncModel

/// From what a command line asks for to the targets that a run looks at.
package enum Selection {
  /// The named targets, those that are published together with them and, transitively, everything they need, in
  /// ``TargetGraph/order``.
  ///
  /// `names` are targets and groups; none means all targets. `tags` selects those with one of these tags; their
  /// dependencies are included whatever their tags. Dependencies are `needs`, `from`, a `verify` entry, and also
  /// `after`: like an order-only prerequisite of make it is updated first, though its change makes nothing stale.
  package static func resolve(
    names: [String], tags: [String] = [], manifest: Manifest, graph: TargetGraph
  ) throws(UnknownName) -> [TargetID] {
    var asked = try named(names, in: manifest)
    if !tags.isEmpty {
      let standIns = try standIns(for: tags, in: manifest)
      asked = asked.filter { id in
        standIns.contains(id) || manifest[id].tags.contains { tags.contains($0) }
      }
    }
    return closure(of: asked, in: graph)
  }

  /// The targets of `names`, targets and groups, without their dependencies; none means all.
  package static func named(_ names: [String], in manifest: Manifest) throws(UnknownName) -> [TargetID] {
    guard !names.isEmpty else { return manifest.targets.map { $0.id } }
    let known = byName(manifest)
    var asked: [TargetID] = []
    for name in names {
      guard let members = known[name] ?? unlisted(name, manifest).map({ [$0] }) else {
        throw unknown(name, manifest)
      }
      asked += members
    }
    return asked
  }

  /// The error for `name`. With make it would be an output's; that of a folder ends in a slash.
  private static func unknown(_ name: String, _ manifest: Manifest) -> UnknownName {
    if let path = try? RelativePath(name.hasSuffix("/") ? String(name.dropLast()) : name),
      let target = manifest.targets.first(where: { $0.path == path })
    {
      return UnknownName(kind: .target, name: name, nearest: target.name.text, isOutput: true)
    }
    let candidates = manifest.targets.map(\.name.text) + manifest.groups.map(\.name.text)
    return UnknownName(.target, name, among: candidates)
  }

  /// The same without those of names that are not in the manifest.
  package static func known(_ names: [String], in manifest: Manifest) -> [TargetID] {
    let known = byName(manifest)
    return names.flatMap { known[$0] ?? unlisted($0, manifest).map { [$0] } ?? [] }
  }

  private static func byName(_ manifest: Manifest) -> [String: [TargetID]] {
    var known: [String: [TargetID]] = [:]
    for target in manifest.targets { known[target.name.text] = [target.id] }
    // What an entry has had at other outputs goes with it.
    for target in manifest.targets {
      if let main = target.gone?.main { known[main.text, default: []].append(target.id) }
    }
    for group in manifest.groups { known[group.name.text] = group.members }
    return known
  }

  /// The target that stands for a list that cannot be used, if `name` may be that of one of its entries.
  private static func unlisted(_ name: String, _ manifest: Manifest) -> TargetID? {
    manifest.targets.first { standsForList($0) && mayBecome(name, $0.name.text) }?.id
  }

  /// The targets that stand for lists that cannot be used, if entries of these may have those of `tags` that no target
  /// has. A tag of what only a list could tell is known, too, where nothing stands for the list.
  private static func standIns(
    for tags: [String], in manifest: Manifest
  ) throws(UnknownName) -> Set<TargetID> {
    let known = Set(manifest.targets.lazy.flatMap(\.tags))
    let awaited = awaitedTags(in: manifest)
    var found: Set<TargetID> = []
    for tag in tags where !known.contains(tag) {
      let others = manifest.targets.filter { target in
        standsForList(target) && target.tags.contains { mayBecome(tag, $0) }
      }
      guard !others.isEmpty || awaited.contains(where: { $0 == tag || mayBecome(tag, $0) }) else {
        throw UnknownName(.tag, tag, among: manifest.targets.flatMap(\.tags))
      }
      for target in others { found.insert(target.id) }
    }
    return found
  }

  /// The tags as written of templates and targets that are not known without a list.
  private static func awaitedTags(in manifest: Manifest) -> [String] {
    let templates = manifest.templates.filter { if case .expanded = $0.state { false } else { true } }
    return templates.flatMap { $0.settings.tags } + manifest.waiting.flatMap { $0.settings.tags }
  }

  private static func standsForList(_ target: Target) -> Bool {
    if case .unlisted = target.source { true } else { false }
  }

  /// Whether an entry may make `text` of a name or tag as it is `written`.
  private static func mayBecome(_ text: String, _ written: String) -> Bool {
    guard let place = written.firstPlace(of: "${") else { return false }
    return text.hasPrefix(written[..<place.lowerBound])
  }

  /// `asked`, the targets that are published with them and, transitively, everything they need, in
  /// ``TargetGraph/order``.
  package static func closure(of asked: [TargetID], in graph: TargetGraph) -> [TargetID] {
    var isTaken = [Bool](repeating: false, count: graph.order.count)
    var stack: [TargetID] = []
    func take(_ id: TargetID) {
      if !isTaken[id.index] {
        isTaken[id.index] = true
        stack.append(id)
      }
    }
    var isUnitTaken = [Bool](repeating: false, count: graph.units.count)
    func isNew(_ unit: Int) -> Bool {
      defer { isUnitTaken[unit] = true }
      return !isUnitTaken[unit]
    }
    for id in asked { take(id) }
    while let id = stack.popLast() {
      for edge in graph.dependencies(of: id) { take(edge.from) }
      guard let unit = graph.units.unit(of: id), isNew(unit) else { continue }
      for member in graph.units.members(of: unit) { take(member) }
    }
    return graph.order.filter { isTaken[$0.index] }
  }
}

/// A name on the command line that the manifest does not know (exit status 3).
package struct UnknownName: Error, Sendable, Equatable {
  /// The expected kind of the name.
  package enum Kind: Sendable, Equatable {
    /// Neither a target nor a group.
    case target
    /// No target bears this tag.
    case tag
  }

  /// Whether the unknown name is a target's or a tag.
  package var kind: Kind
  /// As the command line has it.
  package var name: String
  /// The probable name; `nil` if none is near.
  package var nearest: String?
  /// Whether ``name`` is the output of the target ``nearest``.
  package var isOutput: Bool

  /// `nearest` is a name that the manifest has, or `nil`.
  package init(kind: Kind, name: String, nearest: String?, isOutput: Bool = false) {
    self.kind = kind
    self.name = name
    self.nearest = nearest
    self.isOutput = isOutput
  }

  fileprivate init(_ kind: Kind, _ name: String, among known: [String]) {
    self.init(kind: kind, name: name, nearest: NearestName.find(name, among: known))
  }
}
