/// A property that is true for every input; a violation is thrown.
///
/// The tests of this folder run the checks with seeds and a few thousand mutations, and libFuzzer (`scripts/fuzz`)
/// searches for other inputs.
struct FuzzCheck: Sendable {
  var name: String
  /// Checks the property for an input. Must be deterministic and keep nothing between two calls.
  var run: @Sendable (_ input: [UInt8]) throws(Violation) -> Void

  static let all =
    [
      FuzzCheck(name: "manifest", run: ManifestCheck.run),
      FuzzCheck(name: "foreign", run: ForeignCheck.run),
      FuzzCheck(name: "includes", run: IncludesCheck.run),
      FuzzCheck(name: "lock", run: LockCheck.run),
      FuzzCheck(name: "sidecar", run: SidecarCheck.run),
      FuzzCheck(name: "json", run: JSONCheck.run),
      FuzzCheck(name: "values", run: ValueCheck.run),
      FuzzCheck(name: "metalink", run: MetalinkCheck.run),
      FuzzCheck(name: "headers", run: HeaderCheck.run),
      FuzzCheck(name: "content-range", run: ContentRangeCheck.run),
      FuzzCheck(name: "dates", run: DateCheck.run),
      FuzzCheck(name: "gzip", run: GzipCheck.run),
      FuzzCheck(name: "decoders", run: DecoderCheck.run),
      FuzzCheck(name: "tar", run: TarCheck.run),
      FuzzCheck(name: "zip", run: ZipCheck.run),
      FuzzCheck(name: "tree", run: TreeCheck.run),
      FuzzCheck(name: "paths", run: PathCheck.run),
      FuzzCheck(name: "urls", run: URLCheck.run),
      FuzzCheck(name: "cleaning", run: CleaningCheck.run),
      FuzzCheck(name: "fetch", run: FetchCheck.run),
      FuzzCheck(name: "freshness", run: FreshnessCheck.run),
      FuzzCheck(name: "shard-reports", run: ShardReportCheck.run),
    ] + RowsCheck.all + ListCheck.all
}

/// A violation that a check found.
struct Violation: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// Throws `what` unless `condition` is true.
func demand(_ condition: Bool, _ what: @autoclosure () -> String) throws(Violation) {
  guard condition else { throw Violation(what()) }
}
