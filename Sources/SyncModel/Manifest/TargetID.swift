/// A target's place in ``Manifest/targets``: dense, in manifest order, matrix targets where they expand.
package struct TargetID: Hashable, Comparable, Sendable {
  /// From 0.
  package let index: Int

  package init(_ index: Int) { self.index = index }

  package static func < (a: TargetID, b: TargetID) -> Bool { a.index < b.index }
}
