import LocalFiles
import SyncModel
import Testing

@testable import ContentPipeline

/// A pipeline with its pool and its log, pushed to as a driver would.
final class Course {
  let log = EventLog()
  let pipeline: Pipeline
  let pool: WorkerPool
  private let ownsPool: Bool

  init(
    _ spec: PipelineSpec, output: StagedFile? = nil, partial: PartialDownload? = nil,
    pool: WorkerPool? = nil, threads: Int = 2
  ) {
    ownsPool = pool == nil
    self.pool = pool ?? WorkerPool(threads: threads)
    let log = log
    pipeline = Pipeline(spec: spec, output: output, partial: partial, pool: self.pool) { log.add($0) }
  }

  deinit { if ownsPool { pool.shutDown() } }

  /// Waits for room as often as needed.
  func push(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    while true {
      let drained = log.drainedCount
      let isTaken = bytes.withUnsafeBytes { pipeline.push($0) }
      if isTaken { return }
      try log.waitForDrained(number: drained + 1)
    }
  }

  /// In pieces of at most `size` bytes.
  func push(_ bytes: some Collection<UInt8>, pieces size: Int) throws {
    let bytes = Array(bytes)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try push(bytes[start..<min(bytes.count, start + size)])
    }
  }

  func finish() throws -> Result<PipelineResult, FailureCause> {
    pipeline.finish()
    return try log.waitForEnd()
  }

  func flush() throws {
    let log = log
    pipeline.flush { log.addFlush() }
    try log.waitForFlush()
  }

  /// A whole body that is only digested, and zlib's result for it, which must be every other library's result, too.
  static func run(
    _ spec: PipelineSpec, _ bytes: [UInt8], pool: WorkerPool? = nil
  ) throws -> Result<PipelineResult, FailureCause> {
    let results = try UnpackingLibrary.allCases.map { library in
      var spec = spec
      spec.library = library
      let course = Course(spec, pool: pool)
      try course.push(bytes)
      return (library, try course.finish())
    }
    let reference = try #require(results.first { $0.0 == .zlib }).1
    for (library, result) in results {
      #expect(result.isAlike(reference), "\(library): \(result), but zlib: \(reference)")
    }
    return reference
  }
}

extension Result<PipelineResult, FailureCause> {
  /// Whether both are the same, except for the text and the position of a fault inside a member.
  fileprivate func isAlike(_ other: Self) -> Bool {
    guard let mine = gzipFault, let its = other.gzipFault else { return self == other }
    let gzip = Compression.gzip
    let exact = [
      gzip.endsInside, gzip.isNotThis, gzip.dataAfterEnd, gzip.isEmpty,
    ]
    return exact.contains(mine) || exact.contains(its) ? self == other : true
  }
}

extension Result where Failure == FailureCause {
  var cause: FailureCause? { if case .failure(let cause) = self { cause } else { nil } }

  /// The fault of compressed data; `nil` for another failure, or none.
  var corruption: Corruption? { if case .corrupt(let corruption)? = cause { corruption } else { nil } }

  /// The text of that fault.
  var gzipFault: String? { corruption?.text }
}

func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm = .sha256) -> HexDigest {
  Digester.digest(bytes, algorithm)
}

func identity(_ bytes: [UInt8], _ algorithms: Set<DigestAlgorithm> = []) -> ContentIdentity {
  let all = algorithms.union([.sha256])
  return ContentIdentity(
    size: Int64(bytes.count), digests: Dictionary(uniqueKeysWithValues: all.map { ($0, digest(bytes, $0)) }))
}
