import SyncModel

/// The paths of a folder on a file system that ignores case, to find two that would be one (contract, section 10).
///
/// Names are compared by simple case folding and in Unicode's composed form. Some systems take more names for one, such
/// as "ss" and "ß"; these are found when they are made.
struct SpellingTable: Sendable {
  /// The paths as they are spelled, by what is left of them without case.
  private var spellings: [String: [UInt8]] = [:]
  /// The folder of the last path, which is noted.
  private var lastFolder: ArraySlice<ArraySlice<UInt8>> = []

  /// Takes a path and the folders above it. Throws if one of them was taken in another spelling.
  mutating func take(_ path: [ArraySlice<UInt8>]) throws(ArchiveFault.Reason) {
    let folder = path.dropLast()
    if folder != lastFolder {
      for end in folder.indices { try note(path[...end]) }
      lastFolder = folder
    }
    try note(path[...])
  }

  private mutating func note(_ path: ArraySlice<ArraySlice<UInt8>>) throws(ArchiveFault.Reason) {
    let spelling = EntryName.joined(path)
    let key = Self.folded(spelling)
    guard let earlier = spellings[key] else {
      spellings[key] = spelling
      return
    }
    if earlier != spelling { throw .sameWithoutCase(other: String(decoding: earlier, as: UTF8.self)) }
  }

  /// Equal for paths that differ in case only; two spellings of one letter are equal as strings.
  private static func folded(_ path: [UInt8]) -> String {
    guard let text = String(validating: path, as: UTF8.self) else {
      // Of bytes that are no text only those of ASCII have a case; each byte stays one, since U+FFFD would stand for many.
      let scalars = path.map { $0 < 0x80 ? lower(Unicode.Scalar($0)) : Unicode.Scalar($0) }
      return String(String.UnicodeScalarView(scalars)) + "\u{0}"
    }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { lower(upper($0)) }))
  }

  private static func upper(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    // The dotless i shares its capital with "i", but is no other case of it.
    scalar == "\u{131}" ? scalar : single(scalar.properties.uppercaseMapping) ?? scalar
  }

  private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    single(scalar.properties.lowercaseMapping) ?? scalar
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
  }
}
