/// A version's place in the order of versions (contract, section 11): the later version is the greater one.
///
/// A version is read as numbers and words. Numbers compare as numbers, words by their letters without regard to case.
/// Where two versions differ first, the order is: an early mark, the version's end, build metadata (after `+` or `^`),
/// a revision (after `-`), a word, a number. So `1.2-beta` < `1.2~rc1` = `1.2rc1` < `1.2` < `1.2+5` < `1.2-1` < `1.2a` <
/// `1.2.1`. All other characters only separate. A `v` before the first digit counts for nothing, nor do leading zeros.
///
/// An early mark is a `~`, the hyphen before the pre-release of a version as semver has it, and what stands before a
/// word that names a pre-release: ``isPrerelease``. Behind such a mark a number is before a word, as in semver.
///
/// Versions that differ only in what counts for nothing are equal; ``ListSelection`` keeps the list's order of them.
package struct VersionOrder: Sendable, Hashable, Comparable {
  /// Compared byte by byte. See ``VersionReader``.
  private let code: [UInt8]
  /// The first bytes of ``code``, where most versions differ.
  private let start: UInt64
  /// Whether it is a pre-release.
  ///
  /// It is if it has the form of semver with a pre-release (`1.2.0-rc.1`, `v1.2.0-x`), unless that is a single number: in
  /// `7.1.1-29` publishers count the revisions of one release. It also is if one of its words is `alpha`, `beta`, `rc`,
  /// `pre`, `preview`, `prerelease`, `dev`, `snapshot`, `nightly` or `canary`, in any case, or an `a` or `b` directly
  /// between two digits (`1.2b3`). Build metadata is not considered, and a `~` alone says nothing: distributions mark
  /// their own releases so (`1.2~bookworm`).
  package let isPrerelease: Bool

  /// ``isPrerelease`` of a version, without its place.
  package static func isPrerelease(_ version: String) -> Bool {
    // Each form of a pre-release has a letter or a hyphen.
    let mayBe = version.utf8.contains { $0 == UInt8(ascii: "-") || VersionReader.isLetter($0) }
    return mayBe && VersionOrder(version).isPrerelease
  }

  /// Reads any text.
  package init(_ version: String) {
    var reader = VersionReader(version)
    reader.read()
    code = reader.code
    isPrerelease = reader.isPrerelease
    var start: UInt64 = 0
    for place in 0..<8 { start = start << 8 | (place < code.count ? UInt64(code[place]) : 0) }
    self.start = start
  }

  /// Whether `a` is the earlier version.
  package static func < (a: VersionOrder, b: VersionOrder) -> Bool {
    a.start == b.start ? a.code.lexicographicallyPrecedes(b.code) : a.start < b.start
  }
}
