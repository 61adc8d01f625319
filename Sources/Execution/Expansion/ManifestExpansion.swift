import Planning
package import SyncModel

/// Whose entries become targets, the lists' or the lock's.
package enum LockedLists: Sendable {
  /// Those that the lists have now: no lock is there.
  case asked
  /// Those of the lock; lists of which it has none are asked.
  case locked(LockFile)
  /// The same, and all lists are asked what has moved.
  case compared(LockFile)
  /// Those that the lists have now, instead of those of the lock.
  case renewed(LockFile)

  /// `nil` if there is none.
  fileprivate var lock: LockFile? {
    switch self {
    case .asked: nil
    case .locked(let lock), .compared(let lock), .renewed(let lock): lock
    }
  }
}

/// How the lists of a manifest are read.
package struct ListOrder {
  /// With ``RunQuestions/isOffline`` the stored lists are used.
  package var settings: RunSettings
  /// Whether what was read is stored for the next run, as a run does it; a plan writes nothing.
  package var keeps: Bool
  /// What a lock has a say in.
  package var locked: LockedLists
  /// What the run has asked already.
  package var early: AskedLists?
  /// Hears of the requests; see ``ListAsking``.
  package var report: (RunEvent) -> Void = { _ in }
  /// Whether a list that has lost many entries may remove their outputs (`--allow-removals`).
  package var allowsRemovals = false
  /// Whether a list that cannot be used becomes a target that fails.
  var tellsFailures = true
  /// With ``LockedLists/renewed(_:)``: chooses the targets that are renewed, of a manifest that has the entries of
  /// lists and lock; all others stay as locked. `nil` renews all.
  package var renewing: ((Manifest) throws -> Set<TargetID>)?
  /// The targets and groups that the caller names. With ``LockedLists/locked(_:)``, one that nobody knows may be an entry
  /// that has left its list: then the stored lists tell, since those of a lock are not asked.
  package var names: [String] = []

  /// Whether the lists are those that a run would read now: by a lock or the stored lists it removes nothing.
  var mayRemove: Bool {
    if case .compared = locked { return false }
    return !settings.questions.isOffline
  }

  /// Whether one of ``names`` is none of `manifest`.
  func hasUnknownName(in manifest: Manifest) -> Bool {
    !names.isEmpty && (try? Selection.named(names, in: manifest)) == nil
  }

  /// The same lists as they are stored, for what has left those of `lock`.
  func byStored(_ lock: LockFile) -> ListOrder {
    var stored = self
    stored.settings.questions.isOffline = true
    stored.early = nil
    (stored.keeps, stored.locked) = (false, .compared(lock))
    return stored
  }

  var asking: ListAsking.Order {
    ListAsking.Order(settings: settings, keeps: keeps, early: early, report: report)
  }

  /// `locked` is ``LockedLists/asked`` without a lock.
  package init(settings: RunSettings, keeps: Bool, locked: LockedLists) {
    self.settings = settings
    self.keeps = keeps
    self.locked = locked
  }
}

