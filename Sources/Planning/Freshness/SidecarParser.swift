import SyncModel

/// Finds a digest in the text of a sidecar or of a checksum list (SPEC section 4, "Sidecars").
package enum SidecarParser {
  /// The digest that `bytes` give for one of `names`; see ``ChecksumList/digest(_:names:exactName:)``.
  ///
  /// To look many names up in one list, keep a ``ChecksumList``.
  package static func digest(
    in bytes: [UInt8], algorithm: DigestAlgorithm, names: [String], exactName: Bool
  ) throws(SidecarFault) -> HexDigest {
    try ChecksumList(bytes).digest(algorithm, names: names, exactName: exactName)
  }
}

/// The readable lines of a sidecar or a checksum list.
package struct ChecksumList: Sendable {
  private var entries: [ChecksumLine] = []
  /// Places in ``entries`` by whole name, and by the name's last path part.
  private var byName: [Exact: [Int]] = [:]
  private var byLastPart: [Exact: [Int]] = [:]

  /// Reads every line; fails on a web page, on anything else that is not text, on a text without any
  /// entry, and on the first line that has none of the known forms.
  package init(_ bytes: [UInt8]) throws(SidecarFault) {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    if text.first(where: { !ChecksumLine.isBlank($0) }) == UInt8(ascii: "<") { throw .isHTML }
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || ChecksumLine.isBlank($0) }) else { throw .notText }
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      switch ChecksumLine.read(line) {
      case .nothing: break
      case .entry(let entry): add(entry)
      case .unreadable: throw .unreadableLine(number: index + 1)
      }
    }
    if entries.isEmpty { throw .empty }
  }

  private mutating func add(_ entry: ChecksumLine) {
    let place = entries.count
    entries.append(entry)
    guard let name = entry.name else { return }
    byName[Exact(name), default: []].append(place)
    byLastPart[Exact(Self.lastPart(name)), default: []].append(place)
  }

  /// The digest of the line that names a file.
  ///
  /// - Parameters:
  ///   - names: the file's possible names, best first: the last part of its URL, the output's name.
  ///   - exactName: only a line that bears the very name serves, as for `{target: T, entry: NAME}`.
  ///
  /// A leading `./` counts on neither side. Unless `exactName`, a line serves too whose name ends in one of
  /// `names` as its last path part, and after that the only line there is, whatever it names. Lines that are
  /// marked as another algorithm's are passed over. Lines that agree are one; any other two for the name
  /// are ``SidecarFault/ambiguous(name:)``.
  package func digest(
    _ algorithm: DigestAlgorithm, names: [String], exactName: Bool
  ) throws(SidecarFault) -> HexDigest {
    let names = names.map(ChecksumLine.withoutDotSlash)
    for name in names {
      if let digest = try agreed(byName[Exact(name)], algorithm, name) { return digest }
    }
    if !exactName {
      for name in names {
        if let digest = try agreed(byLastPart[Exact(name)], algorithm, name) { return digest }
      }
      if let digest = try only(algorithm) { return digest }
    }
    throw .noEntry(name: names.first ?? "", count: entries.count)
  }

  /// Whether a line bears the name, or ends in it as its last path part.
  package func names(_ name: String) -> Bool { byName[Exact(name)] != nil || byLastPart[Exact(name)] != nil }

  /// Whether it is a digest and nothing else.
  package var isOneBareDigest: Bool { entries.count == 1 && entries[0].name == nil }

  /// What the lines at `places` say, `nil` when none of them is of `algorithm`.
  private func agreed(
    _ places: [Int]?, _ algorithm: DigestAlgorithm, _ name: String
  ) throws(SidecarFault) -> HexDigest? {
    var found: HexDigest?
    for place in places ?? [] where entries[place].mayBe(algorithm) {
      let digest = try checked(entries[place], algorithm)
      if let found, found != digest { throw .ambiguous(name: name) }
      found = digest
    }
    return found
  }

  private func only(_ algorithm: DigestAlgorithm) throws(SidecarFault) -> HexDigest? {
    let candidates = entries.filter { $0.mayBe(algorithm) }
    if candidates.count == 1 { return try checked(candidates[0], algorithm) }
    // A lone line that is marked as another algorithm's is best told by its length.
    if entries.count == 1, let line = entries.first, line.hex.utf8.count != algorithm.hexCount {
      throw .wrongLength(expected: algorithm.hexCount, actual: line.hex.utf8.count)
    }
    return nil
  }

  private func checked(_ entry: ChecksumLine, _ algorithm: DigestAlgorithm) throws(SidecarFault) -> HexDigest
  {
    guard let digest = HexDigest(entry.hex, algorithm) else {
      throw .wrongLength(expected: algorithm.hexCount, actual: entry.hex.utf8.count)
    }
    return digest
  }

  private static func lastPart(_ name: String) -> String {
    name.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
  }
}
