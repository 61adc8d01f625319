package import SyncModel

/// The next lock, out of the one before and what a run found.
package enum LockRenewal {
  /// The pin for the result of `target` in a run; `nil` if too little is known of its bytes.
  ///
  /// Without a transforming step, the output has the download's bytes.
  package static func pin(
    _ target: Target, in manifest: Manifest, download: ContentIdentity?, output: ContentIdentity,
    validators found: Validators?
  ) -> Pin? {
    guard var made = Pin.Content(output) else { return nil }
    // What a mirror of the user's own configuration sends says nothing to others, who do not ask it.
    let validators = found.flatMap { $0.isOfMirror ? nil : $0 }
    made.isTree = target.output.isFolder
    let source = source(of: target, in: manifest)
    let steps = Definition.transformingSteps(of: target, in: manifest)
    let lockedSteps = steps.allSatisfy(isPrintable) ? steps : []
    guard case .urls = source else {
      var pin = Pin(source: source, download: nil, output: made)
      pin.steps = lockedSteps
      return pin
    }
    let known = download.flatMap { Pin.Content($0) }
    guard let came = known ?? (target.steps.contains(where: \.transforms) ? nil : made) else { return nil }
    var pin = Pin(
      source: source, download: came, output: made,
      etag: validators?.etag.flatMap { lockable($0.text, in: manifest) }.map { EntityTag($0) },
      lastModified: validators?.lastModified.flatMap { lockable($0, in: manifest) })
    pin.steps = lockedSteps
    pin.entry = manifest.pinnedEntry(of: target)?.masked(by: manifest.secrets)
    return pin
  }

  /// `text` with secrets masked; `nil` if it has control characters, which a lock must not have.
  private static func lockable(_ text: String, in manifest: Manifest) -> String? {
    isPrintable(text) ? manifest.secrets.mask(text) : nil
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// The source of a target's bytes, in the lock's notation.
  package static func source(of target: Target, in manifest: Manifest) -> Pin.Source {
    switch target.source {
    case .unlisted, .gone: .urls([])
    case .entry(let entry): .urls(entry.urls.map { ByteString(manifest.secrets.mask($0.shown)) })
    case .urls(let urls): .urls(urls.map { ByteString(manifest.secrets.mask($0.shown)) })
    case .target(let id): .target(manifest[id].name)
    }
  }

  /// `ids`, and every target that is made `from` one of them, also indirectly: its pin cannot stay if theirs
  /// changes.
  package static func withDerived(_ ids: Set<TargetID>, in graph: TargetGraph) -> Set<TargetID> {
    var all = ids
    for id in graph.order
    where graph.dependencies(of: id).contains(where: { $0.kind == .from && all.contains($0.from) }) {
      all.insert(id)
    }
    return all
  }

  /// The templates whose lists are declared with another value than the locked one: these are other lists now, of which
  /// nothing is locked.
  package static func relisted(since lock: LockFile?, in manifest: Manifest) -> Set<String> {
    let moved = manifest.values.filter { value in
      lock?.value(named: value.name).map { $0.text != value.text } ?? false
    }.map(\.name)
    return Set(
      manifest.templates.filter { $0.listValues.contains(where: moved.contains) }.map(\.list.template))
  }

  /// The targets of these templates, with what has left their lists and what stands for lists that cannot be used.
  package static func targets(of templates: Set<String>, in manifest: Manifest) -> Set<TargetID> {
    guard !templates.isEmpty else { return [] }
    let listed = manifest.templates.filter { templates.contains($0.list.template) }.flatMap(\.targets)
    let others = manifest.targets.filter { target in
      switch target.source {
      case .gone(let gone): templates.contains(gone.template)
      case .unlisted: templates.contains(target.name.text)
      default: false
      }
    }
    return Set(listed + others.map(\.id))
  }

  /// The lock that follows `old`: a pin for every target that `found` has one of, else the old one.
  ///
  /// `isWhole`: all targets were brought up to date; otherwise a list of which nothing is there may have entries that were
  /// not chosen. It also decides which pins without a target stay: ``UnknownEntries``.
  package static func lock(
    after old: LockFile?, found: [TargetName: Pin], in manifest: Manifest, isWhole: Bool
  ) -> LockFile {
    var lock = LockFile()
    lock.pins.reserveCapacity(manifest.targets.count)
    for target in manifest.present {
      lock.pins[target.name] = found[target.name] ?? old?.pins[target.name]
    }
    for value in manifest.values where lock.pins[value.target] != nil {
      // A value with a secret in it is not locked.
      guard let text = value.text ?? old?.text(of: value), manifest.secrets.mask(text) == text else {
        continue
      }
      lock.values[value.target, default: [:]][value.name] = LockedValue(part: value.pick.text, text: text)
    }
    let relisted = relisted(since: old, in: manifest)
    for template in manifest.templates {
      guard case .expanded(_, let entries) = template.state, entries.isEmpty else { continue }
      let name = template.list.template
      if isWhole || relisted.contains(name) || old?.emptyLists.contains(name) == true {
        lock.emptyLists.insert(name)
      }
    }
    guard let old else { return lock }
    let unknown = UnknownEntries(in: manifest, isWhole: isWhole)
    lock.emptyLists.formUnion(old.emptyLists.filter { unknown.stay(ofList: $0) })
    for (name, pin) in old.pins where lock.pins[name] == nil && unknown.stay(ofList: pin.entry?.template) {
      lock.pins[name] = pin
    }
    guard !isWhole else { return lock }
    // A variable that is of another output now has its value there.
    let taken = Set(lock.values.values.flatMap(\.keys))
    for (name, values) in old.values where found[name] == nil && lock.pins[name] != nil {
      let others = values.filter { !taken.contains($0.key) }
      if !others.isEmpty { lock.values[name, default: [:]].merge(others) { now, _ in now } }
    }
    return lock
  }

  /// The differences, by name.
  package static func changes(from old: LockFile?, to new: LockFile) -> [PinChange] {
    let before = old?.pins ?? [:]
    return Set(before.keys).union(new.pins.keys).sorted().compactMap { name in
      let (was, now) = (before[name], new.pins[name])
      guard was != now else { return nil }
      return PinChange(name: name, kind: kind(was, now), was: was, now: now)
    }
  }

  /// The values that are others, by the names of their variables.
  package static func valueChanges(from old: LockFile?, to new: LockFile) -> [ValueChange] {
    var changes: [ValueChange] = []
    for values in new.values.values {
      for (name, now) in values {
        guard let was = old?.value(named: name), was.text != now.text else { continue }
        changes.append(ValueChange(name: name, was: was.text, now: now.text))
      }
    }
    return changes.sorted { $0.name < $1.name }
  }

  private static func kind(_ was: Pin?, _ now: Pin?) -> PinChange.Kind {
    guard let was else { return .added }
    guard let now else { return .removed }
    // A target that is made `from` another one has no download.
    let isSameDownload = was.download == now.download || was.download == nil || now.download == nil
    return was.output == now.output && isSameDownload ? .renewed : .moved
  }
}

/// Which entries of a lock stay although no target of the manifest has them.
struct UnknownEntries {
  private let isWhole: Bool
  /// By the names of the manifest's lists, whether all their entries are known.
  private var lists: [String: Bool] = [:]

  /// `isWhole`: whether it is the lock of all targets. One of named targets leaves all others alone, also those that the
  /// manifest no longer has.
  init(in manifest: Manifest, isWhole: Bool) {
    self.isWhole = isWhole
    for template in manifest.templates {
      let isRead = if case .expanded = template.state { true } else { false }
      lists[template.list.template] = isRead
    }
  }

  /// Whether those stay that are of the list with this name, or with `nil` of none.
  func stay(ofList name: String?) -> Bool {
    guard let name, let isRead = lists[name] else { return !isWhole }
    // What is locked of a list that could not be read is as good as before.
    return !isRead
  }
}
