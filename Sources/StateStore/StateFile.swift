import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The state file as a file in its folder; SQLite sees only files that this type accepts.
struct StateFile {
  let folder: String

  var path: String { folder + "/state.db" }
  /// Beside the file while a transaction is under way, and after one that was killed.
  var journalPath: String { path + "-journal" }

  /// What is at ``path``.
  enum Standing: Equatable {
    /// Nothing, or a file of no bytes.
    case new
    case file
    /// Something that cannot be used as the state file, and why.
    case unusable(Schema.Objection)
  }

  /// Looks without changing anything; a file beside its journal is left to SQLite to judge.
  func standing() throws(StateFault) -> Standing {
    var info = stat()
    if unsafe lstat(journalPath, &info) == 0 {
      // SQLite could neither read such a journal nor write its own, in every run.
      guard info.st_mode & S_IFMT == S_IFREG else {
        return .unusable(Schema.Objection(text: "its journal is not a regular file"))
      }
      if journalNamesFile { return .unusable(Schema.Objection(text: "its journal names another file")) }
    }
    guard unsafe lstat(path, &info) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .new }
      throw .system(path: path)
    }
    // A link could lead out of the state folder, and opening a pipe would wait for ever.
    guard info.st_mode & S_IFMT == S_IFREG else {
      return .unusable(Schema.Objection(text: "it is not a regular file"))
    }
    if exists(journalPath) {
      // SQLite would take a log beside it for a part of the file.
      let isLogged = (try? header()).flatMap { $0 }.map(Schema.isWithLog) ?? false
      return isLogged
        ? .unusable(Schema.Objection(text: "it is not in the journal mode that syncmake uses")) : .file
    }
    if info.st_size == 0 { return .new }
    guard let header = try header() else { return .new }
    return Schema.objection(toHeader: header).map { .unusable($0) } ?? .file
  }

  /// Whether the journal ends as one of a transaction over several databases, with the path of a file that SQLite would
  /// remove after the roll-back (its documentation of the file format calls it the super-journal).
  ///
  /// syncmake never makes one, and a folder that somebody else made may have it.
  var journalNamesFile: Bool {
    guard let journal = try? Descriptor(reading: journalPath), let size = try? journal.regularSize,
      size >= Self.journalMagic.count,
      let end = try? journal.read(upTo: Self.journalMagic.count, at: Int64(size - Self.journalMagic.count))
    else { return false }
    return Self.endsInName(end)
  }

  /// The same of a journal's bytes.
  static func endsInName(_ journal: [UInt8]) -> Bool {
    journal.suffix(journalMagic.count) == journalMagic[...]
  }

  private static let journalMagic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  func exists(_ path: String) -> Bool {
    var info = stat()
    return unsafe lstat(path, &info) == 0
  }

  /// SQLite's change counter, which each transaction increases; `nil` if there is no whole header.
  var counter: Int64? { (try? header()).flatMap { $0 }.flatMap(Schema.counter(inHeader:)) }

  /// The first bytes, at most the header's size; `nil` if the file is gone.
  private func header() throws(StateFault) -> [UInt8]? {
    do throws(SystemError) { return try Descriptor(reading: path).read(upTo: Schema.headerSize, at: 0) } catch
    {
      if error.code == ENOENT { return nil }
      throw .system(error, path: path)
    }
  }
}

extension Descriptor {
  /// Opens a file of the state folder. Never follows a link, never waits for a pipe.
  init(reading path: String) throws(SystemError) { try self.init(path, in: AT_FDCWD, O_RDONLY | O_NOFOLLOW) }

  /// In bytes; `nil` if it is not a regular file.
  var regularSize: Int? {
    get throws(SystemError) {
      let status = try FileStatus(self)
      return status.kind == .file ? Int(status.signature.size) : nil
    }
  }

  /// More than the state of millions of targets takes, and less than would harm a machine.
  private static let mostAtOnce = 2 << 30

  /// All of a state file or journal; EFBIG for one that is longer than any of ours.
  func readState() throws(SystemError) -> [UInt8] {
    guard let size = try regularSize else { throw SystemError(EINVAL) }
    guard size <= Self.mostAtOnce else { throw SystemError(EFBIG) }
    return try read(upTo: size, at: 0)
  }
}
