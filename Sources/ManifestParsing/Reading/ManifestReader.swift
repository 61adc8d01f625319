import SyncModel

/// Turns one document into a manifest; lives as long as one parse.
///
/// Readers of single values return `nil` after they have put the problem into ``log``; they never
/// stop the others, so that one run shows every problem.
final class ManifestReader {
  private(set) var document: YAMLDocument
  let context: ManifestContext
  var log: DiagnosticLog
  var variables: Variables
  var nearest = NearestNameFinder()
  var reserved: ReservedPaths
  /// Targets, in the order of their ids.
  var drafts: [TargetDraft] = []
  /// An error in a target's name or matrix invalidates it, but its other problems are still reported.
  var lostDrafts: [TargetDraft] = []
  var templates: [TargetTemplate] = []
  /// The known keys and values of ``templates``, one after another.
  var targetEntries: [Fields<TargetKey>.Entry] = []
  var defaults = TargetDefaults()
  /// The shared name space: a target's number, or the bitwise complement of an index of ``groupNames``.
  var names = TextIndex()
  /// Targets as candidates for a misspelt name; valid after all targets are declared.
  private(set) lazy var targetNames = drafts.indices.filter { named(drafts[$0].name)?.isTarget($0) ?? false }
    .map { drafts[$0].name }
  /// In the order in which they were declared.
  var groupNames: [String] = []
  /// Beginnings of names that could not be made; what begins so is not called unknown.
  var lostNamePrefixes: [String] = []
  var lists = ListDrafts()
  var tables: [RowTable] = []
  /// The settings of all targets of one list or row file; no value if they differ.
  var sameSettings: (owner: AnyObject, value: SharedSettings?)?
  /// The texts that are expanded for each entry of a list, taken apart.
  var parsed: [NodeID: Template] = [:]
  /// Those that are expanded for each row of a file.
  var rowTexts: [NodeID: RowText] = [:]
  /// Whether there may be targets that an earlier reading has excluded.
  let omitsTargets: Bool

  enum Named {
    case target(TargetID)
    case group(Int)

    func isTarget(_ index: Int) -> Bool {
      if case .target(let id) = self { id.index == index } else { false }
    }
  }

  /// What `name` is the name of; `nil` where nothing has it.
  func named(_ name: String) -> Named? {
    unsafe name.withBytes { bytes in unsafe names.find(bytes) { text(ofNumber: $0).hasSameBytes(as: name) } }
      .map { $0 < 0 ? .group(~$0) : .target(TargetID($0)) }
  }

  /// Gives a target or a group its name; `number` is its own, turned round for a group.
  func take(_ name: String, as number: Int) {
    _ = unsafe name.withBytes { bytes in
      unsafe names.add(bytes, as: number) { text(ofNumber: $0).hasSameBytes(as: name) }
    }
  }

  private func text(ofNumber number: Int) -> String { number < 0 ? groupNames[~number] : drafts[number].name }

  /// Frees memory that is not needed after everything was read without an error.
  func forgetDocument() {
    document = YAMLDocument.empty
    templates = []
    targetEntries = []
    names = TextIndex()
  }

  /// `excluded` is what an earlier reading of the document found out about its lists.
  init(
    document: YAMLDocument, context: ManifestContext, log: DiagnosticLog,
    excluded: ListExclusions = ListExclusions()
  ) {
    omitsTargets = !excluded.targets.isEmpty
    lists.excluded = excluded
    self.document = document
    self.context = context
    self.log = log
    reserved = ReservedPaths(context.reservedPaths)
    variables = Variables(environment: context.environment)
  }

  var secrets: SecretMask { variables.mask }

  enum TopLevelKey: String, CaseIterable {
    case version, vars, defaults, targets, groups, hosts

    /// Whether a value of that kind may be this key's.
    func fits(_ kind: YAMLNode.Kind) -> Bool { self != .version && kind == .mapping }
  }

  /// The manifest; useless if the log has an error.
  func read() -> Manifest? {
    guard let root = document.root, !document.isNull(root) else {
      log.error(
        "the manifest is empty", at: SourceSpan(line: 1, column: 1, endColumn: 2),
        hint: "write \"version: 1\" and \"targets:\"")
      return nil
    }
    guard let entries = entries(of: root, Want("the manifest", "a mapping with \"version\" and \"targets\""))
    else { return nil }
    let fields = fields(entries, TopLevelKey.self, of: "the manifest", fits: { $0.fits($1) })
    readVersion(fields)
    if let entry = fields[.vars] { readVariables(entry.value) }
    if let targets = fields[.targets] {
      declareTargets(targets.value)
    } else {
      requireKey(
        "targets", in: fields, at: root, hint: "write \"targets:\", and below it a name for each file")
      // Whatever a group names may have been meant to be there.
      lostNamePrefixes.append("")
    }
    let groups = fields[.groups].map { declareGroups($0.value) } ?? []
    if let entry = fields[.defaults] { readDefaults(entry.value) }
    let read = readTargets()
    for draft in lostDrafts { noteSettings(readTarget(draft), of: draft) }
    readUnusedDefaults()
    let hosts = fields[.hosts].map { readHosts($0.value) } ?? HostLimits()
    return assemble(read, groups: flatten(groups), hosts: hosts)
  }

  private func readTargets() -> [ReadTarget] {
    guard !tables.isEmpty else { return lists.isUsed ? readWithLists() : drafts.map { readTarget($0) } }
    var read: [ReadTarget] = []
    read.reserveCapacity(drafts.count)
    for table in tables {
      while read.count < table.first { read.append(readAwaiting(read.count)) }
      readRows(of: table, &read)
    }
    while read.count < drafts.count { read.append(readAwaiting(read.count)) }
    return read
  }

  private func readVersion(_ fields: Fields<TopLevelKey>) {
    guard let entry = fields[.version] else {
      guard let root = document.root else { return }
      return requireKey("version", in: fields, at: root, hint: "write \"version: 1\"")
    }
    let node = document[entry.value]
    guard node.kind == .scalar, !document.isNull(entry.value) else {
      return unwanted(entry.value, Want("version", "the number 1"))
    }
    let text = document.text(of: entry.value)
    guard text != "1" else { return }
    error("unknown version \(quoted(text))", at: entry.value, hint: "this syncmake reads version 1")
  }
}
