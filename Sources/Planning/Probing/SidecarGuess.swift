package import SyncModel

/// A place beside a file where its publisher may have its digest.
package struct SidecarGuess: Sendable, Hashable {
  /// How its address is made from the file's.
  package enum Form: Sendable, Hashable {
    /// The file's name followed by this, such as `.sha256`.
    case suffix(String)
    /// In the file's folder, under this name, such as `SHA256SUMS`.
    case list(String)
    /// The file's name without its suffixes, followed by this: `x.meta` beside `x.json.gz`.
    case stem(String)
    /// The first parts of the file's name, up to the version, followed by this: `tool_1.2_checksums.txt` beside
    /// `tool_1.2_linux_amd64.tar.gz`, as goreleaser names it.
    case release(String)
  }

  /// How the address is made.
  package var form: Form
  /// `nil` if the lines' lengths decide.
  package var algorithm: DigestAlgorithm?

  init(_ form: Form, _ algorithm: DigestAlgorithm?) {
    self.form = form
    self.algorithm = algorithm
  }

  /// The guesses: the second part only if the first has no digest. Best first: sha256 is the fastest secure one.
  package static let rounds: [[SidecarGuess]] = [common, rare]

  /// All of ``rounds``.
  package static let all = common + rare

  private static let common: [SidecarGuess] = [
    SidecarGuess(.suffix(".sha256"), .sha256), SidecarGuess(.suffix(".sha256sum"), .sha256),
    SidecarGuess(.list("SHA256SUMS"), .sha256), SidecarGuess(.suffix(".sha512"), .sha512),
    SidecarGuess(.list("SHA512SUMS"), .sha512), SidecarGuess(.suffix(".sha1"), .sha1),
    SidecarGuess(.suffix(".md5"), .md5), SidecarGuess(.list("MD5SUMS"), .md5),
    SidecarGuess(.list("CHECKSUMS"), nil),
  ]

  private static let rare: [SidecarGuess] = [
    SidecarGuess(.list("checksums.txt"), nil), SidecarGuess(.release("_checksums.txt"), nil),
    SidecarGuess(.list("SHASUMS256.txt"), .sha256), SidecarGuess(.list("sha256sum.txt"), .sha256),
    SidecarGuess(.list("CHECKSUM"), nil), SidecarGuess(.suffix(".metalink"), nil),
    SidecarGuess(.list("md5sum.txt"), .md5), SidecarGuess(.list("md5checksums.txt"), .md5),
    SidecarGuess(.stem(".meta"), .sha256),
  ]

  /// The URL, made from the file's URL as written; a fragment is removed.
  ///
  /// `nil` if it has a query, whose meaning for other files is unknown, and if the folder is unknown, as when the
  /// last part is a variable's.
  package func address(beside file: String) -> String? {
    let file = file.utf8.prefix { $0 != UInt8(ascii: "#") }
    guard !file.contains(UInt8(ascii: "?")) else { return nil }
    if case .suffix(let suffix) = form { return String(Substring(file)) + suffix }
    let slash = file.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { file[$0...].dropFirst() } ?? file
    // "}" also ends a variable that contains a slash.
    guard !last.contains(UInt8(ascii: "}")), !last.contains(UInt8(ascii: "$")) else { return nil }
    let folder = String(Substring(file[..<last.startIndex]))
    return Self.name(form, beside: String(Substring(last))).map { folder + $0 }
  }

  private static func name(_ form: Form, beside file: String) -> String? {
    switch form {
    case .suffix(let suffix): return file + suffix
    case .list(let name): return name
    case .stem(let suffix):
      let parts = file.split(separator: ".", omittingEmptySubsequences: false)
      let endings = parts.count > 2 && isPacked(file) ? 2 : 1
      let stem = parts.dropLast(min(endings, parts.count - 1)).joined(separator: ".")
      return stem.isEmpty ? nil : stem + suffix
    case .release(let suffix):
      let parts = file.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count > 1, !parts[0].isEmpty else { return nil }
      let version = parts[1].utf8.first == UInt8(ascii: "v") ? parts[1].dropFirst() : parts[1]
      let isVersion = version.utf8.first.map { (0x30...0x39).contains($0) } ?? false
      return parts.prefix(isVersion && parts.count > 2 ? 2 : 1).joined(separator: "_") + suffix
    }
  }

  private static func isPacked(_ name: String) -> Bool {
    [".gz", ".xz", ".bz2", ".zst", ".zip"].contains { name.lowercased().hasSuffix($0) }
  }

  /// Which bytes such a digest is of: a `.meta` beside a packed file describes the file inside.
  package func subject(beside file: String) -> DigestRule.Subject {
    if case .stem = form, Self.isPacked(file) { return .output }
    return .download
  }

  /// The URL beside a source; `nil` if there is none to try.
  package func source(beside source: SourceURL) -> SourceURL? {
    switch source {
    case .web(let url): return address(beside: url).map { .web($0) }
    case .file(let path, let written):
      guard !path.utf8.contains(UInt8(ascii: "?")), !path.utf8.contains(UInt8(ascii: "#")),
        let beside = address(beside: path), let shown = address(beside: written)
      else { return nil }
      return .file(path: beside, written: shown)
    }
  }

  /// The digest that `list` gives for the file called `name`; `nil` if it is about other files.
  package func read(_ list: ChecksumList, name: String) throws(SidecarFault) -> (DigestAlgorithm, HexDigest)?
  {
    guard list.names(name) || isOfOneFile && list.isUnnamed else { return nil }
    var fault: SidecarFault?
    for algorithm in algorithm.map({ [$0] }) ?? [.sha256, .sha512, .sha1, .md5] {
      do throws(SidecarFault) {
        return (algorithm, try list.digest(algorithm, names: [name], exactName: false))
      } catch {
        fault = fault ?? error
      }
    }
    if let fault { throw fault }
    return nil
  }

  /// Whether its name determines the file.
  private var isOfOneFile: Bool {
    switch form {
    case .suffix, .stem: true
    case .list, .release: false
    }
  }
}

/// The result for a ``SidecarGuess``.
package struct SidecarFinding: Sendable, Equatable {
  /// The guess that led to it.
  package var guess: SidecarGuess
  /// The guess's address, secrets still in it.
  package var url: SourceURL
  /// What the file says about the probed file.
  package var content: Content
  /// Which bytes its digest is of.
  package var subject: DigestRule.Subject

  /// Its information about the file.
  package enum Content: Sendable, Equatable {
    /// It gives this digest of the file.
    case digest(DigestAlgorithm, HexDigest)
    /// It lists other files only.
    case ofOthers
    /// It is there and cannot be read.
    case unreadable(SidecarFault)
  }

  /// `url` is the address that `guess` led to, and where a file was found.
  package init(
    guess: SidecarGuess, url: SourceURL, content: Content, of subject: DigestRule.Subject = .download
  ) {
    self.guess = guess
    self.subject = subject
    self.url = url
    self.content = content
  }
}
