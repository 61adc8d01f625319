import SyncModel

/// Reads a text of digests line by line; a line's meaning may depend on the lines before it.
struct ChecksumReader {
  private(set) var entries: [ChecksumLine] = []
  /// The first line without a known form.
  private(set) var unreadable: Int?
  /// The first line with a content that is no digest.
  private(set) var firstOther: Int?
  /// The text's kind, if some line shows that it has no digests.
  private(set) var kind: FileKind?
  /// Whether any line has content.
  private(set) var hasText = false
  /// Whether digits may follow for the last entry, as `gpg --print-md` writes them.
  private var isOpen = false
  private var isLFSPointer = false
  /// The entries whose length alone says that they are digests, and the lines where they begin.
  private var loose: [(entry: Int, line: Int)] = []
  /// The algorithm of the lines below a comment such as `# SHA512 HASH`, as Gentoo writes them.
  private var section: String?
  /// The algorithm of the lines below `SHA256:` and the like, as Debian's `Release` has them: they begin with a blank, and
  /// have the file's size before its name.
  private var block: String?

  /// Reads every line of `text`.
  init(_ text: [UInt8]) throws(SidecarFault) {
    for line in try ClearSigned.lines(of: text) { read(line.bytes, line.number) }
    let other = loose.first { !ChecksumLine.isDigestLength(entries[$0.entry].hex.utf8.count) }
    if let other { noteOther(other.line) }
    // A heading without digits is a key of some other document.
    entries.removeAll { $0.hex.isEmpty }
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
    if isOpen, let digits = ChecksumLine.digitsOnly(line), continues(line) {
      entries[entries.count - 1].hex += digits
      return
    }
    isOpen = false
    if ChecksumLine.trimmed(line).isEmpty { return }
    let isIndented = line.first.map(ChecksumLine.isBlank) ?? false
    if !isIndented { block = nil }
    if !hasText { isLFSPointer = Self.beginsLFSPointer(line) }
    switch ChecksumLine.read(line) {
    case .nothing:
      section = ChecksumLine.section(line) ?? section
      return
    case .entries(let found):
      if found.count == 1, found[0].isLoose { loose.append((entries.count, number)) }
      entries += found.map { isIndented ? inBlock($0) : inSection($0) }
      // The digits of a loose entry may go over several lines.
      isOpen = found.count == 1 && found[0].name != nil && line.contains(UInt8(ascii: ":"))
    case .heading(let name, let tag):
      block = ChecksumLine.blockAlgorithm(name)
      var entry = ChecksumLine(hex: "", name: name, tag: tag)
      entry.isLoose = true
      loose.append((entries.count, number))
      entries.append(entry)
      isOpen = true
    case .pair: noteOther(number)
    case .sum(let kind):
      noteOther(number)
      self.kind = self.kind ?? kind
    case .unreadable:
      noteOther(number)
      if !isLFSPointer { unreadable = unreadable ?? number }
    }
    hasText = true
  }

  private mutating func noteOther(_ number: Int) { firstOther = min(firstOther ?? number, number) }

  private func inBlock(_ line: ChecksumLine) -> ChecksumLine {
    guard let block, let name = line.name, let sized = ChecksumLine.withoutSize(name) else {
      return inSection(line)
    }
    return ChecksumLine(hex: line.hex, name: sized, tag: line.tag ?? block)
  }

  private func inSection(_ line: ChecksumLine) -> ChecksumLine {
    var line = line
    line.tag = line.tag ?? section
    return line
  }

  /// Whether a line of only digits belongs to the entry before it: the first one after a heading does, and each
  /// indented one while the digest is shorter than the longest.
  private func continues(_ line: ArraySlice<UInt8>) -> Bool {
    guard let last = entries.last else { return false }
    if last.hex.isEmpty { return true }
    return last.hex.utf8.count < 128 && line.first.map(ChecksumLine.isBlank) ?? false
  }

  private static func beginsLFSPointer(_ line: ArraySlice<UInt8>) -> Bool {
    line.starts(with: "version https://git-lfs.github.com/spec/".utf8)
      || line.starts(with: "version https://hawser.github.com/spec/".utf8)
  }
}
