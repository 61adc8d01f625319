import SyncTestSupport

extension ModelWorld {
  /// A manifest of one to four targets, the server's files for them, and no output yet.
  static func random(_ random: inout SeededGenerator) -> ModelWorld {
    var targets: [ModelTarget] = []
    var served: [String: ServedVersion] = [:]
    for number in 0..<1 + random.below(4) {
      let target = ModelTarget.random(number, &random)
      targets.append(target)
      guard target.from == nil else { continue }
      for variant in 0...1 {
        let content = random.below(ModelContents.served)
        served["/\(target.name).\(variant)"] = ServedVersion(
          content: content, serial: 1 + variant, tag: random.pick([.strong, .strong, .weak, .none]),
          hasDate: target.rule.innermost == .mtime || !random.oneIn(3), refusesIfRange: random.oneIn(4),
          sidecar: content, announced: announced(of: content, &random))
      }
    }
    let nothing = Array(repeating: 0, count: targets.count)
    return ModelWorld(
      targets: targets, served: served, files: nothing.map { _ in nil }, records: nothing.map { _ in nil },
      partials: nothing.map { _ in .none })
  }
}

extension ModelWorld {
  /// The digest that a server sends of `content`: mostly none, sometimes that of another file.
  static func announced(of content: Int, _ random: inout SeededGenerator) -> Int? {
    switch random.below(12) {
    case 0, 1, 2, 3: content
    case 4: random.below(ModelContents.served)
    default: nil
    }
  }
}

extension ModelTarget {
  /// Inputs are among those with smaller numbers.
  static func random(_ number: Int, _ random: inout SeededGenerator) -> ModelTarget {
    let rules: [ModelTarget.Rule] = [
      .etag, .etag, .mtime, .once, .always, .digest, .sidecar, .interval(.etag), .interval(.mtime),
      .interval(.always),
    ]
    let from = number > 0 && random.oneIn(4) ? random.below(number) : nil
    let rule = random.pick(rules)
    let needs = (0..<number).filter { $0 != from && random.oneIn(3) }
    let mayUnpack = from == nil && rule != .digest && rule != .sidecar
    return ModelTarget(
      name: "t\(number)", from: from, rule: from == nil ? rule : .once, needs: needs,
      localChanges: random.pick([.refuse, .refuse, .overwrite, .keep]), retries: random.below(3),
      isSigned: from == nil && random.oneIn(3), unpacks: mayUnpack && random.oneIn(4),
      expected: random.below(ModelContents.served))
  }
}
