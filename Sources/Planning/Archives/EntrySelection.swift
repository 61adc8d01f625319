package import SyncModel

/// Checks the entries of an archive one after the other, and finds those that become the output (contract, section 10).
///
/// Every entry is checked, also those that are not wanted: only `exclude` skips one.
package struct EntrySelection: Sendable {
  /// How a format treats names.
  package enum Naming: Sendable {
    /// A later regular file replaces an earlier one of its name.
    case tar
    /// A name occurs once, and backslashes may separate folders.
    case directory

    /// The rules of an archive's format.
    package init(_ format: ArchiveFormat) { self = format.isStream ? .tar : .directory }
  }

  /// What an entry is for the output.
  package enum Verdict: Sendable, Equatable {
    /// Its content is not needed.
    case other
    /// Its content is the output, or belongs to it, unless ``EntrySelection/finish()`` throws, or another one replaces
    /// it.
    case wanted
    /// The same, in place of the earlier one; of one file only.
    case replacesWanted
    /// There is an earlier file of the same name; its bytes must be the same, else it is `.duplicateFile`.
    case duplicate
  }

  private let rules: UnpackRules
  private let naming: Naming
  private let strip: Int
  private var count = 0
  private var table = EntryTable()
  /// The same for the wanted entries by their paths in the output, if these are shorter.
  private var stripped = EntryTable()
  /// The names of files that `exclude` has skipped: hard links may have them as targets.
  private var excludedFiles: Set<[UInt8]> = []
  /// Exactly one of the two is there.
  private var file: FileChoice?
  private var tree: TreeChoice?

  /// `strip` is the number of leading folders that ``UnpackRules/strip`` removes from this archive. `ignoringCase`: two
  /// names that differ in case only are one where a folder is made.
  package init(_ rules: UnpackRules, strip: Int, _ naming: Naming, ignoringCase: Bool = false) {
    self.rules = rules
    self.strip = strip
    self.naming = naming
    switch rules.product {
    case .file(let pattern): file = FileChoice(pattern)
    case .folder(let tree): self.tree = TreeChoice(tree.include, ignoringCase: ignoringCase)
    }
  }

  /// Takes the next entry, and throws if it is not safe.
  package mutating func take(_ entry: ArchiveEntry) throws(ArchiveFault) -> Verdict {
    count += 1
    if count > rules.mostEntries { throw ArchiveFault(.tooManyEntries(limit: rules.mostEntries)) }
    do throws(ArchiveFault.Reason) { return try judge(entry) } catch { throw ArchiveFault(error, entry) }
  }

  /// There are no more entries: throws unless exactly one matched or, for a folder, unless each pattern did and no link
  /// can lead outside.
  package func finish() throws(ArchiveFault) {
    try file?.finish()
    try tree?.finish()
  }

  /// The folders of the archive in which there is nothing, by their paths in the output; valid after ``finish()``.
  package var emptyFolders: [[UInt8]] { tree?.emptyFolders ?? [] }

  /// Where the entry of that name belongs in the folder that is the output.
  package func path(of name: [UInt8]) -> [UInt8] {
    EntryName.joined(EntryName(unchecked: name).parts.dropFirst(strip))
  }

  /// Whether a file was wanted at that path of the output.
  package func hasFile(at path: [UInt8]) -> Bool { tree?.hasFile(at: path) ?? false }

  private mutating func judge(_ entry: ArchiveEntry) throws(ArchiveFault.Reason) -> Verdict {
    let isFolder = entry.kind == .folder
    let path = Array(EntryName(unchecked: entry.name).parts.dropFirst(strip))
    if rules.exclude.excludes(path, isFolder: isFolder) {
      if entry.kind == .file { excludedFiles.insert(Self.key(of: entry.name)) }
      tree?.noteExcluded(path)
      return .other
    }
    let name = try EntryName(entry.name, isWindows: naming == .directory).parts
    guard !name.isEmpty else {
      guard isFolder else { throw .emptyName }
      return .other
    }
    // `tar` writes a file that it is given twice as a link to itself, which changes nothing.
    if case .hardLink(let target) = entry.kind, table[name] == .file,
      EntryName(unchecked: target).parts == name
    {
      return .other
    }
    let kind = try table(entry, path)
    if name.count <= strip, !isFolder { throw .shorterThanStrip(strip) }
    let isNewName = table[name] == nil
    if try note(name, kind) { return .duplicate }
    if tree != nil {
      guard try tree?.take(entry, path) == true else { return .other }
      if strip > 0 { try notePath(path, kind, isNewName: isNewName) }
      return .wanted
    }
    return file?.take(entry, path, name) ?? .other
  }

  /// The entry's kind for the table. Throws for those that are never safe.
  private func table(_ entry: ArchiveEntry, _ path: [ArraySlice<UInt8>]) throws(ArchiveFault.Reason)
    -> EntryTable.Kind
  {
    switch entry.kind {
    case .file: return .file
    case .folder: return .folder
    case .device: throw .device
    case .fifo: throw .fifo
    case .socket: throw .socket
    case .symbolicLink(let target):
      try checkLink(target, from: path)
      return .link
    case .hardLink(let target):
      // It does no harm if an excluded file has the bytes, unless the link is wanted, which is found when it is made.
      guard target.first != UInt8(ascii: "/"),
        table[EntryName(unchecked: target).parts] == .file || excludedFiles.contains(Self.key(of: target))
      else { throw .hardLinkToNoFile(target: String(decoding: target, as: UTF8.self)) }
      return .file
    }
  }

  private static func key(of name: [UInt8]) -> [UInt8] { EntryName.joined(EntryName(unchecked: name).parts) }

  /// By the names alone: a link that leads outside through other links is found when it is made.
  private func checkLink(
    _ target: [UInt8], from path: [ArraySlice<UInt8>]
  ) throws(ArchiveFault.Reason) {
    if let control = EntryName.control(in: target) { throw .controlCharacter(control) }
    var depth = max(path.count - 1, 0)
    var leadsOutside = target.isEmpty || target.first == UInt8(ascii: "/")
    for part in EntryName(unchecked: target).parts {
      depth += part.elementsEqual("..".utf8) ? -1 : 1
      if depth < 0 { leadsOutside = true }
    }
    if leadsOutside { throw .linkLeadsOutside(target: String(decoding: target, as: UTF8.self)) }
  }

  /// Throws if the wanted entry cannot be beside an earlier one of another name, from which `strip` has removed other
  /// folders.
  private mutating func notePath(
    _ path: [ArraySlice<UInt8>], _ kind: EntryTable.Kind, isNewName: Bool
  ) throws(ArchiveFault.Reason) {
    guard !path.isEmpty else { return }
    try stripped.noteFolders(of: path)
    let before = stripped[path]
    stripped[path] = kind
    if let before, isNewName, before != .folder || kind != .folder { throw .samePathAfterStrip }
  }

  /// Whether the entry repeats an earlier one that it does not replace.
  private mutating func note(_ name: [ArraySlice<UInt8>], _ kind: EntryTable.Kind) throws(ArchiveFault.Reason)
    -> Bool
  {
    try table.noteFolders(of: name)
    guard let before = table[name] else {
      table[name] = kind
      return false
    }
    guard before == kind else { throw .otherKindBefore }
    guard naming == .directory, kind != .folder else { return false }
    if kind == .link { throw .duplicateFile }
    return true
  }
}
