import SyncModel

/// Local sources, sidecars and signatures that other targets make.
///
/// What a target reads there depends on the time, unless the other target comes first.
extension ManifestReader {
  /// A local file that a target reads.
  private struct LocalFile {
    /// Absolute, or relative to the root.
    var path: String
    /// The key that names it, and the place among the values of that key.
    var key: TargetKey
    var place = 0
  }

  /// Refuses what a target reads from the output of another one that does not come first.
  func refuseUnorderedFiles(_ read: PiecewiseArray<ReadTarget>, _ units: PublishedTogether) {
    guard ((files?.readers ?? []) + [self]).contains(where: \.namesFiles) else { return }
    var owners = OutputOwners(read, root: context.root)
    var order = TargetOrder { self.predecessors(of: $0, read, units) }
    for index in read.indices where !isExcluded(index) {
      for file in localFiles(of: read[index]) {
        guard let owner = owners.owner(of: file.path), owner.target != index else { continue }
        readsOutputs = true
        guard !order.has(owner.target, before: index), !order.has(index, before: owner.target)
        else { continue }
        refuse(file, of: index, owner, read)
      }
    }
  }

  /// Whether another reading follows without the target, which may mention what is not there yet.
  private func isExcluded(_ index: Int) -> Bool {
    guard lists.mustRepeat else { return false }
    guard let entry = drafts[index].scope.entry else {
      return lists.found.targets[drafts[index].name] != nil
    }
    return lists.found.templates[entry.scope.template] != nil
  }

  private func localFiles(of target: ReadTarget) -> [LocalFile] {
    var files: [LocalFile] = []
    func add(_ url: SourceURL, _ key: TargetKey, _ place: Int = 0) {
      if case .file(let path, _) = url { files.append(LocalFile(path: path, key: key, place: place)) }
    }
    func addSidecar(_ sidecar: Sidecar, _ key: TargetKey, _ place: Int = 0) {
      add(sidecar.url, key, place)
      for url in sidecar.signature?.urls ?? [] { add(url, key, place) }
    }
    let settings = target.settings.values
    if case .urls(let mirrors)? = target.source {
      for (place, url) in mirrors.enumerated() { add(url, .url, place) }
    }
    // A target that is made from another has no rule, though `defaults` may.
    if target.source?.mirrors != nil, case .digest(let rule)? = settings.freshness?.innermost,
      case .sidecar(let sidecar) = rule.expected
    {
      addSidecar(sidecar, .freshness)
    }
    for (place, step) in settings.steps.enumerated() {
      switch step {
      case .verifyDigest(_, .sidecar(let sidecar)): addSidecar(sidecar, .steps, place)
      case .verifyMinisign(let check):
        for url in check.urls { add(url, .steps, place) }
      default: break
      }
    }
    return files
  }

  /// What is brought up to date before a target; `nil` if that is not known.
  private func predecessors(
    of index: Int, _ read: PiecewiseArray<ReadTarget>, _ units: PublishedTogether
  ) -> [Int]? {
    guard !read[index].lacksReferences else { return nil }
    var found = (lists.users[index] ?? []).compactMap { values[$0].target?.index }
    for reference in read[index].references {
      if let unit = units.unit(of: reference.id, neededBy: TargetID(index)) {
        found += units.members(of: unit).map(\.index)
      } else {
        found.append(reference.id.index)
      }
    }
    return found
  }

  // MARK: Problems

  private func refuse(
    _ file: LocalFile, of index: Int, _ owner: OutputOwners.Owner, _ read: PiecewiseArray<ReadTarget>
  ) {
    let other = quoted(drafts[owner.target].name)
    let what = owner.isInFolder ? "which is in the output of" : "the output of"
    let message =
      "target \(quoted(drafts[index].name)) reads \(quoted(file.path)), \(what) target \(other), "
      + "and nothing says that \(other) comes first"
    let node = node(of: file, in: index)
    let hint = hint(file, of: index, owner, read)
    // There is no place for a hint where a list or a value is refused.
    let whole = "\(message): \(hint)"
    guard !refuseListed(owner.target, outputNode(of: owner.target), whole),
      node == nil || !refuseListed(index, node, whole), !refuseValue(of: owner.target, read, whole)
    else { return }
    log.reportsPlacesOnce = drafts[index].isRepetition
    defer { log.reportsPlacesOnce = false }
    log.error(message, at: span(of: index, node), hint: hint)
  }

  /// The value that names a file; `nil` if `defaults` has it.
  private func node(of file: LocalFile, in index: Int) -> NodeID? {
    let reader = reader(of: index)
    guard let value = reader.fields(of: drafts[index].template)[file.key]?.value else { return nil }
    let items = reader.document.children(of: value)
    guard file.key != .freshness, reader.document[value].kind == .sequence, file.place < items.count else {
      return value
    }
    return items[items.startIndex + file.place]
  }

  /// `nil` if the output is named after something else.
  private func outputNode(of index: Int) -> NodeID? {
    reader(of: index).fields(of: drafts[index].template)[.output]?.value
  }

