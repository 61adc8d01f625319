import CSystemShim
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder that is held open, so that renaming or linking its path cannot redirect operations in it.
final class OpenFolder: Sendable {
  private let descriptor: Descriptor

  /// For calls relative to it; valid while this object lives.
  var raw: Int32 { descriptor.raw }

  /// Opens `path`, following links; relative paths start at the current folder.
  init(path: String) throws(SystemError) {
    descriptor = try Descriptor(path.isEmpty ? "." : path, in: AT_FDCWD, syncmake_open_folder_flags)
  }

  /// Opens the folder `name` in `parent`; if it is a link this fails with ELOOP or ENOTDIR.
  init(_ name: String, in parent: OpenFolder) throws(SystemError) {
    descriptor = try Descriptor(name, in: parent.raw, syncmake_open_folder_flags | O_NOFOLLOW)
  }

  /// The same for a name that need not be UTF-8.
  init(_ name: FileName, in parent: OpenFolder) throws(SystemError) {
    descriptor = try Descriptor(name, in: parent.raw, syncmake_open_folder_flags | O_NOFOLLOW)
  }

  func status() throws(SystemError) -> FileStatus { try FileStatus(descriptor) }

  /// The status of an entry, links not followed.
  func status(of name: String) throws(SystemError) -> FileStatus { try unsafe FileStatus(name, in: raw) }

  /// Opens an entry; fails with ELOOP if it is a link.
  func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
    try Descriptor(name, in: raw, flags | O_NOFOLLOW, mode: mode)
  }

  /// Opens the file `name` in the folder `inner` for reading; fails with ELOOP or ENOTDIR if one of them is a link.
  func open(_ name: String, inFolder inner: String) throws(SystemError) -> Descriptor {
    let path = inner + "/" + name
    do throws(SystemError) {
      return Descriptor(owning: try call { unsafe syncmake_open_without_links(raw, path) })
    } catch {
      guard error.code == ENOSYS else { throw error }
      return try openInSteps(name, inFolder: inner)
    }
  }

  /// The same where the system cannot do it in one step.
  func openInSteps(_ name: String, inFolder inner: String) throws(SystemError) -> Descriptor {
    try OpenFolder(inner, in: self).open(name, O_RDONLY)
  }

  /// Makes a folder unless something of that name is there.
  ///
  /// - Returns: whether it was made.
  @discardableResult
  func createFolder(_ name: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try call { unsafe mkdirat(raw, name, 0o777) }
      return true
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
  }

  /// Creates a file, by default only for its owner; fails with EEXIST if it exists.
  func create(_ name: String, mode: mode_t = 0o600) throws(SystemError) -> Descriptor {
    try open(name, O_RDWR | O_CREAT | O_EXCL, mode: mode)
  }

  /// Removes a file, never a folder; it is not an error if it is missing.
  func remove(_ name: String) throws(SystemError) {
    do throws(SystemError) {
      try call { unsafe unlinkat(raw, name, 0) }
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  /// The names of its entries, in no order.
  func names() throws(SystemError) -> [String] { try entries().map(\.text) }

  /// Waits until its entries are on the disk.
  func sync() throws(SystemError) {
    try Descriptor(".", in: raw, O_RDONLY | O_DIRECTORY).sync()
  }
}

/// The random part of temporary names in folders that others may write to: it cannot be guessed and taken in
/// advance.
enum RandomName {
  static let length = 6
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

  static func suffix() -> String { text(length) }

  /// Twice as long, for names that need no prefix.
  static func long() -> String { text(2 * length) }

  /// 36¹² is less than 2⁶⁴, so that one number, and one call of the system, gives all letters.
  private static func text(_ length: Int) -> String {
    var number = UInt64.random(in: 0 ... .max)
    let letters = (0..<length).map { _ in
      defer { number /= UInt64(alphabet.count) }
      return alphabet[Int(number % UInt64(alphabet.count))]
    }
    return String(decoding: letters, as: UTF8.self)
  }

  static func isSuffix(_ text: some Collection<UInt8>) -> Bool {
    text.count == length && text.allSatisfy(alphabet.contains)
  }

  /// Whether ``long()`` may have given `text`.
  static func isLong(_ text: some Collection<UInt8>) -> Bool {
    text.count == 2 * length && text.allSatisfy(alphabet.contains)
  }
}

/// Names of files in a folder of our own, one after another: the random part is asked of the system once.
final class NameSeries: Sendable {
  /// Whether such a series may have given the name.
  static func mayGive(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && RandomName.isLong(parts[0]) && (1...7).contains(parts[1].count)
      && parts[1].allSatisfy { (0x30...0x39).contains($0) }
  }

  private let start = RandomName.long()
  private let last = Monitor(0)

  func next() -> String {
    let number = last.withLock { last in
      last += 1
      return last
    }
    return "\(start)-\(number)"
  }
}
