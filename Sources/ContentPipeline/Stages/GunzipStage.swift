/// A `gunzip` step: the inflater and the block that it fills.
final class GunzipStage {
  let inflater: Inflater
  /// What was unpacked and not yet passed on.
  var unpacked: Block?

  /// `leavesSums`: whoever takes the blocks holds them against their members' sums.
  init(_ library: UnpackingLibrary, leavesSums: Bool) {
    inflater = Inflater(library, leavesSums: leavesSums)
  }

  func restart() {
    inflater.restart()
    unpacked?.clear()
  }
}
