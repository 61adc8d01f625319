import ContentPipeline
import LocalFiles
import SyncModel

/// The root as a run sees it: the outputs of targets, and `file` sources.
///
/// Tests have one in memory, which one suite holds to the same rules as a folder on a disk. ``BodyStore`` is the other
/// half: it puts files in place.
protocol OutputFolder: AnyObject, Sendable {
  associatedtype File: OpenedFile

  /// Examines an output without following links: missing (also if a parent folder is missing), a file, or unusable.
  func observe(_ path: RelativePath) -> OutputObservation

  /// Like ``observe(_:)``, for an output without a record to which nothing was published yet.
  func observeUnpublished(_ path: RelativePath) -> OutputObservation

  /// Whether the file at `path` has other names, too, whose use changes its times; not if that cannot be found out.
  func hasOtherNames(_ path: RelativePath) -> Bool

  /// Opens an output for reading, without following links; any thread may call it.
  ///
  /// Throws `.outputUnwritable` if something else is at the path or on the way, `.sourceUnreadable` if there is no
  /// file or the system refuses.
  func open(_ path: RelativePath) throws(FailureCause) -> File

  /// Opens a `file` source, absolute or relative to the root; links are followed. Any thread may call it.
  ///
  /// Throws `.sourceUnreadable` if it cannot be read or is not a regular file.
  func openSource(_ path: String) throws(FailureCause) -> File

  /// Sets the mtime of an output that still has `signature`, and returns the new signature.
  ///
  /// Throws `.outputModified` if the output is no longer that file, `.outputUnwritable` if the system refuses.
  func setModified(
    _ path: RelativePath, _ time: Timestamp, ifStill signature: FileSignature
  ) throws(FailureCause) -> FileSignature

  /// The bytes that are free where a new file at `path` would be; `nil` if that is not known.
  func freeBytes(at path: RelativePath) -> Int64?

  /// The permission bits that new files must not have.
  var maskOfNewFiles: UInt16 { get }

  /// The names of outputs that were just published, for ``sync(_:unlessOn:)``.
  func names(of paths: [RelativePath]) -> PublishedNames

  /// Makes published names durable; nothing is done on `devices`, all of which was synced since ``names(of:)``.
  func sync(_ names: PublishedNames, unlessOn devices: Set<UInt64>) throws(FailureCause)
}

/// A file that is open for reading from its start; used by one thread at a time.
protocol OpenedFile: AnyObject {
  /// As it was when it was opened.
  var signature: FileSignature { get }

  /// Reads on into `buffer`, which is not empty; returns how many bytes came, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int

  /// Throws `.sourceUnreadable` if its size or time has changed since it was opened: the bytes may be a mixture.
  func requireUnchanged() throws(FailureCause)

  /// The digests of the rest of the file; sha256 is always among them.
  ///
  /// Throws `.internalError` as soon as `isInVain`, called for each block, says that the answer is no longer needed.
  func identity(
    _ algorithms: Set<DigestAlgorithm>, isInVain: () -> Bool
  ) throws(FailureCause) -> ContentIdentity
}

extension RootFolder: OutputFolder {}

extension ReadableFile: OpenedFile {
  func identity(
    _ algorithms: Set<DigestAlgorithm>, isInVain: () -> Bool
  ) throws(FailureCause) -> ContentIdentity {
    try ContentDigest.of(self, algorithms, isInVain: isInVain)
  }
}
