/// A target's index in ``Manifest/targets``: dense, in manifest order, with matrix targets at their template's
/// place.
package struct TargetID: Hashable, Comparable, Sendable {
  /// From 0.
  package let index: Int

  package init(_ index: Int) { self.index = index }

  package static func < (a: TargetID, b: TargetID) -> Bool { a.index < b.index }
}
