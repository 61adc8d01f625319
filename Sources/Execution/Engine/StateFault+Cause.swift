import StateStore
import SyncModel

extension StateFault {
  /// The same fault in the words of a target's failure.
  var asCause: FailureCause {
    if isWithoutLibrary { return isOutOfDescriptors ? .tooFewDescriptors : .internalError(text) }
    if isDiskFull { return .diskFull(path: path) }
    return .outputUnwritable(
      path: path, .system(errno: systemError, text: "the state cannot be written: \(text)"))
  }
}
