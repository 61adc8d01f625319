import SyncModel

@testable import Reporting

/// Failures of outputs and local sources.
extension FailureCase {
  static let files: [FailureCase] = [
    FailureCase(
      .outputModified(expected: a, actual: b), "the output was edited locally: its sha256 was \(a), now \(b)",
      "--overwrite replaces it, `local_changes: keep` keeps it; or move it away and run again"),
    FailureCase(
      .outputModified(expected: a, actual: nil),
      "the output was edited locally: its sha256 is no longer \(a)",
      "--overwrite replaces it, `local_changes: keep` keeps it; or move it away and run again"),
    FailureCase(
      .notBegun("another run holds this root: process 1", hint: "remove --no-wait to wait for it"),
      "another run holds this root: process 1", "remove --no-wait to wait for it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .isLink), "cannot write data/x: it is a symbolic link",
      "syncmake never writes through links: remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .isFolder), "cannot write data/x: it is a folder",
      "remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .isDevice), "cannot write data/x: it is not a regular file",
      "remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .parentIsLink("data")),
      "cannot write data/x: data is a symbolic link",
      "syncmake never writes through links: remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .parentIsNotFolder("data")),
      "cannot write data/x: data is not a folder",
      "remove it"),
    FailureCase(
      .outputUnwritable(path: "data/x", .system(errno: 13, text: "Permission denied")),
      "cannot write data/x: Permission denied (error 13)", "check the permissions of the folder"),
    FailureCase(
      .outputUnwritable(path: "p/.syncmake", .belongsTo(user: "root", ofFolder: true)),
      "cannot write p/.syncmake: it does not exist, and its folder belongs to root",
      "run as that user, or get the right to write to the folder"),
    FailureCase(
      .outputUnwritable(path: "/var/state", .belongsTo(user: "root", ofFolder: true)),
      "cannot write /var/state: it does not exist, and its folder belongs to root",
      "run as that user, or choose another folder with --state-dir"),
    FailureCase(
      .lockChanged, "cannot write syncmake.lock: another program has changed it meanwhile",
      "look at it, and run the command again"),
    FailureCase(
      .diskFull(path: "data/x"), "no space is left to write data/x", "free some space and run again"),
    FailureCase(
      .stateDiskFull(folder: ".syncmake", largest: ".syncmake/partial/x.part"),
      "no space is left in the state folder .syncmake, where .syncmake/partial/x.part keeps the beginning of a download",
      "free some space on that disk, or choose another folder with --state-dir; that file is removed when its target succeeds, or you can remove it"
    ),
    FailureCase(
      .sourceUnreadable(path: "in/x", .missing),
      "cannot read in/x: No such file or directory",
      "check the path, and its permissions"),
    FailureCase(
      .internalError("queue is empty"), "internal error: queue is empty",
      "this is a bug in syncmake: please report it with the output of --verbose"),
  ]
}
