package import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A cache on this machine, which several runs use at once and other programs may share.
///
/// Its layout is that of Bazel's disk caches: files by their sha256 in `cas/ab/HEX`, small values in `ac/ab/HEX`. An
/// entry appears in one step and is never changed, only removed or replaced. Nothing is synced: whoever takes bytes
/// digests them. Links in it are not followed. `tmp/` has what is being written, `locks/` what is being fetched.
package final class CacheFolder: Sendable {
  /// As given.
  package let path: String
  /// Whether nobody but its owner can write to it, so that its records are this user's.
  package let isOwn: Bool
  /// Whether nobody but its owner can reach what is in it.
  private let isClosed: Bool
  private let top: OpenFolder
  /// Opened once: each target that is fetched needs two.
  private let parts = Monitor<[Part: OpenFolder]>([:])
  /// For files that cannot wait for their names.
  let names = NameSeries()

  /// The parts of a cache.
  enum Part: String, CaseIterable {
    case files = "cas"
    case values = "ac"
    case unfinished = "tmp"
    case locks
  }

  /// Opens the folder at `path`; makes it, and the folders above it, if `isMade`.
  package init(path: String, isMade: Bool, mayBeLink: Bool = true) throws(CacheFault) {
    self.path = path
    do throws(SystemError) {
      if isMade { try StateFolder.createFolders(path, mode: 0o700) }
      if !mayBeLink { try FileStatus.requireFolder(path) }
      top = try OpenFolder(path: path)
      let status = try top.status()
      guard status.owner == geteuid() else { throw SystemError(EPERM) }
      isOwn = Self.isOwn(status)
      isClosed = status.mode & 0o077 == 0
    } catch {
      if error.code == ENOENT, !isMade { throw .missing }
      if error.code == EPERM, let owner = FileOwner.other(of: path) { throw .belongs(to: owner.name) }
      throw .system(error.text)
    }
    if isMade { try? createTag() }
  }

  /// Opens, or makes, the folder that the user names; without a home folder, `~/` is still in its path.
  package convenience init(named path: String, isMade: Bool) throws(CacheFault) {
    guard !path.hasPrefix("~/") else { throw .noHome }
    try self.init(path: path, isMade: isMade)
  }

  /// By which programs for backups know that nothing of it need be kept (<https://bford.info/cachedir/>).
  private func createTag() throws(SystemError) {
    guard (try? top.status(of: "CACHEDIR.TAG")) == nil else { return }
    // In a folder that has something else, programs would leave that out, too. Not only caches have a folder `tmp`.
    let names = try top.names().filter { !$0.hasPrefix(".") && $0 != "lost+found" }
    let parts = names.compactMap(Part.init)
    guard parts.count == names.count else { return }
    if parts.contains(.unfinished) {
      let unfinished = try OpenFolder(Part.unfinished.rawValue, in: top).names()
      guard unfinished.allSatisfy(NameSeries.mayGive), parts.count > 1 else { return }
    }
    let file = try top.create("CACHEDIR.TAG", mode: 0o644)
    try file.write(Array("Signature: 8a477f597d28d172789f06886806bc55\n# A cache of syncmake.\n".utf8))
  }

  // MARK: Places

  func folder(_ part: Part, isMade: Bool = false) throws(SystemError) -> OpenFolder {
    if let open = parts.withLock({ $0[part] }) { return open }
    let folder = try Self.folder(part.rawValue, in: top, isMade: isMade)
    parts.withLock { $0[part] = folder }
    return folder
  }

  /// The folder for an entry: the first two digits of its name.
  func folder(of name: HexDigest, _ part: Part, isMade: Bool = false) throws(SystemError)
    -> OpenFolder
  {
    try Self.folder(Self.prefix(name), in: folder(part, isMade: isMade), isMade: isMade)
  }

  /// The name of an entry's folder in its part of the cache.
  private static func prefix(_ name: HexDigest) -> String { String(name.text.prefix(2)) }

  /// Opens an entry, if it is a file, for reading.
  private func open<Opened>(
    _ name: HexDigest, _ part: Part, _ body: (consuming Descriptor, FileSignature) -> Opened?
  ) -> Opened? {
    guard let file = try? folder(part).open(name.text, inFolder: Self.prefix(name)),
      let status = try? FileStatus(file), status.kind == .file
    else { return nil }
    return body(file, status.signature)
  }

  private static func folder(_ name: String, in parent: OpenFolder, isMade: Bool) throws(SystemError)
    -> OpenFolder
  {
    do throws(SystemError) { return try OpenFolder(name, in: parent) } catch {
      guard isMade, error.code == ENOENT else { throw error }
    }
    try parent.createFolder(name)
    return try OpenFolder(name, in: parent)
  }

  /// The path of a file, for messages.
  package func path(of sha256: HexDigest) -> String {
    "\(path)/\(Part.files.rawValue)/\(sha256.text.prefix(2))/\(sha256.text)"
  }

  // MARK: Files

  /// The number of bytes of the file with this name; `nil` if there is none that could be read.
  package func size(of sha256: HexDigest) -> Int64? {
    open(sha256)?.signature.size
  }

  /// The file with this name; `nil` if there is none.
  package func open(_ sha256: HexDigest) -> ReadableFile? {
    // Another run may set the time of its last use while this one reads.
    open(sha256, .files) { ReadableFile($0, $1, .source(path(of: sha256)), isTouched: true) }
  }

  /// Why its files or values cannot be listed; `nil` if they can, or if there are none.
  package var fault: CacheFault? {
    for part in [Part.files, .values] {
      do throws(SystemError) { _ = try folder(part).names() } catch {
        if error.code != ENOENT { return .system("\(part.rawValue): \(error.text)") }
      }
    }
    return nil
  }

  /// The paths of folders of files or values that cannot be listed.
  package var unreadable: [String] { [Part.files, .values].flatMap(unreadable) }

  private func unreadable(_ part: Part) -> [String] {
    guard let files = try? folder(part), let names = try? files.names() else { return [] }
    return names.filter { $0.utf8.count == 2 && HexDigest(hex: $0) != nil }.sorted().filter { name in
      do throws(SystemError) {
        _ = try OpenFolder(name, in: files).names()
        return false
      } catch {
        // Another run may have removed it, and a file is not the cache's.
        return error.code != ENOENT && (try? files.status(of: name))?.kind != .file
      }
    }
    .map { "\(path)/\(part.rawValue)/\($0)" }
  }

  /// What `error` means for the file with this name, which could not be put into its place.
  package func fault(_ error: SystemError, storing sha256: HexDigest) -> CacheFault {
    // Something else is there, which is to be found.
    let isTaken = [EISDIR, ENOTDIR, ELOOP, ENOTEMPTY].contains(error.code)
    return .system(isTaken ? "\(path(of: sha256)): \(error.text)" : error.text)
  }

  /// Whether there is no file with this name; not if that cannot be found out.
  package func isGone(_ sha256: HexDigest) -> Bool {
    do throws(SystemError) {
      _ = try folder(of: sha256, .files).status(of: sha256.text)
      return false
    } catch {
      return error.code == ENOENT
    }
  }

  /// Says that `file`, which is one of the cache's, is the one that was used last.
  package func noteUse(of file: ReadableFile) { try? file.descriptor.touch() }

  /// Removes the file with this name; whether it is gone.
  @discardableResult
  package func remove(_ sha256: HexDigest) -> Bool {
    (try? folder(of: sha256, .files).remove(sha256.text)) != nil
  }

  /// Throws ENOSPC unless `size` bytes are free on its file system, as far as that tells.
  package func requireRoom(for size: Int64) throws(SystemError) {
    if let free = top.freeBytes, free < size { throw SystemError(ENOSPC) }
  }

  /// An empty file, to become one of the cache's.
  package func newFile() throws(SystemError) -> CacheFile {
    let folder = try folder(.unfinished, isMade: true)
    if let nameless = try? folder.createNameless(mode: CacheFile.mode) {
      return CacheFile(nameless, nil, in: folder, names)
    }
    let name = names.next()
    return CacheFile(try folder.create(name, mode: CacheFile.mode), name, in: folder, names)
  }

  /// Gives `file`, all of whose bytes have this digest, its place, also that of a file that is there: of that one nobody
  /// knows whether it is right, and to digest it would take longer than to replace it.
  ///
  /// `file` cannot be used any more. What cannot be replaced, such as a folder, keeps the place: the file is not kept.
  package func add(_ file: CacheFile, as sha256: HexDigest) throws(SystemError) {
    try file.publish(as: sha256.text, in: folder(of: sha256, .files, isMade: true))
  }

  // MARK: Values

  /// The value with this name, if it is not longer than `limit`; `nil` if there is none.
  package func value(_ name: HexDigest, limit: Int) -> [UInt8]? {
    open(name, .values) { file, signature in
      signature.size <= limit ? try? file.read(upTo: Int(signature.size), at: 0) : nil
    }
  }

  /// Whether nobody but the folder's owner can have written the value with this name.
  package func isOwn(value name: HexDigest) -> Bool {
    // With a umask that lets a group write, all folders in it do.
    if isOwn, isClosed { return true }
    guard isOwn, let part = try? folder(.values), let inner = try? folder(of: name, .values),
      let file = try? inner.status(of: name.text)
    else { return false }
    let folders = [try? part.status(), try? inner.status()]
    return (folders + [file]).allSatisfy { $0.map(Self.isOwn) ?? false }
  }

  private static func isOwn(_ status: FileStatus) -> Bool {
    status.owner == geteuid() && status.mode & 0o022 == 0
  }

  /// Puts a value into the place of the one that is there.
  package func set(_ name: HexDigest, _ value: [UInt8]) throws(SystemError) {
    let target = try folder(of: name, .values, isMade: true)
    let temporary = names.next()
    let unfinished = try folder(.unfinished, isMade: true)
    do throws(SystemError) {
      try unfinished.create(temporary).write(value)
      try unfinished.move(FileName(temporary.utf8), to: FileName(name.text.utf8), in: target)
    } catch {
      try? unfinished.remove(temporary)
      throw error
    }
  }
}

