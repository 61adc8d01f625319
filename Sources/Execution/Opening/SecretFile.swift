package import ManifestParsing
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the files of `${secret:file:PATH}`.
package enum SecretFile {
  /// The bytes at `path`, one more than the limit; `home` is for a path that begins with `~/`.
  ///
  /// A file inside `root` is refused, by whatever name: it would be committed with the manifest.
  package static func read(
    _ path: String, outside root: String, home: String?
  ) throws(SecretFileFault) -> [UInt8] {
    guard let whole = HomePath.resolve(path, home: home) else { throw .noHome }
    guard whole.hasPrefix("/"), !whole.utf8.contains(0) else { throw .relative }
    guard !isInside(whole, root) else { throw .insideRoot }
    do throws(SystemError) {
      let file = try Descriptor(whole, in: AT_FDCWD, O_RDONLY)
      if try FileStatus(file).kind == .file { return try file.readAll(limit: SecretFileFault.mostBytes + 1) }
    } catch {
      throw .system(error.text)
    }
    throw .notFile
  }

  private static func isInside(_ path: String, _ root: String) -> Bool {
    guard let root = RealPath.of(root), root != "/" else { return false }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return [path, folder].compactMap(RealPath.of).contains { RealPath.rest(of: $0, in: root) != nil }
  }
}
