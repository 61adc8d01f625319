/// A text from a list as a part of a target's name (contract, section 11).
package enum ListedName {
  /// `text` with `_` for each character that names may not contain; of a decomposed letter, letter and accent are two.
  package static func part(_ text: String) -> String {
    if text.utf8.allSatisfy(TargetName.isPart) { return text }
    let name = text.unicodeScalars.map { scalar in
      if scalar.isASCII, TargetName.isPart(UInt8(scalar.value)) { scalar } else { "_" as Unicode.Scalar }
    }
    return String(String.UnicodeScalarView(name))
  }

  /// A whole name that was made of such parts: `_` for a first character that only later ones may be.
  package static func whole(_ name: String) -> String {
    guard let first = name.utf8.first, !TargetName.isFirst(first), TargetName.isPart(first) else {
      return name
    }
    return "_" + String(Substring(name.utf8.dropFirst()))
  }
}
