/// A step that decompresses: the unpacker and the block that it fills.
final class UnpackingStage {
  let unpacker: Unpacker
  /// Decompressed bytes that were not passed on yet.
  var unpacked: Block?

  /// `leavesSums`: the receiver of the blocks compares them with their members' sums.
  init(_ decoding: Decoding, leavesSums: Bool) {
    unpacker = Unpacker(decoding, leavesSums: leavesSums)
  }

  func restart() {
    unpacker.restart()
    unpacked?.clear()
  }
}
