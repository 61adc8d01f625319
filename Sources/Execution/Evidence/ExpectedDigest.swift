import Planning
import SyncModel

/// Finds the digest that a rule or a step expects (contract, section 4).
enum ExpectedDigest {
  /// `done` gets the digest and the cost of its requests, now or later, on the driver's thread.
  ///
  /// `subject` says which bytes the digest is of: in a sidecar, the line that names them comes first. `anew` fetches a
  /// sidecar and its signature again even if this run has them already.
  static func find(
    _ algorithm: DigestAlgorithm, _ source: DigestSource, of subject: DigestRule.Subject = .download,
    for target: Target, anew: Bool = false, in context: RunContext,
    done: @escaping (Result<HexDigest, FailureCause>, ExchangeTotals) -> Void
  ) {
    switch source {
    case .literal(let digest): done(.success(digest), ExchangeTotals())
    case .entry(let id, let name):
      context.texts.lists.read(id) { list in
        let source = context.manifest[id].name.text
        done(list.flatMap { entry(name.text, algorithm, in: $0, source: source) }, ExchangeTotals())
      }
    case .sidecar(let sidecar):
      let both = [nameOfSource(target), target.path.name].compactMap { $0 }
      // Without such a step both names are of the same bytes.
      let isChanged = target.steps.contains(where: \.transforms)
      let names = isChanged ? subject.among(download: both, output: both.reversed()) : both
      let source = context.manifest.secrets.mask(sidecar.url.shown)
      fetch(sidecar, for: target, anew: anew, in: context) { text, totals in
        let digest = text.flatMap { Self.digest(algorithm, in: $0, sidecar.choice, names, source: source) }
        done(digest, totals)
      }
    }
  }

  /// The line `name` of a list that `source` names.
  static func entry(
    _ name: String, _ algorithm: DigestAlgorithm, in list: ChecksumList, source: String
  ) -> Result<HexDigest, FailureCause> {
    look(source) { () throws(SidecarFault) in
      try list.digest(algorithm, names: [name], exactName: true)
    }
  }

  /// Reads a whole list at once; for callers without a driver.
  static func list(
    in file: any OpenedFile, source: String
  ) throws(FailureCause) -> ChecksumList {
    try list(try OutputHasher.all(of: file, limit: ListShelf.longest), source: source).get()
  }

  /// Reads a text of digests; `source` is what a failure calls it.
  static func list(_ bytes: [UInt8], source: String) -> Result<ChecksumList, FailureCause> {
    DigestText.list(bytes).mapError { $0.cause(source: source) }
  }

  /// The text of a sidecar, once its signature has been checked.
  private static func fetch(
    _ sidecar: Sidecar, for target: Target, anew: Bool, in context: RunContext,
    done: @escaping (Result<SidecarText, FailureCause>, ExchangeTotals) -> Void
  ) {
    guard let check = sidecar.signature else {
      return context.texts.sidecars.fetch([sidecar.url], for: target, anew: anew, done: done)
    }
    var (text, signature): (Result<SidecarText, FailureCause>?, Result<FetchedSignature, FailureCause>?)
    var totals = ExchangeTotals()
    func compare() {
      guard let text, let signature else { return }
      let checked = text.flatMap { text in
        signature.flatMap { signature in
          signature.check(.init(of: text.bytes), step: nil).map { .failure($0) } ?? .success(text)
        }
      }
      done(checked, totals)
    }
    context.texts.sidecars.fetch([sidecar.url], for: target, anew: anew) { found, cost in
      totals += cost
      text = found
      compare()
    }
    FetchedSignature.find(check, for: target, anew: anew, step: nil, in: context) { found, cost in
      totals += cost
      signature = found
      compare()
    }
  }

  /// The digest for a file with one of `names` in a sidecar's text.
  static func digest(
    _ algorithm: DigestAlgorithm, in text: SidecarText, _ choice: Sidecar.Choice, _ names: [String],
    source: String
  ) -> Result<HexDigest, FailureCause> {
    if case .json(let pointer) = choice {
      return text.document.mapError { $0.cause(source: source) }.flatMap { document in
        look(source) { () throws(SidecarFault) in
          try JSONDigest.digest(in: document, at: pointer, algorithm)
        }
      }
    }
    return text.list.mapError { $0.cause(source: source) }.flatMap { list in
      look(source) { () throws(SidecarFault) in
        if case .entry(let pattern) = choice { return try list.digest(algorithm, entry: pattern) }
        return try list.digest(algorithm, names: names, exactName: false)
      }
    }
  }

  private static func look(
    _ source: String, _ find: () throws(SidecarFault) -> HexDigest
  ) -> Result<HexDigest, FailureCause> {
    do throws(SidecarFault) { return .success(try find()) } catch {
      return .failure(.sidecarInvalid(source: source, error))
    }
  }

  private static func nameOfSource(_ target: Target) -> String? {
    guard let first = target.source.mirrors?.first else { return nil }
    switch first {
    case .web(let url): return WebURL(url)?.lastPathPart
    case .file(let path, _):
      return path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    }
  }
}
