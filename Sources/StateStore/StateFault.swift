import CSqliteShim
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The state file could not be read or written; its content is unchanged.
package struct StateFault: Error, Sendable, Equatable {
  /// SQLite's extended result code, 0 if the system refused before SQLite was called, or ``noLibrary``.
  package var code: Int32
  /// The system's `errno`; 0 if the system had no part in it.
  package var systemError: Int32
  /// The file or folder that it happened to.
  package var path: String
  /// SQLite's or the system's words.
  package var text: String
  /// The version of a state file by a later program, if that is the fault.
  package var laterVersion: Int64?

  /// `code` is SQLite's; `systemError` is an `errno`, or 0 if the system reported none.
  package init(
    code: Int32, systemError: Int32 = 0, path: String, text: String, laterVersion: Int64? = nil
  ) {
    self.code = code
    self.systemError = systemError
    self.path = path
    self.text = text
    self.laterVersion = laterVersion
  }

  /// The fault that `errno` describes right now.
  static func system(path: String) -> StateFault {
    system(SystemError(errno), path: path)
  }

  static func system(_ error: SystemError, path: String) -> StateFault {
    StateFault(code: 0, systemError: error.code, path: path, text: error.text)
  }

  static let noLibrary: Int32 = -1

  /// SQLite itself is not there, so that no state can be read or written anywhere.
  package var isWithoutLibrary: Bool { code == Self.noLibrary }

  /// The process may open no more files.
  package var isOutOfDescriptors: Bool { systemError == EMFILE }

  /// No room on the device, or the user's quota is used up.
  package var isDiskFull: Bool {
    primary == SQLITE_FULL || systemError == ENOSPC || systemError == EDQUOT
  }

  /// Another process kept the file locked, or kept changing it, for longer than we wait.
  package var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

  /// The bytes of the file are at fault, so that it is of no use to anybody.
  var isDamage: Bool {
    if code == SQLITE_IOERR | (2 << 8) { return true }  // SQLITE_IOERR_SHORT_READ: the file ends too soon.
    return [
      SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH,
      SQLITE_CONSTRAINT, SQLITE_TOOBIG,
    ].contains(primary)
  }

  /// The result code without its extension.
  private var primary: Int32 { code & 0xFF }
}
