package import LocalFiles
package import SyncModel

/// Takes the entries of an archive, and makes a folder of them that nobody sees before it is published.
///
/// Used by one thread at a time. Paths are from the folder, without slashes at the ends; they are safe.
package protocol TreeSink: AnyObject, Sendable {
  /// Whether two names that differ in case only would be one file.
  var ignoresCase: Bool { get }

  /// Has work done on the helper's thread, too, if there is much; called before the first entry.
  func use(_ helper: @escaping Helper)

  /// Throws away all entries.
  func restart() throws(FailureCause)

  /// Throws `.roomMissing` if the disk has no room for `files`, whose sizes together are `most` bytes; called before the
  /// first one, if they are known then.
  func requireRoom(
    atMost most: Int64, for files: () throws(FailureCause) -> [(path: [UInt8], size: Int64)]
  ) throws(FailureCause)

  /// A file of `size` bytes begins, in place of an earlier entry of that path; `mode` has nine bits.
  func beginFile(_ path: [UInt8], size: Int64, mode: UInt16, modified: Timestamp?) throws(FailureCause)

  /// The next bytes of the file.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause)

  /// The file is complete, and has this digest.
  func endFile(sha256: HexDigest) throws(FailureCause)

  /// A symbolic link.
  func addLink(_ path: [UInt8], target: [UInt8]) throws(FailureCause)

  /// The size of the file at `path` in bytes; `nil` if there is none.
  func size(ofFile path: [UInt8]) -> Int64?

  /// A file with the bytes that the file at `other` has now; throws if it is cancelled.
  func addHardLink(_ path: [UInt8], to other: [UInt8], _ isCancelled: () -> Bool) throws(FailureCause)

  /// A folder without entries.
  func addFolder(_ path: [UInt8]) throws(FailureCause)

  /// There are no more entries; returns all, in the order of their paths' bytes.
  func finish() throws(FailureCause) -> TreeEntries
}

extension TreeSink {
  /// Needs no help.
  package func use(_ helper: @escaping Helper) {}
}

extension StagedTree: TreeSink {}

/// Throws `.roomMissing` if the disk has no room for an output of `size` bytes: what a sink asks for a folder, for one
/// file.
package typealias RoomDemand = @Sendable (_ size: Int64) throws(FailureCause) -> Void
