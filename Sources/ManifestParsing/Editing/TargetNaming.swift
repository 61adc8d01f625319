package import SyncModel

/// The name of a target that is named after its URL.
package enum TargetNaming {
  /// Whether `name` can be a key on one line: YAML's keys have at most 1,024 characters.
  package static func isShort(_ name: String) -> Bool { name.utf8.count <= 1000 }

  /// The last part of the URL's path, decoded, with `-` for invalid characters, without the suffix of the format
  /// `unpacked`, if a step decompresses it.
  ///
  /// `nil` if there is none, or only a variable's value determines it.
  package static func name(for url: String, unpacked: Compression?) -> String? {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let part = String(Substring(path[(path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)...]))
    guard Template.isPlain(part), let part = WebURL.lastPart(ofPath: part) else { return nil }
    return valid(OutputName.unpacked(part, unpacked.map { [.decompress($0)] } ?? []))
  }

  /// A name for all that the list at `url` names: the last part of its path without an ending, or the folder of a file
  /// of digests; `nil` if there is none.
  package static func name(forList format: ListFormat, at url: String) -> String? {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    var parts = path.split(separator: UInt8(ascii: "/"))
    if format == .checksums { _ = parts.popLast() }
    guard let last = parts.last.map({ String(Substring($0)) }), Template.isPlain(last) else { return nil }
    let stem = format == .index || format == .checksums ? last[...] : last.prefix { $0 != "." }
    return valid(String(stem))
  }

  /// `text` with `-` for each byte that no name may have, from the first that may begin one; `nil` without such a byte.
  package static func valid(_ text: String) -> String? {
    let name = text.utf8.map { TargetName.isPart($0) ? $0 : UInt8(ascii: "-") }
    let trimmed = name.drop { !TargetName.isFirst($0) }
    return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
  }
}
