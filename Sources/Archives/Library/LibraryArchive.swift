import CArchiveShim
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads a 7z or a xar from its first entry to the last one, by libarchive.
@safe package final class LibraryArchive {
  /// `nil` if the library can be used; else its file name.
  private static let missing: String? = unsafe archiveshim_load().map { unsafe String(cString: $0) }

  /// What the library reads through.
  private final class Feed {
    let file: any ArchiveBytes
    /// Why the last read failed.
    var failure: FailureCause?

    init(_ file: any ArchiveBytes) { self.file = file }
  }

  /// The sum of the entries' sizes by the directory of a 7z, in bytes; `nil` for a xar.
  package private(set) var announcedSize: Int64?
  private let feed: Feed
  private let archive: UnsafeMutableRawPointer

  /// At the first entry of `file`, which has this format: 7z or xar.
  ///
  /// Throws `libraryMissing`, and `archive` if the file is cut off, has data after its end, or needs too much memory.
  package convenience init(_ format: ArchiveFormat, _ file: any ArchiveBytes) throws(FailureCause) {
    if let name = Self.missing {
      throw .libraryMissing(name: name, purpose: "to unpack \(format.rawValue)")
    }
    let size =
      format == .sevenZip ? try SevenZipMemory.check(file, directory: SevenZipFrame.check(file)) : nil
    try self.init(unchecked: file, as: format)
    announcedSize = size.map { Int64(clamping: $0) }
  }

  /// The entries of `file`, without their contents. `isCancelled` is asked while contents are read all the same.
  ///
  /// libarchive (3.6) fails to pass over the contents of some files of a 7z that come before a link: then they are read.
  package static func entries(
    _ format: ArchiveFormat, _ file: any ArchiveBytes, _ isCancelled: () -> Bool
  ) throws(FailureCause) -> [ArchiveEntry] {
    do throws(FailureCause) { return try entries(format, file) { _ in } } catch {
      guard format == .sevenZip, case .archive = error else { throw error }
    }
    return try entries(format, file) { archive throws(FailureCause) in
      while !(try archive.content(upTo: 64 << 10).isEmpty) {
        if isCancelled() { throw .internalError("cancelled") }
      }
    }
  }

  private static func entries(
    _ format: ArchiveFormat, _ file: any ArchiveBytes,
    passing: (LibraryArchive) throws(FailureCause) -> Void
  ) throws(FailureCause) -> [ArchiveEntry] {
    let archive = try LibraryArchive(format, file)
    var entries: [ArchiveEntry] = []
    while let entry = try archive.next() {
      entries.append(entry)
      if entry.kind == .file { try passing(archive) }
    }
    return entries
  }

  /// The library must be there.
  init(unchecked file: any ArchiveBytes, as format: ArchiveFormat = .sevenZip) throws(FailureCause) {
    feed = Feed(file)
    let number = Int32(format == .xar ? archiveshim_xar : archiveshim_7zip)
    let opened = unsafe archiveshim_open(
      number, file.size,
      { context, offset, buffer, size in
        let feed = unsafe Unmanaged<Feed>.fromOpaque(context).takeUnretainedValue()
        do throws(FailureCause) {
          return Int64(
            try unsafe feed.file.read(
              at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: size)))
        } catch {
          feed.failure = error
          return -1
        }
      }, Unmanaged.passUnretained(feed).toOpaque())
    guard let opened = unsafe opened else { throw .internalError("libarchive: no memory") }
    unsafe archive = opened
  }

  deinit { unsafe archiveshim_close(archive) }

  /// The next entry; `nil` after the last one.
  package func next() throws(FailureCause) -> ArchiveEntry? {
    var found = unsafe archiveshim_entry()
    let code = unsafe archiveshim_next(archive, &found)
    guard code != 0 else { return nil }
    guard code > 0 else { throw failure }
    guard let name = unsafe found.name else {
      throw .archive(.ambiguous("the name of an entry cannot be read"))
    }
    // As they are: a link's target need not be UTF-8.
    let bytes = unsafe Self.bytes(name)
    let target = unsafe found.target.map { unsafe Self.bytes($0) } ?? []
    let kind = try unsafe Self.kind(found.kind, target, bytes)
    if unsafe found.is_encrypted != 0 {
      throw .archive(.encrypted, entry: String(decoding: bytes, as: UTF8.self))
    }
    return unsafe ArchiveEntry(
      name: bytes, kind: kind, size: kind == .file ? max(found.size, 0) : 0,
      mode: UInt16(truncatingIfNeeded: found.mode),
      modified: found.has_time != 0
        ? Timestamp(seconds: found.modified, nanoseconds: found.nanoseconds) : nil)
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  private static func kind(
    _ number: Int32, _ target: [UInt8], _ name: [UInt8]
  ) throws(FailureCause) -> ArchiveEntry.Kind {
    switch Int(number) {
    case archiveshim_file: return .file
    case archiveshim_folder: return .folder
    case archiveshim_symbolic_link: return .symbolicLink(target: target)
    case archiveshim_hard_link: return .hardLink(target: target)
    case archiveshim_device: return .device
    case archiveshim_fifo: return .fifo
    case archiveshim_socket: return .socket
    default: throw .archive(.unknownType(0), entry: String(decoding: name, as: UTF8.self))
    }
  }

  /// Content of the present entry into `buffer`, which is not empty; returns how many bytes came, 0 at its end.
  package func content(into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    let count = unsafe archiveshim_content(archive, base, buffer.count)
    guard count >= 0 else { throw failure }
    return Int(count)
  }

  /// The next bytes of the present entry, at most `count`; none at its end.
  func content(upTo count: Int) throws(FailureCause) -> [UInt8] {
    var failure: FailureCause?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FailureCause) {
        filled = try unsafe content(into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  private var failure: FailureCause {
    if let failure = feed.failure { return failure }
    let words = unsafe archiveshim_words(archive).map { unsafe String(cString: $0) }
    return .archive(.library(words ?? "it cannot be read"))
  }
}
