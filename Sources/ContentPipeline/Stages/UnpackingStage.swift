/// A step that transforms bytes, and the block that it fills.
final class UnpackingStage {
  let transform: any ByteTransform
  /// Bytes that were not passed on yet.
  var unpacked: Block?

  init(_ transform: any ByteTransform) { self.transform = transform }

  func restart() {
    transform.restart()
    unpacked?.clear()
  }
}
