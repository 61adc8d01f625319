/// A target's index in ``Manifest/targets``: dense, in manifest order, with matrix targets at their template's
/// place.
package struct TargetID: Hashable, Comparable, Sendable {
  /// From 0.
  package let index: Int

  /// `index` must be 0 or more, and within the manifest that the id is used with.
  package init(_ index: Int) { self.index = index }

  /// In manifest order.
  package static func < (a: TargetID, b: TargetID) -> Bool { a.index < b.index }
}
