import SyncModel

extension ManifestReader {
  /// Reads one key that `defaults` may have, too; after an error `settings` is unchanged.
  func apply(_ key: TargetKey, _ id: NodeID, _ scope: Scope, to settings: inout ReadSettings) {
    switch key {
    case .freshness:
      settings.freshnessReferences = []
      if let rule = freshness(id, scope, references: &settings.freshnessReferences) {
        settings.values.freshness = rule
      }
    case .steps:
      settings.stepNotes = StepNotes()
      let steps = steps(id, scope, &settings.stepNotes)
      settings.stepNotes.areUnreadable = steps == nil
      if let steps { settings.values.steps = steps }
    case .headers: if let headers = headers(id, scope) { settings.values.headers = headers }
    case .auth: if let auth = authentication(id, scope) { settings.values.authentication = auth }
    case .retries:
      let want = Want("retries", "a whole number such as 4")
      if let number = integer(id, want, in: 0...1_000_000, scope) { settings.values.retries = Int(number) }
    case .timeout: if let timeouts = timeouts(id, scope) { settings.values.timeouts = timeouts }
    case .maxSize: if let size = maximumSize(id, scope) { settings.values.maxSize = size }
    case .mode: if let mode = mode(id, scope) { settings.values.mode = mode }
    case .localChanges:
      if let word = word(id, key.rawValue, LocalChanges.self, scope) { settings.values.localChanges = word }
    case .unprovenLength:
      if let word = word(id, key.rawValue, UnprovenLength.self, scope) {
        settings.values.unprovenLength = word
      }
    case .serverDigest:
      if let word = word(id, key.rawValue, ServerDigestUse.self, scope) {
        settings.values.serverDigest = word
      }
    case .cache:
      if let word = word(id, key.rawValue, CacheUse.self, scope) { settings.values.cache = word }
    case .optional:
      if let flag = boolean(id, Want("optional", "true or false"), scope) {
        settings.values.isOptional = flag
      }
    case .description:
      if let text = text(id, Want("description", "text"), scope) { settings.values.summary = text }
    case .tags:
      if let tags = withoutValues("\"tags\"", { self.tags(id, scope) }) { settings.values.tags = tags }
    case .url, .from, .output, .needs, .after, .matrix, .list: break
    }
  }

  private func tags(_ id: NodeID, _ scope: Scope) -> [String]? {
    let want = Want("tags", "a list of words")
    guard let items = items(id, want) else { return nil }
    var tags: [String] = []
    var seen: Set<String> = []
    for item in items {
      guard let tag = line(item, want, scope) ?? tagOfEntries(item, scope) else { continue }
      if seen.insert(tag).inserted { tags.append(tag) }
    }
    return tags
  }

  /// A tag that an entry makes, as it is written: more is not known of it in a template itself.
  private func tagOfEntries(_ id: NodeID, _ scope: Scope) -> String? {
    guard scope.entry != nil, !scope.isListed, document[id].kind == .scalar else { return nil }
    let text = document.text(of: id)
    return hasEntry(text) ? text : nil
  }

  enum TimeoutKey: String, CaseIterable { case connect, stall, total }

  private func timeouts(_ id: NodeID, _ scope: Scope) -> Timeouts? {
    let want = Want(
      "timeout", "a mapping with \"connect\", \"stall\" or \"total\"", hint: "write {total: 30s}")
    guard let entries = entries(of: id, want) else { return nil }
    let fields = fields(entries, TimeoutKey.self, of: "\"timeout\"")
    var timeouts = Timeouts()
    for key in fields.order {
      guard let entry = fields[key],
        let limit = duration(entry.value, key.rawValue, scope, isPositive: true)
      else { continue }
      guard limit > .zero else {
        error(
          "\"\(key.rawValue)\" must be greater than 0", at: entry.value,
          hint: key == .total ? "omit it for no limit" : nil)
        continue
      }
      switch key {
      case .connect: timeouts.connect = limit
      case .stall: timeouts.stall = limit
      case .total: timeouts.total = limit
      }
    }
    return timeouts
  }

  /// A duration, or `nil` after an error.
  func duration(_ id: NodeID, _ key: String, _ scope: Scope, isPositive: Bool = false) -> Duration? {
    let want = Want(key, "a duration such as 500ms, 30s, 12h or 1h30m", isPositive: isPositive)
    guard let text = text(id, want, scope) else { return nil }
    do throws(UnitFault) {
      return try DurationText.parse(text)
    } catch {
      report(error, text, at: id, want, units: DurationText.unitNames, example: "s")
      return nil
    }
  }

  private func maximumSize(_ id: NodeID, _ scope: Scope) -> Int64? {
    let want = Want("max_size", "a size such as 500MB or 2GiB", isPositive: true)
    guard let size = size(id, want, example: "MB", scope) else { return nil }
    if size > 0 { return size }
    error("\"max_size\" must be greater than 0", at: id, hint: "omit it for no limit")
    return nil
  }

  /// A number of bytes with its unit, of which `example` is one.
  func size(_ id: NodeID, _ want: Want, example: String, _ scope: Scope) -> Int64? {
    text(id, want, scope).flatMap { size($0, at: id, want, example: example) }
  }

  /// The same of a text that is known.
  func size(_ text: String, at id: NodeID, _ want: Want, example: String) -> Int64? {
    do throws(UnitFault) {
      return try SizeText.parse(text)
    } catch {
      report(error, text, at: id, want, units: SizeText.unitNames, example: example)
      return nil
    }
  }

  func report(
    _ fault: UnitFault, _ text: String, at id: NodeID, _ want: Want, units: [String], example: String
  ) {
    switch fault {
    case .noUnit:
      let units = "the units are \(Quoting.list(units, "and"))"
      // With a unit it would be refused, too.
      let isHopeless = want.isPositive && text.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
      error(
        "\(want.shown) needs a unit after \(quoted(text))", at: id,
        hint: isHopeless ? units : "write \"\(text)\(example)\"; \(units)")
    case .unknownUnit(let unit):
      // A unit that is only similar, such as B to TB, is not suggested.
      let meant = units.first { $0.lowercased() == unit.lowercased() }
      error(
        "unknown unit \(quoted(unit)) in \(want.shown)", at: id,
        hint: meant.map { "did you mean \"\($0)\"?" } ?? "the units are \(Quoting.list(units, "and"))")
    case .tooLarge: error("\(quoted(text)) is too large for \(want.shown)", at: id)
    case .unreadable: unwanted(text, at: id, want)
    }
  }

  private func mode(_ id: NodeID, _ scope: Scope) -> UInt16? {
    let want = Want("mode", "an octal file mode such as \"0644\"")
    guard let text = text(id, want, scope) else { return nil }
    guard let mode = ModeText.parse(text) else {
      unwanted(text, at: id, want)
      return nil
    }
    return mode
  }
}
