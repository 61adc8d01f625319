package import SyncModel

/// The readable lines of a sidecar or a checksum list (contract, section 4, "Sidecars").
package struct ChecksumList: Sendable {
  private let entries: [ChecksumLine]
  /// The first line without a known form.
  private let unreadable: Int?
  /// Places in ``entries`` by whole name, and by the name's last path part.
  private var byName: [ByteString: [Int]] = [:]
  private var byLastPart: [ByteString: [Int]] = [:]

  /// Reads every line of a file that is not XML; fails if there is no digest at all.
  package init(_ bytes: [UInt8]) throws(SidecarFault) {
    let reader = try Self.reader(of: bytes)
    self.init(reader.entries, unreadable: reader.unreadable)
  }

  private static func reader(of bytes: [UInt8]) throws(SidecarFault) -> ChecksumReader {
    if let kind = FileKind.recognised(in: bytes) { throw .seems(kind) }
    let text = try SidecarText.decoded(bytes)
    if let kind = FileKind.recognised(inText: text) { throw .seems(kind) }
    guard SidecarText.isText(text) else { throw .notText }
    let reader = try ChecksumReader(text)
    guard reader.entries.isEmpty else { return reader }
    if let kind = reader.kind { throw .seems(kind) }
    if let unreadable = reader.unreadable { throw .unreadableLine(number: unreadable) }
    throw reader.hasText ? .noDigest : .empty
  }

  /// Whether a text looks like a Metalink, which is XML and not read here.
  package static func mayBeMetalink(_ bytes: [UInt8]) -> Bool {
    guard let text = try? SidecarText.decoded(bytes),
      text.first(where: { !ChecksumLine.isBlank($0) }) == UInt8(ascii: "<")
    else { return false }
    let head = String(decoding: text.prefix(4096), as: UTF8.self)
    return head.holds("<metalink") || head.holds(":metalink")
  }

  /// The entries of a document of another form, such as a Metalink.
  package init(entries: [ChecksumLine]) throws(SidecarFault) {
    guard !entries.isEmpty else { throw .noDigest }
    self.init(entries, unreadable: nil)
  }

  private init(_ entries: [ChecksumLine], unreadable: Int?) {
    self.entries = entries
    self.unreadable = unreadable
    for (place, entry) in entries.enumerated() {
      guard let name = entry.name else { continue }
      byName[ByteString(name), default: []].append(place)
      byLastPart[ByteString(name.lastPart), default: []].append(place)
    }
  }

  /// The digest of the line that names a file.
  ///
  /// - Parameters:
  ///   - names: the file's possible names, best first, such as the last part of its URL.
  ///   - exactName: only a line with the very name serves, as for `{target: T, entry: NAME}`.
  ///
  /// A leading `./` counts on neither side. Unless `exactName`, a line serves too whose name ends in one of
  /// `names` as its last path part, and after that the only line for the algorithm, whatever it names. Lines of another
  /// algorithm, by their tag or by the number of their digits, are passed over. Lines that agree are one; any other two
  /// for the name are ``SidecarFault/ambiguous(name:)``.
  package func digest(
    _ algorithm: DigestAlgorithm, names: [String], exactName: Bool
  ) throws(SidecarFault) -> HexDigest {
    let names = names.map(\.withoutDotSlash)
    for name in names {
      if let digest = try agreed(byName[ByteString(name)] ?? [], algorithm, name) { return digest }
    }
    if !exactName {
      for name in names {
        if let digest = try agreed(byLastPart[ByteString(name)] ?? [], algorithm, name) { return digest }
      }
      for name in names {
        if let digest = try agreed(windowsPlaces(of: name), algorithm, name) { return digest }
      }
      if let digest = try only(algorithm) { return digest }
    }
    throw missing(names.first ?? "")
  }

  /// The lines whose name is a path of Windows that ends in `name`.
  private func windowsPlaces(of name: String) -> [Int] {
    entries.indices.filter { place in
      guard !entries[place].isEscaped, let path = entries[place].name,
        let last = path.utf8.lastIndex(of: UInt8(ascii: "\\"))
      else { return false }
      return path.utf8[path.utf8.index(after: last)...].elementsEqual(name.utf8)
    }
  }

  /// One file of the list, with all that the lines say about it.
  package struct File: Sendable, Equatable {
    /// As the GNU tools read it, without a leading `./`.
    package var name: String
    /// Of the algorithms that manifests may name, at most one of each; those of other algorithms are left out.
    package var digests: [ListedDigest] = []
  }

  /// Every file in `bytes`, in the order of the lines.
  ///
  /// This is for a text that must be a list and nothing else: each line must be a digest with a name, a comment or blank,
  /// and a file must have a digest that is compared.
  package static func files(in bytes: [UInt8]) throws(SidecarFault) -> [File] {
    let reader = try reader(of: bytes)
    if let other = reader.firstOther { throw .unreadableLine(number: other) }
    try requireOneKind(reader.entries)
    var files: [File] = []
    var places: [ByteString: Int] = [:]
    for line in reader.entries {
      guard let name = line.exactName ?? line.name else {
        throw .noEntry(name: "", count: reader.entries.count)
      }
      let place = places[ByteString(name)] ?? files.count
      if place == files.count {
        places[ByteString(name)] = place
        files.append(File(name: name))
      }
      guard let digest = try line.listed else { continue }
      let known = files[place].digests.first { $0.algorithm == digest.algorithm }
      if let known, known != digest { throw .ambiguous(name: name) }
      if known == nil { files[place].digests.append(digest) }
    }
    // Nothing would be compared, and nobody would know.
    if let file = files.first, files.allSatisfy(\.digests.isEmpty) {
      // It is the file of the first line.
      let line = reader.entries.first
      throw .otherAlgorithm(line?.tag ?? "\(line?.hex.utf8.count ?? 0) digits", name: file.name)
    }
    return files
  }

  /// Digits without an algorithm must be those of a digest, and of one that is compared if any other line has such: two
  /// lines whose middle was lost are one line with too many or too few digits.
  private static func requireOneKind(_ lines: [ChecksumLine]) throws(SidecarFault) {
    func isCompared(_ line: ChecksumLine) -> Bool {
      DigestAlgorithm.allCases.contains { $0.hexCount == line.hex.utf8.count }
    }
    let bare = lines.lazy.filter { $0.tag == nil }
    let areCompared = bare.contains(where: isCompared)
    for line in bare where areCompared ? !isCompared(line) : !ChecksumLine.isDigestLength(line.hex.utf8.count)
    {
      throw .wrongLength(expected: DigestAlgorithm.sha256.hexCount, actual: line.hex.utf8.count)
    }
  }

  /// The digest of the one file whose name matches `pattern`.
  package func digest(
    _ algorithm: DigestAlgorithm, entry pattern: EntryPattern
  ) throws(SidecarFault) -> HexDigest {
    let text = pattern.text.text.withoutDotSlash
    let named = (text.utf8.contains(UInt8(ascii: "/")) ? byName : byLastPart)[ByteString(text)] ?? []
    let candidates = pattern.isName ? named : Array(entries.indices)
    let matches = pattern.matcher
    var places: [Int] = []
    var names: Set<ByteString> = []
    for place in candidates where entries[place].mayBe(algorithm) {
      guard let name = entries[place].name, matches(name) else { continue }
      places.append(place)
      names.insert(ByteString(name))
    }
    guard names.count <= 1 else { throw .severalEntries(name: pattern.text.text, count: names.count) }
    guard let digest = try agreed(places, algorithm, pattern.text.text) else {
      throw missing(pattern.text.text)
    }
    return digest
  }

  /// Whether a line has the name, or ends in it as its last path part.
  package func names(_ name: String) -> Bool {
    byName[ByteString(name)] != nil || byLastPart[ByteString(name)] != nil
  }

  /// Whether no digest has a name.
  package var isUnnamed: Bool { certain.allSatisfy { $0.name == nil } }

  /// The entries that are digests, not merely like them.
  private var certain: [ChecksumLine] {
    entries.filter { !$0.isLoose || ChecksumLine.isDigestLength($0.hex.utf8.count) }
  }

  /// The digest in the lines at `places`; `nil` if none of them has `algorithm`.
  private func agreed(
    _ places: [Int], _ algorithm: DigestAlgorithm, _ name: String
  ) throws(SidecarFault) -> HexDigest? {
    var found: HexDigest?
    var misfit: Int?
    for place in places where entries[place].mayBe(algorithm) {
      guard let digest = HexDigest(entries[place].hex, algorithm) else {
        misfit = misfit ?? entries[place].hex.utf8.count
        continue
      }
      if let found, found != digest { throw .ambiguous(name: name) }
      found = digest
    }
    if found == nil, let misfit { throw .wrongLength(expected: algorithm.hexCount, actual: misfit) }
    return found
  }

  /// The only digest of `algorithm`, in a text without a line that may be another one.
  private func only(_ algorithm: DigestAlgorithm) throws(SidecarFault) -> HexDigest? {
    guard unreadable == nil else { return nil }
    let certain = certain
    let digests = certain.compactMap { $0.mayBe(algorithm) ? HexDigest($0.hex, algorithm) : nil }
    if digests.count == 1 { return digests[0] }
    // A lone digest of another algorithm is best described by its length.
    if digests.isEmpty, certain.count == 1, let line = certain.first {
      let count = line.hex.utf8.count
      if count != algorithm.hexCount { throw .wrongLength(expected: algorithm.hexCount, actual: count) }
    }
    return nil
  }

  private func missing(_ name: String) -> SidecarFault {
    if let unreadable, isUnnamed { return .unreadableLine(number: unreadable) }
    if certain.isEmpty { return .noDigest }
    let its = (byName[ByteString(name)] ?? []) + (byLastPart[ByteString(name)] ?? [])
    if let other = its.lazy.compactMap({ entries[$0].tag }).first {
      return .otherAlgorithm(other, name: name)
    }
    return .noEntry(name: name, count: certain.count)
  }
}

/// The bytes of a sidecar as text.
enum SidecarText {
  /// In UTF-8 and without a byte order mark, which is the only sign of UTF-16.
  static func decoded(_ bytes: [UInt8]) throws(SidecarFault) -> [UInt8] {
    switch bytes.prefix(2) {
    case [0xFF, 0xFE]: try utf16(bytes) { UInt16($0) | UInt16($1) << 8 }
    case [0xFE, 0xFF]: try utf16(bytes) { UInt16($0) << 8 | UInt16($1) }
    default: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }
  }

  private static func utf16(
    _ bytes: [UInt8], _ unit: (UInt8, UInt8) -> UInt16
  ) throws(SidecarFault) -> [UInt8] {
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
      throw .notText
    }
    return Array(text.utf8)
  }

  /// Whether there are no control characters except blanks and line ends.
  static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || ChecksumLine.isBlank($0) }
  }
}
