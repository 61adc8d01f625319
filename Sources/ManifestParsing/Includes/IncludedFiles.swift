import SyncModel

/// The manifests that a manifest includes, directly or not, while all of them are read (contract, section 11).
///
/// Each has a reader of its own. They are read one after the other, each after those that it includes, and hand on what
/// they have in common: the targets and their names, the groups, the lists, and the problems. So an included target has
/// its number when another one names it, and the whole is checked once, by the reader of the manifest itself.
final class IncludedFiles {
  /// More are refused.
  static let most = 1_000

  struct File {
    var path: RelativePath
    /// For the lines that problems show.
    var bytes: [UInt8]
    /// The sum of ``bytes``.
    var sum: ByteSum.Value
    /// `nil` if the file is no manifest.
    var reader: ManifestReader?
    var fields: Fields<ManifestReader.TopLevelKey>?
  }

  /// One file's mention of another.
  struct Mention {
    var number: Int
    var place: SourceSpan
  }

  /// Those with the numbers from 1.
  private(set) var files: [File] = []
  /// By number, the files that each file includes.
  private(set) var mentions: [[Mention]] = [[]]
  private(set) var patterns: [IncludePattern] = []
  /// In the order in which they are read: the numbers of the files, and of their first targets and groups.
  private var order: [(number: Int, target: Int, group: Int)] = []
  private let name: String
  private var numbers: [RelativePath: Int] = [:]
  /// How many bytes may still be read.
  private var room = ManifestParser.maximumSize
  /// How many nodes aliases have made.
  private var aliased = 0
  /// The lines of the file that was shown last; problems come file by file.
  private var shown: (file: Int, lines: [Range<Int>])?
  /// By number, the files that a file may name targets of.
  private var visible: [Int: Set<Int>] = [:]

  /// `name` is that of the manifest itself, as people are shown it.
  init(_ name: String) {
    self.name = name
    if let own = try? RelativePath(name.lastPart) { numbers[own] = 0 }
  }

  // MARK: What is known of them

  /// As people are shown it.
  func fileName(_ number: Int) -> String {
    number == 0 ? name : name.folderPrefix + files[number - 1].path.text
  }

  /// The number of a file that is known already.
  func number(of path: RelativePath) -> Int? { numbers[path] }

  /// The reader of an included manifest that a target is in.
  func reader(of target: Int) -> ManifestReader? {
    number(last { $0.target <= target }).flatMap { files[$0 - 1].reader }
  }

  /// Whether the file of that number includes the one that has a target or a group, directly or not.
  func isVisible(_ named: ManifestReader.Named, from number: Int) -> Bool {
    let owner =
      switch named {
      case .target(let id): self.number(last { $0.target <= id.index })
      case .group(let index): self.number(last { $0.group <= index })
      }
    return owner.map { below(number).contains($0) } ?? false
  }

  /// The place in ``order`` of the last one of which `isBegun` is true, as it is of all before.
  private func last(_ isBegun: ((number: Int, target: Int, group: Int)) -> Bool) -> Int? {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if isBegun(order[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  private func number(_ place: Int?) -> Int? { place.map { order[$0].number } }

  /// Whether a name may be one of a file that the file of that number includes.
  func mayBeBelow(_ name: String, _ number: Int) -> Bool {
    below(number).contains {
      files[$0 - 1].reader.map { name.utf8.starts(with: $0.home.prefix.utf8) } ?? false
    }
  }

  /// The files that a file includes, directly or not.
  private func below(_ number: Int) -> Set<Int> {
    if let known = visible[number] { return known }
    var found: Set<Int> = []
    var rest = mentions[number].map(\.number)
    while let next = rest.popLast() {
      if next != number, next > 0, found.insert(next).inserted { rest += mentions[next].map(\.number) }
    }
    visible[number] = found
    return found
  }

  /// The readers of the included manifests, in the order of their targets.
  var readers: [ManifestReader] { order.compactMap { files[$0.number - 1].reader } }

  /// Those of the files, and `own`.
  func secrets(_ own: SecretMask) -> SecretMask {
    files.reduce(own) { mask, file in file.reader.map { mask.joined($0.variables.mask) } ?? mask }
  }

  /// A line of an included manifest, from 1, as a problem shows it.
  func line(_ number: Int, of file: Int) -> String? {
    let bytes = files[file - 1].bytes
    if shown?.file != file { shown = (file, unsafe bytes.withUnsafeBytes { unsafe SourceText.lines($0) }) }
    guard let lines = shown?.lines, lines.indices.contains(number - 1),
      lines[number - 1].count <= SourceText.longestShownLine
    else { return nil }
    return String(decoding: bytes[lines[number - 1]], as: UTF8.self)
  }

  /// The number after that of the last target of a file.
  func endOfTargets(_ number: Int) -> Int? {
    guard let place = order.firstIndex(where: { $0.number == number }), place + 1 < order.count else {
      return nil
    }
    return order[place + 1].target
  }

  /// Notes where a file's targets and groups begin.
  func begin(_ number: Int, _ first: (target: Int, group: Int)) {
    order.append((number, first.target, first.group))
  }

  // MARK: Finding them

  /// Adds a file; `read` has its bytes. Returns its number, and whether it is a document.
  func add(
    _ path: RelativePath, _ bytes: [UInt8], _ context: ManifestContext, _ excluded: ListExclusions,
    _ log: inout DiagnosticLog
  ) -> (number: Int, reader: ManifestReader?) {
    let number = files.count + 1
    var sum = ByteSum(context.sumKey)
    var problems = DiagnosticLog()
    var document: YAMLDocument?
    unsafe bytes.withUnsafeBytes { raw in
      unsafe sum.update(raw)
      document = unsafe YAMLDocumentReader.read(
        SourceText(raw), log: &problems, aliasedNodes: &aliased)
      document?.keepTexts()
    }
    log.add(problems, ofFile: number)
    let home = ManifestHome(path, number: number)
    let reader = document.map {
      ManifestReader(document: $0, context: context, log: DiagnosticLog(), excluded: excluded, home: home)
    }
    files.append(File(path: path, bytes: bytes, sum: sum.value, reader: reader))
    mentions.append([])
    numbers[path] = number
    return (number, reader)
  }

  /// Whether there is room for a file of so many bytes; it is taken then.
  func takesRoom(_ count: Int) -> Bool {
    guard count <= room else { return false }
    room -= count
    return true
  }

  var isFull: Bool { files.count == Self.most }

  func note(_ pattern: IncludePattern) { if !patterns.contains(pattern) { patterns.append(pattern) } }

  /// Notes that a file includes another one.
  func note(_ mention: Mention, in number: Int) {
    guard !mentions[number].contains(where: { $0.number == mention.number }) else { return }
    mentions[number].append(mention)
  }

  func keep(_ fields: Fields<ManifestReader.TopLevelKey>, of number: Int) {
    files[number - 1].fields = fields
  }
}

extension ManifestContext {
  /// The key of the sums of further files.
  var sumKey: ByteSum.Key { outlineKey ?? ByteSum.Key(words: (0, 0)) }
}
