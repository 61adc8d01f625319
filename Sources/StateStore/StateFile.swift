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
    // SQLite could neither read such a journal nor write its own, in every run.
    if unsafe lstat(journalPath, &info) == 0, info.st_mode & S_IFMT != S_IFREG {
      return .unusable(Schema.Objection(text: "its journal is not a regular file"))
    }
    guard unsafe lstat(path, &info) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .new }
      throw .system(path: path)
    }
    // A link could lead out of the state folder, and opening a pipe would wait for ever.
    guard info.st_mode & S_IFMT == S_IFREG else {
      return .unusable(Schema.Objection(text: "it is not a regular file"))
    }
    if exists(journalPath) { return .file }
    if info.st_size == 0 { return .new }
    guard let header = try header() else { return .new }
    return Schema.objection(toHeader: header).map { .unusable($0) } ?? .file
  }

  func exists(_ path: String) -> Bool {
    var info = stat()
    return unsafe lstat(path, &info) == 0
  }

  /// The first bytes, at most the header's size; `nil` if the file is gone.
  private func header() throws(StateFault) -> [UInt8]? {
    guard let file = FileReader(path: path) else {
      if errno == ENOENT { return nil }
      throw .system(path: path)
    }
    guard let bytes = file.read(upTo: Schema.headerSize, at: 0) else { throw .system(path: path) }
    return bytes
  }
}

/// A file open for reading, by its descriptor; closes itself.
struct FileReader: ~Copyable {
  private let descriptor: Int32

  /// `nil` if the system refuses; see `errno`. Never follows a link, never waits for a pipe.
  init?(path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// `nil` if the system refuses.
  var status: stat? {
    var info = stat()
    return unsafe fstat(descriptor, &info) == 0 ? info : nil
  }

  /// The bytes from `offset` on, fewer than `count` only if the file ends; `nil` on failure.
  func read(upTo count: Int, at offset: Int) -> [UInt8]? {
    var isFailure = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + filled }, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        isFailure = got < 0
        guard got > 0 else { break }
        filled += got
      }
    }
    return isFailure ? nil : bytes
  }

  /// More than the state of millions of targets takes, and less than would harm a machine.
  private static let mostAtOnce = 2 << 30

  /// All of it; `nil` on failure, and for a file that is longer than any of ours (EFBIG).
  func readAll() -> [UInt8]? {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard status.st_size <= Self.mostAtOnce else {
      errno = EFBIG
      return nil
    }
    return read(upTo: Int(status.st_size), at: 0)
  }
}
