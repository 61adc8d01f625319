package import SyncModel

/// Where included manifests come from.
package struct IncludeReading: Sendable {
  /// The bytes of a file, or more of them than ``ManifestParser/maximumSize``.
  ///
  /// The path is from the root. Throws `.sourceUnreadable`, or `.outputUnwritable` for what is no file.
  let read: @Sendable (_ path: RelativePath) throws(FailureCause) -> [UInt8]
  /// The paths of the files that a pattern matches, in the order of their bytes.
  let find: @Sendable (_ pattern: FilePattern) throws(FailureCause) -> [RelativePath]

  /// See the properties.
  package init(
    read: @escaping @Sendable (_ path: RelativePath) throws(FailureCause) -> [UInt8],
    find: @escaping @Sendable (_ pattern: FilePattern) throws(FailureCause) -> [RelativePath]
  ) {
    self.read = read
    self.find = find
  }
}
