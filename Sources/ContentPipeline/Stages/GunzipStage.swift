/// A `gunzip` step: the inflater and the block that it fills.
final class GunzipStage {
  let inflater: Inflater
  /// What was unpacked and not yet passed on.
  var unpacked: Block?

  init(_ library: UnpackingLibrary) { inflater = Inflater(library) }

  func restart() {
    inflater.restart()
    unpacked?.clear()
  }
}
