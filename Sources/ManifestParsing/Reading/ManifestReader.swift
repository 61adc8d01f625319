import SyncModel

/// Turns one document into a manifest; lives as long as one parse.
///
/// Readers of single values return `nil` after they have put the problem into ``log``; they never
/// stop the others, so that one run shows every problem. An included document has a reader of its own, whose targets
/// are among those of the manifest (see ``IncludedFiles``).
final class ManifestReader {
  private(set) var document: YAMLDocument
  let context: ManifestContext
  let home: ManifestHome
  var log: DiagnosticLog
  var variables: Variables
  var nearest = NearestNameFinder()
  var reserved: ReservedPaths
  /// The manifests that this one includes, directly or not, or that are read with it; `nil` if nothing is included.
  unowned var files: IncludedFiles?
  /// Whether ``files`` is `nil`.
  var isAlone = true
  /// The same, of the manifest itself.
  var ownedFiles: IncludedFiles?
  /// The numbers of its first target and group. Those before are of other files.
  var first = (target: 0, group: 0)
  /// Targets, in the order of their ids.
  var drafts: PiecewiseArray<TargetDraft> = []
  /// The targets of files that were read before, in the order of their ids.
  var earlier: PiecewiseArray<ReadTarget> = []
  /// An error in a target's name or matrix invalidates it, but its other problems are still reported.
  var lostDrafts: [TargetDraft] = []
  var templates: [TargetTemplate] = []
  /// The known keys and values of ``templates``, one after another.
  var targetEntries: [FieldEntry<TargetKey>] = []
  var defaults = TargetDefaults()
  /// The shared name space: a target's number, or the bitwise complement of an index of ``groupNames``.
  var names = TextIndex()
  /// Targets as candidates for a misspelt name; valid after all targets are declared.
  private(set) lazy var targetNames = drafts.indices.filter { named(drafts[$0].name)?.isTarget($0) ?? false }
    .compactMap { mention(drafts[$0].name, .target(TargetID($0))) }
  /// In the order in which they were declared.
  var groupNames: [String] = []
  /// The groups of files that were read before.
  var earlierGroups: [TargetGroup] = []
  /// Beginnings of names that could not be made; what begins so is not called unknown.
  var lostNamePrefixes: [String] = []
  var lists = ListDrafts()
  /// The variables of all files whose values come from targets' outputs, in the order in which they were found.
  var values: [ReadValue] = []
  /// Those of this file that do not say which part of the output they are; their targets are looked for all the same.
  var lostValues: [ReadValue] = []
  var tables: [RowTable] = []
  /// The settings of all targets of one list or row file; no value if they differ.
  var sameSettings: (owner: AnyObject, value: SharedSettings?)?
  /// The texts that are expanded for each entry of a list, taken apart.
  var parsed: [NodeID: Template] = [:]
  /// Those that are expanded for each row of a file.
  var rowTexts = NodeTable<RowText>()
  /// Lists of steps that are the same for each row of a file, but for the digests; `nil` for those that are not.
  var rowSteps = NodeTable<RowSteps?>()
  /// Whether a target may name a local file as its source, a sidecar or a signature.
  var namesFiles = false
  /// Whether a target reads the output of another one as a local file, which depends on the order of all targets.
  var readsOutputs = false
  /// Whether the target that is read mentions a target that is unknown.
  var lacksReference = false
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
      .map(Self.named)
  }

  /// Gives a target or a group its name; `number` is its own, turned round for a group. Returns what has the name already,
  /// which then keeps it.
  func claim(_ name: String, as number: Int) -> Named? {
    unsafe name.withBytes { bytes in
      unsafe names.add(bytes, as: number) { text(ofNumber: $0).hasSameBytes(as: name) }
    }.map(Self.named)
  }

  private static func named(_ number: Int) -> Named {
    number < 0 ? .group(~number) : .target(TargetID(number))
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
    excluded: ListExclusions = ListExclusions(), home: ManifestHome = .root
  ) {
    self.home = home
    omitsTargets = !excluded.targets.isEmpty
    lists.excluded = excluded
    self.document = document
    self.context = context
    self.log = log
    reserved = ReservedPaths(context.reservedPaths)
    variables = Variables(environment: context.environment, secretFile: context.secretFile)
    variables.allowed = context.policy?.policy.environment
  }

  var secrets: SecretMask { files?.secrets(variables.mask) ?? variables.mask }

  enum TopLevelKey: String, CaseIterable {
    case version, vars, defaults, targets, groups, hosts, include

    /// Whether a value of that kind may be this key's.
    func fits(_ kind: YAMLNode.Kind) -> Bool {
      switch self {
      case .version: false
      case .include: kind == .sequence
      default: kind == .mapping
      }
    }
  }

  /// The manifest; useless if the log has an error.
  func read() -> Manifest? {
    guard let root = document.root, !document.isNull(root) else {
      log.error(
        "the manifest is empty", at: SourceSpan(line: 1, column: 1, endColumn: 2),
        hint: "write \"version: 1\" and \"targets:\"")
      return nil
    }
    guard let fields = begin(root) else { return nil }
    if fields[.include] != nil { readIncluded(fields) { $0.readTargets(of: $1) } }
    let hosts = readTargets(of: fields)
    return assemble(take(&earlier), groups: take(&earlierGroups), hosts: hosts)
  }

  /// Reads what comes before the targets; `nil` if the document is not a mapping.
  func begin(_ root: NodeID) -> Fields<TopLevelKey>? {
    guard let entries = entries(of: root, Want("the manifest", "a mapping with \"version\" and \"targets\""))
    else { return nil }
    let fields = fields(entries, TopLevelKey.self, of: "the manifest", fits: { $0.fits($1) })
    readVersion(fields)
    if let entry = fields[.vars] { readVariables(entry.value) }
    return fields
  }

  /// Reads the targets and groups of this file, and adds them to those of the files before.
  @discardableResult
  func readTargets(of fields: Fields<TopLevelKey>) -> HostLimits {
    guard let root = document.root else { return HostLimits() }
    if let targets = fields[.targets] {
      declareTargets(targets.value)
    } else {
      requireKey(
        "targets", in: fields, at: root, hint: "write \"targets:\", and below it a name for each file")
      // Whatever a group names may have been meant to be there.
      lose(namesFrom: "")
    }
    let groups =
      fields[.groups].map { group in withoutValues("a group") { declareGroups(group.value) } } ?? []
    findTargetsOfValues()
    if let entry = fields[.defaults] { withoutValues("\"defaults\"") { readDefaults(entry.value) } }
    earlier = readTargets()
    for draft in lostDrafts {
      lists.mentioned = []
      noteSettings(readForProblems(draft), of: draft)
    }
    withoutValues("\"defaults\"") { readUnusedDefaults() }
    let hosts =
      fields[.hosts].map { hosts in withoutValues("\"hosts\"") { readHosts(hosts.value) } } ?? HostLimits()
    if home.number > 0, let entry = fields[.hosts] { refuseHosts(entry) }
    earlierGroups += flatten(groups)
    return hosts
  }

  private func readTargets() -> PiecewiseArray<ReadTarget> {
    var read = take(&earlier)
    for table in tables where table.first >= first.target {
      while read.count < table.first { read.append(readAwaiting(read.count)) }
      readRows(of: table, &read)
    }
    while read.count < drafts.count { read.append(readAwaiting(read.count)) }
    return read
  }

  /// Takes an array away without a copy of it.
  private func take<Elements: ExpressibleByArrayLiteral>(_ array: inout Elements) -> Elements {
    defer { array = [] }
    return array
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