/// Makes targets of what lists name, before the graph is built; nothing is dynamic after it (contract, section 11).
package enum ManifestExpansion {
  /// The manifest with a target for each selected entry of its lists; itself if it has none.
  ///
  /// What becomes of a list that cannot be used is in the manifest too: a target with the template's name, which fails.
  /// Throws `RunFault.interrupted` after `stop`, and what ``ListOrder/renewing`` throws.
  package static func perform(
    on opened: OpenedManifest, _ order: ListOrder, stop: StopSignal
  ) throws -> OpenedManifest {
    guard let first = opened.workspace, !first.manifest.templates.isEmpty else {
      var opened = opened
      opened.workspace?.addWaitingForValues()
      opened.rest(on: nil)
      return opened
    }
    let locked = order.locked.lock?.listed ?? ListedEntries()
    let lists = try ListReadings(first, order, locked, stop)
    var (known, ofLock) = (lists.entries, ListedEntries())
    switch order.locked {
    case .asked: break
    case .locked, .compared:
      ofLock = locked
      known.byTemplate.merge(locked.byTemplate) { _, locked in locked }
    case .renewed(let lock):
      guard let renewing = order.renewing else { break }
      let relisted = LockRenewal.relisted(since: lock, in: first.manifest)
      let kept = ListedEntries(locked.byTemplate.filter { !relisted.contains($0.key) })
      known = try lists.renewed(opened, kept) { manifest in
        try renewing(manifest).union(LockRenewal.targets(of: relisted, in: manifest))
      }
    }
    var expanded = opened.expanded(by: known)
    if order.tellsFailures { expanded.warnOfEmptySelections(lists) }
    if let asked = lists.asked { expanded.workspace?.keep(asked) }
    expanded.workspace?.note(lists.works)
    expanded.workspace?.addGone(lists, order)
    if case .locked(let lock) = order.locked, let manifest = expanded.workspace?.manifest,
      order.hasUnknownName(in: manifest)
    {
      let stored = order.byStored(lock)
      expanded.workspace?.addGone(try ListReadings(first, stored, locked, stop), stored)
    }
    if order.tellsFailures {
      expanded.workspace?.add(lists.failures.filter { known.byTemplate[$0.key] == nil }, locked: ofLock)
    } else {
      expanded.workspace?.addWaitingForValues()
    }
    expanded.workspace?.compare(lists.entries, with: locked)
    if case .asked = order.locked, let asked = lists.asked { expanded.rest(on: asked) }
    return expanded
  }

  /// The same by the lock alone; a list of which it has no entry has no targets.
  package static func performByLock(on opened: OpenedManifest, _ lock: LockFile) -> OpenedManifest {
    var opened = opened
    for value in opened.workspace?.manifest.values ?? [] {
      opened.values.known.texts[value.name] = lock.text(of: value)
    }
    return opened.expanded(by: lock.listed)
  }

  /// The same by the lock and the stored lists, for commands that ask nobody; a list that is not known has no targets.
  ///
  /// Values of outputs are those of the lock and of the present outputs.
  package static func performByStored(
    on opened: OpenedManifest, lock: LockFile?, allowsRemovals: Bool = false
  ) throws -> OpenedManifest {
    var values = ValueOrder(.present)
    values.lock = lock
    values.freesLocked = false
    let opened = try ValueExpansion.perform(on: opened, values, stop: StopSignal()).opened
    var settings = RunSettings()
    settings.questions.isOffline = true
    var order = ListOrder(settings: settings, keeps: false, locked: lock.map { .compared($0) } ?? .asked)
    order.tellsFailures = false
    order.allowsRemovals = allowsRemovals
    return try perform(on: opened, order, stop: StopSignal())
  }
}

extension OpenedManifest {
  /// Warns of each list of whose entries none is selected: that is rarely meant, and nothing else shows it.
  fileprivate mutating func warnOfEmptySelections(_ lists: ListReadings) {
    for template in workspace?.manifest.templates ?? [] {
      let list = template.list
      guard let entries = lists.answers[list.template], let first = entries.first,
        lists.entries.byTemplate[list.template]?.isEmpty == true, case .expanded = template.state,
        let manifest = workspace?.manifest
      else { continue }
      let count =
        entries.count == 1 ? "the list's only entry is not" : "none of the list's \(entries.count) entries is"
      let key = manifest.secrets.mask(first.key).unicodeScalars
      let name = String(key.prefix(100)) + (key.count > 100 ? "…" : "")
      let mayBeEarly = list.format == .github && !list.rules.prerelease
      diagnostics.append(
        Diagnostic(
          severity: .warning, file: manifest.fileName(at: list.span), span: list.span,
          message: manifest.secrets.mask("\(list.template): \(count) selected, such as \(name)"),
          hint: (mayBeEarly ? "`prerelease: true` takes pre-releases, too; " : "")
            + "`include` and `exclude` are patterns as in .gitignore, on the key; `match` is one on the name")
      )
    }
  }
}
