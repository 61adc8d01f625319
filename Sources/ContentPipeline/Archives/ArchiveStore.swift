import Archives
import LocalFiles
import SyncModel

/// Keeps the bytes of an archive that cannot be read while it arrives.
final class ArchiveStore: ArchiveBytes {
  /// Where the bytes are.
  enum Place {
    /// The download is kept for resuming anyway, so that the archive is written once.
    case partial(PartialDownload)
    /// A file of the archive's own, in this folder.
    case scratch(StateFolder)
    /// It is there already, and is only read.
    case file(ReadableFile)
  }

  private enum Kept {
    case partial(PartialDownload)
    case scratch(ScratchFile)
    case file(ReadableFile)
  }

  private let kept: Kept
  /// The number of bytes that were added.
  private(set) var size: Int64 = 0

  /// An empty one. Throws if a file for it cannot be created.
  init(_ place: Place) throws(FailureCause) {
    switch place {
    case .partial(let partial): kept = .partial(partial)
    case .scratch(let folder): kept = .scratch(try ScratchFile(in: folder))
    case .file(let file): kept = .file(file)
    }
  }

  func add(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    if case .scratch(let file) = kept { try unsafe file.append(bytes) }
    size += Int64(bytes.count)
  }

  /// Only after the last byte: another thread writes the partial.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    let room = min(Int64(buffer.count), size - offset)
    guard room > 0 else { return 0 }
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(room)))
    let count =
      switch kept {
      case .partial(let file): try unsafe file.read(at: offset, into: part)
      case .scratch(let file): try unsafe file.read(at: offset, into: part)
      case .file(let file): try unsafe file.read(at: offset, into: part)
      }
    // Its readers ask again until they have as much as there was.
    guard count > 0 else {
      throw .archive(.endsEarly("the file has become shorter while it was read"), entry: nil)
    }
    return count
  }
}