/// A file on its way into a cache; it disappears with this object unless it gets its place.
///
/// Used by one thread at a time.
package final class CacheFile: @unchecked Sendable {
  /// Nobody writes to a file of the cache; the umask takes what it takes from every new file.
  fileprivate static let mode: mode_t = 0o444

  /// The number of bytes.
  package private(set) var size: Int64 = 0
  private let file: Descriptor
  /// `nil` for a file without a name.
  private var name: String?
  private let folder: OpenFolder
  private let names: NameSeries

  fileprivate init(
    _ file: consuming Descriptor, _ name: String?, in folder: OpenFolder, _ names: NameSeries
  ) {
    self.file = file
    self.name = name
    self.folder = folder
    self.names = names
  }

  deinit { if let name { try? folder.remove(name) } }

  /// Appends all of `bytes`.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    try unsafe file.write(bytes, at: size, counting: &size)
  }

  /// Forgets all bytes after the first `size`.
  package func truncate(to size: Int64) throws(SystemError) {
    try file.truncate(to: size)
    self.size = size
  }

  /// Whoever reads a file that is replaced, or has linked it, keeps that one.
  fileprivate func publish(as place: String, in target: OpenFolder) throws(SystemError) {
    let temporary: String
    if let name {
      temporary = name
    } else {
      do throws(SystemError) { return try target.name(file, place) } catch {
        guard error.code == EEXIST else { return try copied().publish(as: place, in: target) }
      }
      // Only a file with a name can take the place of another one in one step.
      temporary = names.next()
      try folder.name(file, temporary)
      name = temporary
    }
    try folder.move(FileName(temporary.utf8), to: FileName(place.utf8), in: target)
    name = nil
  }

  /// The same bytes in a file with a name, where no file can get one later.
  private func copied() throws(SystemError) -> CacheFile {
    let name = names.next()
    let copy = CacheFile(try folder.create(name, mode: Self.mode), name, in: folder, names)
    var failure: SystemError?
    try unsafe file.readBlocks { block in
      do throws(SystemError) { try unsafe copy.append(block) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
    return copy
  }
}
