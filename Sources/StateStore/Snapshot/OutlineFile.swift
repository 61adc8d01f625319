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
  /// Then follow, as words of eight bytes: the sum of the rest, two; its key, two; the manifest's size and sum,
  /// two; the margin; the indent; 1 if there is a tail; the expanded size; the parts, four words each.
  private static let magic = Array("syncoln2".utf8)
  private static let sumOffset = 8
  private static let keyOffset = 24
  private static let summed = 40
  private static let fixed = 96
  private static let partSize = 32

  /// Replaces the outline in `folder` in one step; the caller holds the run lock. Nothing is synced: damage by a
  /// power cut is detected.
  package static func write(_ outline: ManifestOutline, of premises: SnapshotPremises, in folder: String) {
    var out = BinaryWriter(bytes: magic)
    out.bytes.reserveCapacity(fixed + outline.parts.count * partSize)
    let (key, manifest) = (premises.key.words, premises.manifest)
    for word in [0, 0, key.0, key.1, UInt64(bitPattern: manifest.count), manifest.lanes.0, manifest.lanes.1] {
      out.add(word)
    }
    out.add(UInt64(outline.margin))
    out.add(UInt64(outline.indent))
    out.add(outline.hasTail ? 1 : 0)
    out.add(UInt64(outline.expandedSize))
    for part in outline.parts {
      out.add(UInt64(part.length))
      out.add(part.sum)
      out.add(part.meaning)
      out.add(part.name)
    }
    let sum = sum(out.bytes, premises.key)
    out.set(sum.lanes.0, at: sumOffset)
    out.set(sum.lanes.1, at: sumOffset + 8)
    AtomicFile.replace("\(folder)/\(name)", with: out.bytes)
  }

  /// Whether there is something that may be one.
  package static func exists(in folder: String) -> Bool { unsafe access("\(folder)/\(name)", R_OK) == 0 }

  /// Removes it, if it exists; the caller holds the run lock.
  package static func remove(in folder: String) { unsafe unlink("\(folder)/\(name)") }

  /// The outline of the manifest in `premises`; `nil` if there is no undamaged one.
  package static func read(in folder: String, of premises: SnapshotPremises) -> ManifestOutline? {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"), let size = file.regularSize,
      size <= longest(premises), let bytes = try? file.read(upTo: size, at: 0), bytes.count >= fixed,
      bytes.starts(with: magic),
      (bytes.count - fixed).isMultiple(of: partSize)
    else { return nil }
    func word(_ offset: Int) -> UInt64 { BinaryWriter.word(bytes, offset) }
    let key = ByteSum.Key(words: (word(keyOffset), word(keyOffset + 8)))
    let manifest = ByteSum.Value(
      count: Int64(bitPattern: word(summed)), lanes: (word(summed + 8), word(summed + 16)))
    guard key == premises.key, manifest == premises.manifest,
      sum(bytes, key).lanes == (word(sumOffset), word(sumOffset + 8)),
      // Somebody may have written it to harm.
      let margin = Int(exactly: word(summed + 24)), let indent = Int(exactly: word(summed + 32)),
      let expandedSize = UInt32(exactly: word(summed + 48))
    else { return nil }
    var parts: [ManifestOutline.Part] = []
    parts.reserveCapacity((bytes.count - fixed) / partSize)
    for offset in stride(from: fixed, to: bytes.count, by: partSize) {
      guard let length = UInt32(exactly: word(offset)) else { return nil }
      parts.append(
        ManifestOutline.Part(
          length: length, sum: word(offset + 8), meaning: word(offset + 16), name: word(offset + 24)))
    }
    guard !parts.isEmpty else { return nil }
    var outline = ManifestOutline(
      parts: parts, hasTail: word(summed + 40) == 1, margin: margin, indent: indent)
    outline.expandedSize = Int(expandedSize)
    return outline
  }

  /// The largest size of that manifest's outline: every target takes at least four bytes of it.
  private static func longest(_ premises: SnapshotPremises) -> Int64 {
    Int64(fixed) + Int64(partSize) * (min(max(0, premises.manifest.count), 64 << 20) / 4 + 2)
  }

  private static func sum(_ bytes: [UInt8], _ key: ByteSum.Key) -> ByteSum.Value {
    unsafe bytes.withUnsafeBytes { unsafe ByteSum.of(UnsafeRawBufferPointer(rebasing: $0[summed...]), key) }
  }
}
