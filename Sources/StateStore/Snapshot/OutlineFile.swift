import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file `outline` in the state folder: the parts of the manifest that the snapshot beside it was made from.
///
/// Apart from the snapshot, since only a run whose manifest was edited reads it.
package enum OutlineFile {
  static let name = "outline"
  /// Its content, as words of eight bytes: the manifest's size and sum; the margin; the indent; 1 if there is a tail;
  /// the expanded size; the parts, four words each.
  private static let form = SealedForm("syncoln3")
  private static let fixed = SealedForm.contentOffset + 48
  private static let partSize = 32

  /// Replaces the outline in `folder` in one step; the caller holds the run lock. Nothing is synced: damage by a
  /// power cut is detected.
  package static func write(_ outline: ManifestOutline, of premises: SnapshotPremises, in folder: String) {
    var out = form.writer(premises.key, reserving: fixed + outline.parts.count * partSize)
    out.add(premises.manifest.count)
    out.add(premises.manifest.hash)
    for number in [outline.margin, outline.indent, outline.hasTail ? 1 : 0, outline.expandedSize] {
      out.add(number)
    }
    for part in outline.parts {
      out.add(UInt64(part.length))
      out.add(part.sum)
      out.add(part.meaning)
      out.add(part.name)
    }
    AtomicFile.replace("\(folder)/\(name)", with: SealedForm.sealed(out))
  }

  /// Whether there is something that may be one.
  package static func exists(in folder: String) -> Bool { unsafe access("\(folder)/\(name)", R_OK) == 0 }

  /// Removes it, if it exists; the caller holds the run lock.
  package static func remove(in folder: String) { unsafe unlink("\(folder)/\(name)") }

  /// The outline of the manifest in `premises`; `nil` if there is no undamaged one.
  package static func read(in folder: String, of premises: SnapshotPremises) -> ManifestOutline? {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"), let size = try? file.regularSize,
      size <= longest(premises), let bytes = try? file.read(upTo: size, at: 0),
      form.key(of: bytes) == premises.key, form.isIntact(bytes)
    else { return nil }
    return unsafe bytes.withUnsafeBytes {
      unsafe try? content(BinaryReader($0, at: SealedForm.contentOffset), premises)
    }
  }

  /// `nil` if it is another manifest's. The numbers may be written to harm.
  private static func content(
    _ reader: consuming BinaryReader, _ premises: SnapshotPremises
  ) throws(DamagedData) -> ManifestOutline? {
    let manifest = ByteSum.Value(count: try reader.number(), hash: try reader.number())
    let (margin, indent) = (try reader.number(Int.self), try reader.number(Int.self))
    let hasTail = try reader.number(Int.self) == 1
    guard manifest == premises.manifest, margin >= 0, indent >= 0,
      let expandedSize = UInt32(exactly: try reader.number(Int.self))
    else { return nil }
    var parts: [ManifestOutline.Part] = []
    parts.reserveCapacity(reader.left / partSize)
    while !reader.isAtEnd {
      guard let length = UInt32(exactly: try reader.number(UInt64.self)) else { return nil }
      parts.append(
        ManifestOutline.Part(
          length: length, sum: try reader.number(), meaning: try reader.number(), name: try reader.number()))
    }
    guard !parts.isEmpty else { return nil }
    var outline = ManifestOutline(parts: parts, hasTail: hasTail, margin: margin, indent: indent)
    outline.expandedSize = Int(expandedSize)
    return outline
  }

  /// The largest size of that manifest's outline: every target takes at least four bytes of it.
  private static func longest(_ premises: SnapshotPremises) -> Int64 {
    Int64(fixed) + Int64(partSize) * (min(max(0, premises.manifest.count), 64 << 20) / 4 + 2)
  }
}
