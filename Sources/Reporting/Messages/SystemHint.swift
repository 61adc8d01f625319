/// The next step if the system refused to write to a path.
///
/// This module knows no system, so it has the error numbers itself: unnamed ones are the same on Linux
/// (`asm-generic/errno.h`) and Darwin (`sys/errno.h`), the others are not.
enum SystemHint {
  #if os(Linux)
    private static let (nameTooLong, tooManyLinks, notEmpty, stale): (Int32, Int32, Int32, Int32) = (
      36, 40, 39, 116
    )
  #else
    private static let (nameTooLong, tooManyLinks, notEmpty, stale): (Int32, Int32, Int32, Int32) = (
      63, 62, 66, 70
    )
  #endif

  static func text(errno code: Int32, isOutput: Bool) -> String {
    switch code {
    case 1, 13:  // EPERM, EACCES
      "check the permissions of the folder"
    case 30:  // EROFS
      "make the file system writable, or choose another folder"
    case nameTooLong: isOutput ? "choose a shorter `output`" : "choose a shorter path"
    case 24:  // EMFILE
      "run fewer jobs with -j, or raise the hard limit on open files (ulimit -Hn)"
    case 23:  // ENFILE
      "too many files are open on this machine: run again later"
    case 27:  // EFBIG
      "raise the limit on a file's size (ulimit -f), or choose another file system"
    case 5:  // EIO
      "the disk is faulty: see the system's log"
    case 2, stale:  // ENOENT
      "the folder is not there; if it was removed during the run, run again"
    case 6, 17, 20, 21, notEmpty, tooManyLinks:  // ENXIO, EEXIST, ENOTDIR, EISDIR
      isOutput ? "remove what is at this path, or choose another `output`" : "remove what is at this path"
    case 16, 26:  // EBUSY, ETXTBSY
      "stop the program that uses it, and run again"
    case 12:  // ENOMEM
      "free some memory, and run again"
    default: "check the folder and its disk"
    }
  }
}
