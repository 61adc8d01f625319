import ContentPipeline
import LocalFiles
import ManifestParsing
package import SyncModel

/// A lock file as it was read, with its problems.
package struct LockReading: Sendable {
  /// As messages name it: from the current folder.
  package let fileName: String
  /// All errors and warnings of the file itself, in the order of their places.
  package let diagnostics: [Diagnostic]
  /// Where each target's entry is.
  package let places: [TargetName: SourceSpan]
  private let bytes: [UInt8]?

  /// Whether there is no lock file.
  package var isMissing: Bool { bytes == nil }

  /// The lines of the file with these numbers, from 1, without their ends; `nil` for each that it does not have.
  package func lines(_ numbers: [Int]) -> [String?] { LockFileParser.lines(numbers, of: bytes ?? []) }

  fileprivate init(_ fileName: String, _ bytes: [UInt8]?, _ parse: LockFileParse?) {
    self.fileName = fileName
    self.bytes = bytes
    diagnostics = parse?.diagnostics ?? []
    places = parse?.places ?? [:]
  }
}

extension Workspace {
  /// Reads `syncmake.lock`, if there is one, into ``lock`` and ``lockSeen``.
  ///
  /// Throws if the root or the file cannot be read.
  package mutating func readLock() throws(FailureCause) -> LockReading {
    let name = place.root == "." ? LockFile.fileName : "\(place.root)/\(LockFile.fileName)"
    let root = try openRoot()
    (lock, lockDigest) = (nil, nil)
    lockSeen = root.observe(.lockFile)
    guard lockSeen != .missing else { return LockReading(name, nil, nil) }
    let bytes = try Self.read(try root.openSource(LockFile.fileName))
    let parse = LockFileParser.parse(bytes, fileName: name, manifest.place)
    (lock, lockDigest) = (parse.lock, Digester.digest(bytes, .sha256))
    return LockReading(name, bytes, parse)
  }

  /// The most readings of a lock file that keeps changing.
  private static var mostReadings: Int { 5 }

  /// Performs `work`, and repeats it after `rereading` whenever the lock file has changed since it was read.
  ///
  /// This happens if the process waited for an `update`. Throws what `rereading` throws, and the ``RunFault`` of
  /// `work`.
  package mutating func perform<Result>(
    rereading: (inout Workspace) throws -> Void, _ work: (Workspace) throws(RunFault) -> Result
  ) throws -> Result {
    for _ in 1..<Self.mostReadings {
      do throws(RunFault) { return try work(self) } catch {
        guard error == .lockFileChanged else { throw error }
      }
      try rereading(&self)
    }
    return try work(self)
  }

  /// One byte more than the parser's limit, so that the parser reports it.
  private static func read(_ file: ReadableFile) throws(FailureCause) -> [UInt8] {
    var bytes: [UInt8] = []
    try unsafe file.readBlocks { block in
      unsafe bytes += block
      return bytes.count <= LockFileParser.maximumSize
    }
    return bytes
  }
}
