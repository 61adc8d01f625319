import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The next step where the system refused to write to a path.
enum SystemHint {
  /// - isOutput: the path is written in the manifest, so that it can be another one.
  static func text(errno code: Int32, isOutput: Bool) -> String {
    switch code {
    case EACCES, EPERM: "check the permissions of the folder"
    case EROFS: "make the file system writable, or choose another folder"
    case ENAMETOOLONG: isOutput ? "choose a shorter `output`" : "choose a shorter path"
    case EMFILE: "raise the limit on open files (ulimit -n), or run fewer jobs with -j"
    case ENFILE: "too many files are open on this machine: run again later"
    case EFBIG: "raise the limit on a file's size (ulimit -f), or choose another file system"
    case EIO: "the disk, or what stands for it, is at fault: see the system's log"
    case ENOENT, ESTALE: "the folder was removed meanwhile: run again"
    case ENOTDIR, EISDIR, EEXIST, ENOTEMPTY, ENXIO, ELOOP:
      isOutput ? "remove what stands there, or choose another `output`" : "remove what stands there"
    case EBUSY, ETXTBSY: "end the program that uses it, and run again"
    case ENOMEM, EAGAIN: "free some memory, and run again"
    // Not the system's: the records, which are in the state folder.
    case 0: "check the state folder, or name another one with --state-dir"
    default: "check the folder, and the disk that it is on"
    }
  }
}
