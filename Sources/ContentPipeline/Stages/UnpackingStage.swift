/// A step that decompresses: the unpacker and the block that it fills.
final class UnpackingStage {
  let unpacker: Unpacker
  /// What was unpacked and not yet passed on.
  var unpacked: Block?

  /// `leavesSums`: whoever takes the blocks holds them against their members' sums.
  init(_ decoding: Decoding, leavesSums: Bool) {
    unpacker = Unpacker(decoding, leavesSums: leavesSums)
  }

  func restart() {
    unpacker.restart()
    unpacked?.clear()
  }
}
