import SyncModel

/// The digest that bytes must have: written here, or published beside the file.
public struct Digest: Sendable, Equatable {
  /// The kind of a digest.
  public enum Algorithm: String, Sendable, CaseIterable {
    /// The names that manifests use. `md5` and `sha1` prove that a transfer is whole, not who made the file.
    case md5, sha1, sha256, sha512
  }

  /// As a manifest has it after `freshness:` or `verify:`, without the braces.
  let text: String

  /// The digest itself, in hexadecimal digits of either case.
  public init(_ algorithm: Algorithm, _ digits: String) {
    text = "\(algorithm.rawValue): \(Written.text(digits))"
  }

  /// A digest that is published in a file of its own, which each run asks for.
  ///
  /// - Parameters:
  ///   - algorithm: the kind of the digest.
  ///   - url: a file such as `genes.gz.md5` or `SHA256SUMS`; all usual forms are read.
  ///   - entry: the name in the file's line, in which `*` and `?` are wildcards; `nil` takes the line that names the
  ///     URL's last part, or the only one.
  public init(_ algorithm: Algorithm, at url: String, entry: String? = nil) {
    let name = entry.map { ", entry: \(Written.text($0))" } ?? ""
    text = "\(algorithm.rawValue): {url: \(Written.text(url))\(name)}"
  }
}
