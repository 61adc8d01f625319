import StateStore
package import SyncModel

/// The targets of a compiled snapshot whose sources have something else than a plain "not modified"; all others are
/// fresh (docs/decisions/0023).
///
/// A run of these alone gives what a run of the whole manifest would: no target of the manifest depends on another.
package struct OpenTargets: Sendable {
  let image: SnapshotImage
  /// The numbers of these targets in the manifest, ascending.
  package let numbers: [Int]
  /// The outputs of ``numbers``, in the same order.
  package let outputs: [RelativePath]
  /// How many other targets there are.
  package var confirmed: Int { image.count - numbers.count }
  /// What the manifest must be for this to hold.
  package var premises: SnapshotPremises { image.premises }

  /// `nil` where a target depends on another, or something about the entries is odd.
  init?(_ image: SnapshotImage, _ entries: [Int32]) {
    guard !image.hasDependencies, !entries.isEmpty else { return nil }
    var targets: [(number: Int, output: RelativePath)] = []
    for entry in entries {
      let text = String(decoding: image.outputs(of: CollectionOfOne(entry)).dropLast(), as: UTF8.self)
      guard let output = try? RelativePath(text) else { return nil }
      targets.append((image.target(of: entry), output))
    }
    targets.sort { $0.number < $1.number }
    numbers = targets.map(\.number)
    outputs = targets.map(\.output)
    guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    self.image = image
  }

  /// The outline of the manifest, if each of its entries makes one target; `nil` also where there is none.
  package func outline(in folder: String) -> ManifestOutline? {
    OutlineFile.read(in: folder, of: premises).flatMap { $0.entryCount == image.count ? $0 : nil }
  }

  /// Whether the state in `folder` is still the one that the snapshot was made from.
  func isStateUnchanged(in folder: String) -> Bool { SnapshotFile.isStateUnchanged(image, in: folder) }
}
