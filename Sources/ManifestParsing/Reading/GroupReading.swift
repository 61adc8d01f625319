import SyncModel

/// A group whose members are names and not yet flattened.
struct GroupDraft {
  var name: String
  var key: NodeID
  var members: [Member] = []
  var isTogether = false
  /// A template that has no targets, of which a member may be one.
  var awaited: String?
  /// The members that are not there, with their templates and places.
  var missing: [(name: String, template: String, place: NodeID)] = []
  /// See ``TargetGroup/awaited``.
  var awaitedNames: [String] = []

  enum Member {
    case target(TargetID)
    case group(Int, place: NodeID)
  }
}

extension ManifestReader {
  /// How many members all groups may have together, flattened.
  private static let memberBudget = 10_000_000

  /// Names every group, then reads their members.
  func declareGroups(_ id: NodeID) -> [GroupDraft] {
    guard let entries = entries(of: id, Want("groups", "a mapping from name to a list of targets")) else {
      return []
    }
    var groups: [GroupDraft] = []
    var values: [NodeID] = []
    var nameless: [MappingEntry] = []
    for entry in entries {
      guard let name = checkedName(entry.key, .none) else {
        nameless.append(entry)
        continue
      }
      switch claim(name, as: ~groupNames.count) {
      case .target(let id) where refuseName(ofListed: id): continue
      case .target(let id):
        let place = shown(keySpan(of: id.index), from: span(entry.key))
        error(
          "\(quoted(name)) names a target and a group", at: entry.key, hint: "the target is \(place)")
        nameless.append(entry)
        continue
      case .group(let index):
        let own = index - first.group
        let place = own >= 0 ? span(groups[own].key) : earlierGroups[index].span
        error(
          "duplicate group name \(quoted(name))", at: entry.key,
          hint: "already defined \(shown(place, from: span(entry.key)))")
        nameless.append(entry)
        continue
      case nil: break
      }
      groupNames.append(name)
      groups.append(GroupDraft(name: name, key: entry.key))
      values.append(entry.value)
    }
    for index in groups.indices { read(values[index], &groups[index]) }
    // Their members' problems are reported, too.
    for entry in nameless + entries.duplicates {
      var group = GroupDraft(name: document.text(of: entry.key), key: entry.key)
      read(entry.value, &group)
    }
    return groups
  }

  private enum GroupKey: String, CaseIterable {
    case targets, together
  }

  /// Reads a list of members, or a mapping that has one.
  private func read(_ id: NodeID, _ group: inout GroupDraft) {
    guard document[id].kind == .mapping else {
      group.members = members(id, &group)
      return noteMissing(group)
    }
    let owner = "the group \"\(group.name)\""
    guard let entries = entries(of: id, Want(owner, "a mapping")) else { return }
    let fields = fields(
      entries, GroupKey.self, of: owner, fits: { ($0 == .targets) == ($1 == .sequence) })
    if let entry = fields[.targets] {
      group.members = members(entry.value, &group)
    } else {
      requireKey("targets", in: fields, at: group.key, hint: "write {targets: [NAME], together: true}")
    }
    guard let entry = fields[.together] else { return noteMissing(group) }
    group.isTogether = boolean(entry.value, Want("together", "true or false"), .none) ?? false
    if !group.isTogether { noteMissing(group) }
  }

  /// Notes the members that are not there; a group that is published together cannot be without them.
  private func noteMissing(_ group: GroupDraft) {
    for (name, template, place) in group.missing {
      _ = lists.notesAbsence(name, of: template, at: span(place))
    }
  }

  private func members(_ id: NodeID, _ group: inout GroupDraft) -> [GroupDraft.Member] {
    let want = Want("the group \"\(group.name)\"", "a list of targets and groups")
    guard let items = items(id, want) else { return [] }
    var awaited: String?
    defer { group.awaited = awaited }
    return items.flatMap { item -> [GroupDraft.Member] in
      guard let name = text(item, want) else { return [] }
      switch mentioned(name) {
      case .target(let id): return [.target(id)]
      case .group(let index) where index < first.group:
        let other = earlierGroups[index]
        group.awaitedNames += other.awaited
        awaited = awaited ?? other.awaited.first.map { lists.excluded.targets[$0] ?? $0 }
        return other.members.map { .target($0) }
      case .group(let index): return [.group(index - first.group, place: item)]
      case nil:
        guard !isLost(name) else { return [] }
        if mayWait, let (template, full) = awaitedTemplate(name) {
          group.missing.append((full, template, item))
          awaited = template
          let isWaiting = lists.excluded.targets[full] != nil
          group.awaitedNames.append(isWaiting ? full : template)
          return []
        }
        let groups = groupNames.indices.compactMap { mention(groupNames[$0], .group($0)) }
        error(
          "unknown target or group \(quoted(name))", at: item,
          hint: nameHint(name, among: targetNames + groups))
        return []
      }
    }
  }

  /// Every group's targets, those of inner groups in their place; a cycle is an error.
  func flatten(_ groups: [GroupDraft]) -> [TargetGroup] {
    guard !groups.isEmpty, let order = innerFirst(groups) else { return [] }
    var flat = [[TargetID]](repeating: [], count: groups.count)
    var stamp = [Int](repeating: -1, count: drafts.count)
    var total = 0
    noteWaitingUnits(groups, order)
    var awaited = groups.map(\.awaitedNames)
    for index in order {
      for member in groups[index].members {
        let targets =
          switch member {
          case .target(let id): [id]
          case .group(let inner, _): flat[inner]
          }
        if case .group(let inner, _) = member { awaited[index] += awaited[inner] }
        for id in targets where stamp[id.index] != index {
          stamp[id.index] = index
          flat[index].append(id)
        }
        total += targets.count
        guard total <= Self.memberBudget else {
          error("nested groups expand to too many targets", at: groups[index].key)
          return []
        }
      }
    }
    return groups.indices.map { index in
      var group = TargetGroup(
        name: TargetName(groups[index].name), members: flat[index], isTogether: groups[index].isTogether,
        span: span(groups[index].key))
      group.awaited = awaited[index]
      return group
    }
  }

  /// Notes the groups that are published together and whose members are not all known.
  private func noteWaitingUnits(_ groups: [GroupDraft], _ order: [Int]) {
    guard mayWait else { return }
    var awaited = groups.map(\.awaited)
    for index in order {
      for case .group(let inner, _) in groups[index].members {
        awaited[index] = awaited[index] ?? awaited[inner]
      }
      guard groups[index].isTogether, let template = awaited[index] else { continue }
      lists.waitingUnits.append((first.group + index, template))
      for (name, template, _) in groups[index].missing { lists.notesNeed(name, of: template) }
    }
  }

  /// The groups, each after those it names; `nil` after a cycle.
  private func innerFirst(_ groups: [GroupDraft]) -> [Int]? {
    var order: [Int] = []
    let finder = CycleFinder(count: groups.count) { index in
      groups[index].members.compactMap { if case .group(let inner, _) = $0 { inner } else { nil } }
    }
    let cycles = finder.cycles(order: &order)
    for cycle in cycles {
      let names = (cycle + [cycle[0]]).map { groups[$0].name }.joined(separator: " -> ")
      error("groups in a cycle: \(names)", at: groups[cycle[0]].key)
    }
    return cycles.isEmpty ? order : nil
  }
}