  /// Whether the entry of a list has made this value of a target, or what stands for a missing one; the list is refused
  /// then.
  private func refuseListed(_ index: Int, _ value: NodeID?, _ message: String) -> Bool {
    guard let values = drafts[index].scope.entry, let entry = values.entry else { return false }
    if let value, !reader(of: index).hasEntry(value) { return false }
    refuse(
      values.scope.template, .refused(SignatureMask.mask(secrets.mask(message)), key: entry.key))
    return true
  }

  private func hint(
    _ file: LocalFile, of index: Int, _ owner: OutputOwners.Owner, _ read: PiecewiseArray<ReadTarget>
  ) -> String {
    let (home, full) = (self.reader(of: index).home, drafts[owner.target].name)
    let isOwn = self.reader(of: owner.target).home.number == home.number
    guard isOwn || files?.isVisible(.target(TargetID(owner.target)), from: home.number) == true else {
      return "an included manifest cannot name that target: declare both in one manifest"
    }
    let name = isOwn ? String(full.dropFirst(home.prefix.count)) : full
    let isWhole =
      file.key == .url && read[index].source?.mirrors?.count == 1 && !owner.isInFolder && !owner.isFolder
    return (isWhole ? "write \"from: \(name)\" instead of \"url\", or " : "") + "add \"needs: [\(name)]\""
  }
}

/// Whose output a file is.
private struct OutputOwners {
  struct Owner {
    var target: Int
    /// Whether the output is a folder.
    var isFolder: Bool
    /// Whether the file is in that folder.
    var isInFolder: Bool
  }

  private let read: PiecewiseArray<ReadTarget>
  private var index: TextIndex
  private var hasFolders = false
  private let findRoot: (@Sendable () -> String?)?
  /// The root's own path; asked for by the first absolute path.
  private lazy var root: String? = findRoot?()

  init(_ read: PiecewiseArray<ReadTarget>, root: (@Sendable () -> String?)?) {
    self.read = read
    findRoot = root
    index = TextIndex(capacity: read.count)
    for number in read.indices {
      guard let output = read[number].output?.text else { continue }
      _ = unsafe output.withBytes { bytes in
        unsafe index.add(bytes, as: number) { read[$0].output?.text.hasSameBytes(as: output) == true }
      }
      if isFolder(number) { hasFolders = true }
    }
  }

  /// The target whose output a file is, or whose folder it is in.
  mutating func owner(of file: String) -> Owner? {
    guard let path = fromRoot(file) else { return nil }
    if let target = find(path.text) {
      return Owner(target: target, isFolder: isFolder(target), isInFolder: false)
    }
    guard hasFolders else { return nil }
    var folder = path.text.utf8[...]
    while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
      folder = folder[..<slash]
      guard let target = find(String(Substring(folder))), isFolder(target) else { continue }
      return Owner(target: target, isFolder: true, isInFolder: true)
    }
    return nil
  }

  private mutating func fromRoot(_ file: String) -> RelativePath? {
    guard file.utf8.first == UInt8(ascii: "/") else { return try? RelativePath(file) }
    guard let root else { return nil }
    let top = root == "/" ? root : root + "/"
    guard file.utf8.starts(with: top.utf8) else { return nil }
    return try? RelativePath(String(Substring(file.utf8.dropFirst(top.utf8.count))))
  }

  private func find(_ path: String) -> Int? {
    unsafe path.withBytes { bytes in
      unsafe index.find(bytes) { read[$0].output?.text.hasSameBytes(as: path) == true }
    }
  }

  private func isFolder(_ target: Int) -> Bool {
    if case .folder? = read[target].product { true } else { false }
  }
}

/// Which targets come before others, directly or through others.
private struct TargetOrder {
  /// Longer searches end in doubt: what they could find is not worth a quadratic time.
  private static let most = 4_000_000

  /// What directly comes before a target; `nil` if that is not known.
  private let predecessors: (Int) -> [Int]?
  private var steps = 0
  /// The target that was looked for last, and those that are known to come after it or not to. Most targets look for the
  /// same one as those before them.
  private var wanted = -1
  private var later: Set<Int> = []
  private var others: Set<Int> = []

  init(_ predecessors: @escaping (Int) -> [Int]?) { self.predecessors = predecessors }

  /// Whether `first` comes before `second`; also in doubt.
  mutating func has(_ first: Int, before second: Int) -> Bool {
    if first != wanted { (wanted, later, others) = (first, [first], []) }
    var seen: Set<Int> = []
    var rest = [second]
    while let next = rest.popLast() {
      guard !others.contains(next), seen.insert(next).inserted else { continue }
      guard steps < Self.most, let earlier = predecessors(next) else { return true }
      steps += 1 + earlier.count
      guard !earlier.contains(where: { later.contains($0) }) else {
        later.insert(second)
        return true
      }
      rest += earlier
    }
    others.formUnion(seen)
    return false
  }
}
