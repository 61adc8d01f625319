import SyncModel

/// A place beside a file where its publisher may keep its digest.
package struct SidecarGuess: Sendable, Hashable {
  /// How its address is made from the file's.
  package enum Form: Sendable, Hashable {
    /// The file's with this behind it, such as `.sha256`.
    case suffix(String)
    /// In the file's folder, under this name, such as `SHA256SUMS`.
    case list(String)
  }

  package var form: Form
  /// `nil` where the lines' lengths tell.
  package var algorithm: DigestAlgorithm?

  init(_ form: Form, _ algorithm: DigestAlgorithm?) {
    self.form = form
    self.algorithm = algorithm
  }

  /// Best first: sha256 is the fastest that is safe.
  package static let all: [SidecarGuess] = [
    SidecarGuess(.suffix(".sha256"), .sha256), SidecarGuess(.suffix(".sha256sum"), .sha256),
    SidecarGuess(.list("SHA256SUMS"), .sha256), SidecarGuess(.suffix(".sha512"), .sha512),
    SidecarGuess(.list("SHA512SUMS"), .sha512), SidecarGuess(.suffix(".sha1"), .sha1),
    SidecarGuess(.suffix(".md5"), .md5), SidecarGuess(.list("MD5SUMS"), .md5),
    SidecarGuess(.list("CHECKSUMS"), nil),
  ]

  /// The address, made from that of the file as it is written; a fragment is left out.
  ///
  /// `nil` where it has a query, since nobody knows what that means beside the file, and where the folder is not
  /// told, as when the last part is a variable's.
  package func address(beside file: String) -> String? {
    let file = file.utf8.prefix { $0 != UInt8(ascii: "#") }
    guard !file.contains(UInt8(ascii: "?")) else { return nil }
    switch form {
    case .suffix(let suffix): return String(Substring(file)) + suffix
    case .list(let name):
      let slash = file.lastIndex(of: UInt8(ascii: "/"))
      let last = slash.map { file[$0...].dropFirst() } ?? file
      // "}" also ends a variable that holds a slash of its own.
      guard !last.contains(UInt8(ascii: "}")), !last.contains(UInt8(ascii: "$")) else { return nil }
      return String(Substring(file[..<last.startIndex])) + name
    }
  }

  /// The address beside a source; `nil` where none is to be looked for.
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

  /// The digest that `bytes` give for the file called `name`; `nil` where they speak of other files.
  package func read(_ bytes: [UInt8], name: String) throws(SidecarFault) -> (DigestAlgorithm, HexDigest)? {
    let list = try ChecksumList(bytes)
    guard list.names(name) || isSuffix && list.isOneBareDigest else { return nil }
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

  private var isSuffix: Bool { if case .suffix = form { true } else { false } }
}

/// What was found at a ``SidecarGuess``.
package struct SidecarFinding: Sendable, Equatable {
  package var guess: SidecarGuess
  /// The guess's address, secrets still in it.
  package var url: SourceURL
  package var content: Content

  /// What it says of the file that it lies beside.
  package enum Content: Sendable, Equatable {
    case digest(DigestAlgorithm, HexDigest)
    /// It lists other files only.
    case ofOthers
    /// It is there and cannot be read.
    case unreadable(SidecarFault)
  }

  package init(guess: SidecarGuess, url: SourceURL, content: Content) {
    self.guess = guess
    self.url = url
    self.content = content
  }
}
