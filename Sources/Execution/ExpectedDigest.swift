import LocalFiles
import Planning
import SyncModel

/// Finds the digest that a rule or a step expects (SPEC section 4).
enum ExpectedDigest {
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
      context.lists.read(id) { list in
        let found = list.flatMap {
          look($0, algorithm, names: [name.text], exactName: true, source: context.manifest[id].name.text)
        }
        done(found, ExchangeTotals())
      }
    case .sidecar(let url):
      let names = [nameOfSource(target), target.output.name].compactMap { $0 }
      context.sidecars.fetch(url, for: target, anew: anew) { list, totals in
        let source = context.manifest.secrets.mask(url.text)
        done(
          list.flatMap { look($0, algorithm, names: names, exactName: false, source: source) }, totals)
      }
    }
  }

  /// Reads the line `name` of a list at once; for callers without a driver.
  static func entry(
    _ name: String, _ algorithm: DigestAlgorithm, in file: ReadableFile, list: String
  ) throws(FailureCause) -> HexDigest {
    let bytes = try OutputHasher.all(of: file, limit: ListShelf.longest)
    return try Self.list(bytes, source: list)
      .flatMap { look($0, algorithm, names: [name], exactName: true, source: list) }.get()
  }

  /// Reads a text of digests; `source` is what a failure calls it.
  static func list(_ bytes: [UInt8], source: String) -> Result<ChecksumList, FailureCause> {
    do throws(SidecarFault) { return .success(try ChecksumList(bytes)) } catch {
      return .failure(.sidecarInvalid(source: source, error))
    }
  }

  private static func look(
    _ list: ChecksumList, _ algorithm: DigestAlgorithm, names: [String], exactName: Bool, source: String
  ) -> Result<HexDigest, FailureCause> {
    do throws(SidecarFault) {
      return .success(try list.digest(algorithm, names: names, exactName: exactName))
    } catch {
      return .failure(.sidecarInvalid(source: source, error))
    }
  }

  private static func nameOfSource(_ target: Target) -> String? {
    guard case .urls(let urls) = target.source, let first = urls.first else { return nil }
    switch first {
    case .web(let url): return WebURL(url)?.lastPathPart
    case .file(let path, _):
      return path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    }
  }
}
