import StateStore
import SyncModel

extension StateFault {
  /// The same fault in the words of a target's failure.
  var asCause: FailureCause {
    if isWithoutLibrary {
      if isOutOfDescriptors { return .tooFewDescriptors }
      return .libraryMissing(name: "libsqlite3.so.0", purpose: "to read and write the state")
    }
    if isDiskFull { return .diskFull(path: path) }
    return .outputUnwritable(path: path, asPathFault)
  }

  /// The same as the reason why nothing is written at a path.
  var asPathFault: PathFault {
    let text = "the state cannot be written: \(text)"
    return systemError == 0 ? .records(text: text) : .system(errno: systemError, text: text)
  }
}
