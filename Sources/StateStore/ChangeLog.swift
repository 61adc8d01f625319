import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file `changes` in the state folder: changes that are on the disk but not in the state file yet.
///
/// A list of changes takes one sync here and five in SQLite. So the intentions of a small group, and the records of
/// the group before, are written here, and the next transaction stores them too (docs/decisions/0028). A run that is
/// killed leaves the file, and whoever opens the state next applies its changes.
///
/// The file belongs to the state file with the change counter in its header: a transaction increases that counter,
/// and so makes the log empty. Lists have sums with the log's own key, and end at the first one that is not whole:
/// what follows was never confirmed, or belongs to an earlier log in the same file.
struct ChangeLog: ~Copyable {
  static let name = "changes"
  /// Longer lists are written by a transaction, whose five syncs count little among the writes of so many files.
  static let mostChanges = 64
  /// As many changes wait for a transaction at most.
  static let mostWaiting = 1000

  /// The header, whose content is the counter of the state file.
  private static let form = SealedForm("syncchg2")
  private static let headerSize = SealedForm.contentOffset + 8
  /// Before each list: the sum of what follows, then the list's offset in the file and its length.
  private static let prefixSize = 24
  /// More than the lists of so many waiting changes take.
  private static let longest = 64 << 20

  private let folder: String
  private let file: Descriptor
  private var key = ByteSum.Key.random()
  /// That of the state file to which the lists belong.
  private(set) var counter: Int64
  /// Where the next list begins; 0 before the header is written.
  private var end = 0
  /// Whether the file's name is on the disk.
  private var isNamed = false

  /// Creates the file in `folder`, whose state file has `counter`; whatever has its name is removed.
  init(in folder: String, counter: Int64) throws(SystemError) {
    self.folder = folder
    self.counter = counter
    Self.remove(from: folder)
    file = try Descriptor(
      Self.path(in: folder), in: AT_FDCWD, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
  }

  private static func path(in folder: String) -> String { "\(folder)/\(name)" }

  /// Begins anew in the same file, after a transaction that gave the state file `counter`.
  mutating func restart(counter: Int64) {
    (key, self.counter, end) = (.random(), counter, 0)
  }

  /// Appends a list, as ``LoggedChanges`` encodes it; when it returns the list is on the disk.
  ///
  /// If it throws, the log must not be used any more: it is unknown what is in the file.
  mutating func append(_ list: [UInt8]) throws(SystemError) {
    var out = BinaryWriter()
    if end == 0 {
      out = Self.form.writer(key, reserving: Self.headerSize + Self.prefixSize + list.count)
      out.add(counter)
      out = BinaryWriter(bytes: SealedForm.sealed(out))
    }
    var entry = BinaryWriter()
    entry.add(Int64(end + out.bytes.count))
    entry.add(Int64(list.count))
    entry.bytes += list
    out.add(Self.sum(of: entry.bytes, key))
    out.bytes += entry.bytes
    try file.write(out.bytes, at: Int64(end))
    try file.sync()
    if !isNamed { try Descriptor(folder, in: AT_FDCWD, O_RDONLY | O_DIRECTORY).sync() }
    isNamed = true
    end += out.bytes.count
  }

  private static func sum(of bytes: [UInt8], _ key: ByteSum.Key) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe ByteSum.of($0, key).hash }
  }

  /// Removes the file, unless another store has begun one of its own; see ``remove(from:)``.
  func remove() {
    guard let open = try? FileStatus(file),
      let named = unsafe try? FileStatus(Self.path(in: folder), in: AT_FDCWD),
      open.signature.inode == named.signature.inode
    else { return }
    Self.remove(from: folder)
  }

  /// Removes it; nothing is synced, since a log that comes back is empty for the state file that followed.
  static func remove(from folder: String) { unsafe unlink(path(in: folder)) }

  // MARK: Reading

  /// The bytes of the file in `folder`; `nil` if there is none that could be ours.
  static func bytes(in folder: String) -> [UInt8]? {
    guard let file = try? Descriptor(reading: path(in: folder)), let size = try? file.regularSize,
      size <= longest
    else { return nil }
    return try? file.read(upTo: size, at: 0)
  }

  /// The changes in a log of these bytes that a state file with `counter` does not have yet, in their order.
  static func changes(in bytes: [UInt8], since counter: Int64) -> [StateChange] {
    guard bytes.count >= headerSize else { return [] }
    let header = Array(bytes[..<headerSize])
    guard form.isIntact(header), let key = form.key(of: header) else { return [] }
    return unsafe bytes.withUnsafeBytes { bytes in
      var reader = unsafe BinaryReader(bytes, at: SealedForm.contentOffset)
      guard (try? reader.number(Int64.self)) == counter else { return [] }
      var changes: [StateChange] = []
      while let list = unsafe try? Self.list(&reader, of: bytes, key),
        let next = unsafe try? LoggedChanges.decode(list)
      {
        changes += next
      }
      return changes
    }
  }

  /// The next list; throws if it is not whole.
  private static func list(
    _ reader: inout BinaryReader, of bytes: UnsafeRawBufferPointer, _ key: ByteSum.Key
  ) throws(DamagedData) -> UnsafeRawBufferPointer {
    let offset = bytes.count - reader.left
    let sum = try reader.number(UInt64.self)
    guard try reader.number(Int64.self) == Int64(offset) else { throw DamagedData() }
    let list = unsafe try reader.take(try reader.number(Int64.self))
    let start = offset + 8
    let summed = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + 16 + list.count])
    guard unsafe ByteSum.of(summed, key).hash == sum else { throw DamagedData() }
    return unsafe list
  }
}
