import Testing

/// A recipe under `examples/`, with a publisher that has the layout, validators, digests and redirects of the real one.
struct Recipe: Sendable, CustomTestStringConvertible {
  /// The folder's name.
  var name: String
  /// The real publisher.
  var address: String
  /// Publishes an edition, and returns each resulting output with its content.
  var publish: @Sendable (Edition, Publisher) throws -> [String: [UInt8]]
  /// The paths that a run requests if nothing has changed since the first edition.
  var confirmations: [String]
  /// The paths among them that only redirect: no condition is sent there.
  var passedThrough: [String] = []
  /// The code with which a damaged edition is refused.
  var refusal = "digest-mismatch"

  var testDescription: String { name }

  static let all: [Recipe] = [
    .curlBundle, .publicSuffixList, .registries, .assembly, .taxonomy, .timeZones, .geoLite, .timetable,
    .docsets, .clinvar, .chromosomes, .mapExtracts, .cloudImages, .releaseAsset, .releaseArchive,
    .latestRelease, .modelFiles, .vulnerabilities, .encyclopedia, .databaseDump, .mirroredFolder, .podcast,
    .pypi, .npmPackage, .mavenCentral, .nodejs, .zenodo, .uniprot, .exchangeRates,
    .resolverList,
  ]
}
