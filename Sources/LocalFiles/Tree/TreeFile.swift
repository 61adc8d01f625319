import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One file of a staged tree while its bytes come: it is created only if the live file of that path has others.
///
/// A small file's bytes wait in memory. Those of a larger one are compared with the live file's as they come, up to
/// the first difference.
final class TreeFile {
  /// In bytes: a file up to this size waits in memory.
  static let mostHeld = 1 << 20

  /// A live file whose mode is right.
  struct Candidate {
    let folder: OpenFolder
    let name: FileName
    let signature: FileSignature

    /// Fails if it is no longer the same file.
    func open() throws(SystemError) -> Descriptor {
      let file = try folder.open(name, O_RDONLY)
      guard try FileStatus(file).signature == signature else { throw SystemError(ESTALE) }
      return file
    }
  }

  private enum Stage { case holding, comparing, writing }

  let path: [UInt8]
  /// The archive's mode and time; the rest is known at the end.
  let made: StagedTree.Made
  /// Bytes so far.
  private(set) var size: Int64 = 0
  private let candidate: Candidate?
  private var stage = Stage.holding
  private var held: [UInt8] = []
  /// Open while its bytes are compared.
  private var live = Descriptor(owning: -1)
  private var file = Descriptor(owning: -1)
  private var filler = DirectAppender()

  /// `size` is what the archive says.
  init(_ path: [UInt8], _ made: StagedTree.Made, candidate: Candidate?, size: Int64) {
    self.path = path
    self.made = made
    self.candidate = candidate
    guard size > Self.mostHeld, let candidate, candidate.signature.size == size,
      let live = try? candidate.open()
    else { return }
    self.live = live
    stage = .comparing
  }

  /// Appends `bytes`; `create` makes the file if there is a difference.
  func write(
    _ bytes: UnsafeRawBufferPointer, create: () throws(SystemError) -> Descriptor
  ) throws(SystemError) {
    switch stage {
    case .holding where held.count + bytes.count <= Self.mostHeld:
      unsafe held.append(contentsOf: bytes)
      size = Int64(held.count)
      return
    case .comparing:
      if try unsafe Self.has(live, bytes, at: size) {
        size += Int64(bytes.count)
        return
      }
    default: break
    }
    try startWriting(create)
    try unsafe filler.append([bytes], to: file, size: &size)
  }

  /// The signature of the live file if it has the same bytes; `recorded` is that of a file known to have them.
  func reusable(recorded: FileSignature?) throws(SystemError) -> FileSignature? {
    guard let candidate, candidate.signature.size == size else { return nil }
    switch stage {
    case .writing: return nil
    case .comparing:
      let isUnchanged = try FileStatus(live).signature == candidate.signature
      return isUnchanged ? candidate.signature : nil
    case .holding:
      if recorded == candidate.signature { return candidate.signature }
      // What cannot be read is written anew.
      guard let live = try? candidate.open(), (try? holdsSame(live)) == true else { return nil }
      return candidate.signature
    }
  }

  /// All of its bytes, if they are in memory only; it is not used afterwards.
  func takeHeld() -> [UInt8]? {
    guard stage == .holding else { return nil }
    defer { held = [] }
    return held
  }

  /// Completes the file on the disk; `nil` leaves a property as it is.
  func finish(
    mode: UInt16?, modified: Timestamp?, create: () throws(SystemError) -> Descriptor
  ) throws(SystemError) {
    try startWriting(create)
    if mode != nil || modified != nil { try file.setProperties(mode: mode, modified: modified) }
    try file.finish()
  }

  /// Creates the file and gives it the bytes so far; does nothing later on.
  private func startWriting(_ create: () throws(SystemError) -> Descriptor) throws(SystemError) {
    guard stage != .writing else { return }
    file = try create()
    if stage == .comparing {
      try live.copy(to: file, size: size)
      // The bytes were compared before, and are copied now: an edit in between would be published as checked.
      guard try FileStatus(live).signature == candidate?.signature else { throw SystemError(ESTALE) }
      live.close()
    } else {
      try file.write(held)
      held = []
    }
    stage = .writing
  }

  private func holdsSame(_ live: borrowing Descriptor) throws(SystemError) -> Bool {
    guard try live.readAll(limit: held.count + 1) == held else { return false }
    return try FileStatus(live).signature == candidate?.signature
  }

  /// Whether `file` has `bytes` at `offset`.
  private static func has(
    _ file: borrowing Descriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Bool {
    var done = 0
    while done < bytes.count {
      let part = min(bytes.count - done, mostHeld)
      let same = try file.read(upTo: part, at: offset + Int64(done))
      let isEqual = unsafe same.withUnsafeBytes { same in
        guard let one = same.baseAddress, let other = bytes.baseAddress else { return false }
        return unsafe same.count == part && memcmp(one, other + done, part) == 0
      }
      guard isEqual else { return false }
      done += part
    }
    return true
  }
}
