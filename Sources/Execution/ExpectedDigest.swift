import LocalFiles
import Planning
import SyncModel

/// Finds the digest that a rule or a step expects (SPEC section 4).
enum ExpectedDigest {
  /// The longest list that `{target: T, entry: NAME}` reads.
  static let longestList = 64 << 20

  /// `done` gets the digest and what it cost to ask for it; called now or later, on the driver's thread.
  ///
  /// `anew` fetches a sidecar again even if this run has it already.
  static func find(
    _ algorithm: DigestAlgorithm, _ source: DigestSource, for target: Target, anew: Bool = false,
    in context: RunContext, done: @escaping (Result<HexDigest, FailureCause>, ExchangeTotals) -> Void
  ) {
    switch source {
    case .literal(let digest): done(.success(digest), ExchangeTotals())
    case .entry(let id, let name):
      let path = context.manifest[id].output
      let root = context.root
      let list = context.manifest[id].name.text
      OutputHasher.read(
        { () throws(FailureCause) in try root.open(path) }, limit: longestList, in: context,
        done: { done(parse($0, algorithm, names: [name], exactName: true, source: list), ExchangeTotals()) })
    case .sidecar(let url):
      let names = [nameOfSource(target), target.output.name].compactMap { $0 }
      context.sidecars.fetch(url, for: target, anew: anew) { result, totals in
        done(
          parse(
            result, algorithm, names: names, exactName: false,
            source: context.manifest.secrets.mask(url.text)), totals)
      }
    }
  }

  /// Reads the line `name` of a list at once; for callers without a driver.
  static func entry(
    _ name: String, _ algorithm: DigestAlgorithm, in list: ReadableFile, list listName: String
  ) throws(FailureCause) -> HexDigest {
    let bytes = try OutputHasher.all(of: list, limit: longestList)
    return try parse(.success(bytes), algorithm, names: [name], exactName: true, source: listName).get()
  }

  private static func parse(
    _ bytes: Result<[UInt8], FailureCause>, _ algorithm: DigestAlgorithm, names: [String], exactName: Bool,
    source: String
  ) -> Result<HexDigest, FailureCause> {
    bytes.flatMap { bytes in
      do throws(SidecarFault) {
        return .success(
          try SidecarParser.digest(in: bytes, algorithm: algorithm, names: names, exactName: exactName))
      } catch {
        return .failure(.sidecarInvalid(source: source, error))
      }
    }
  }

  private static func nameOfSource(_ target: Target) -> String? {
    guard case .urls(let urls) = target.source, let first = urls.first else { return nil }
    switch first {
    case .web(let url): return WebURL(url)?.lastPathPart
    case .file(let path, _): return path.split(separator: "/").last.map(String.init)
    }
  }
}
