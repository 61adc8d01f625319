import SyncModel

/// One output in a snapshot's file, as it lies there.
///
/// Its numbers are in the machine's order of bytes: a machine with another order does not take the snapshot of this one,
/// since both are among its circumstances.
struct SnapshotRow: BitwiseCopyable {
  private var size: Int64
  private var modified: Int64
  private var changed: Int64
  private var inode: UInt64
  /// Where the name begins in the names.
  let name: UInt32
  /// The index of the folder.
  let folder: UInt32
  /// What is asked, if ``host`` is not ``noHost``.
  private var text: UInt32 = 0
  private var host: UInt32 = Self.noHost
  /// The manifest's number of the target.
  let target: UInt32
  private var kind: UInt32

  static let size = MemoryLayout<Self>.size
  private static let noHost = UInt32.max

  init(_ entry: CompiledSnapshot.Entry) {
    let signature = entry.signature
    (size, inode) = (signature.size, signature.inode)
    (modified, changed) = (signature.modified.nanoseconds, signature.changed.nanoseconds)
    (name, folder, target) = (entry.name, entry.folder, entry.target)
    kind = Self.number(of: entry.look)
    question = entry.question
  }

  var signature: FileSignature {
    get {
      FileSignature(
        size: size, modified: Timestamp(nanoseconds: modified), changed: Timestamp(nanoseconds: changed),
        inode: inode)
    }
    set {
      (size, inode) = (newValue.size, newValue.inode)
      (modified, changed) = (newValue.modified.nanoseconds, newValue.changed.nanoseconds)
    }
  }

  /// `nil` in a row that was not written by this program.
  var look: OutputLook? {
    // A call to the enum's own initialiser would take as long as all else that is done for a row.
    get {
      switch kind {
      case 0: .file
      case 1: .folder
      case 2: .folderWithEdits
      default: nil
      }
    }
    set { kind = newValue.map(Self.number) ?? .max }
  }

  private static func number(of look: OutputLook) -> UInt32 {
    switch look {
    case .file: 0
    case .folder: 1
    case .folderWithEdits: 2
    }
  }

  /// `nil` if no source is asked.
  var question: PlainQuestions.Place? {
    get { host == Self.noHost ? nil : PlainQuestions.Place(text: text, host: host) }
    set { (text, host) = newValue.map { ($0.text, $0.host) } ?? (0, Self.noHost) }
  }
}
