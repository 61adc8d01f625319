import LocalFiles
import SyncModel

/// The bytes between two transformations: counted, digested and compared with the demands of the steps there.
struct ByteSegment {
  enum Demand: Equatable {
    /// A digest that is `nil` is compared by the driver.
    case digest(DigestAlgorithm, HexDigest?, step: Int)
    case size(Int64, step: Int)
    /// A signature is checked by the driver.
    case signature(BytesWish, step: Int)
  }

  private let demands: [Demand]
  private let maxSize: Int64?
  private(set) var digester: Digester
  /// `nil` without a signature to check.
  private var signed: SignedContentCollector?
  /// In bytes.
  private(set) var count: Int64 = 0

  /// `isWanted` tells which digests to compute besides those that `demands` need.
  init(demands: [Demand], maxSize: Int64?, isWanted: (DigestAlgorithm) -> Bool) {
    self.demands = demands
    self.maxSize = maxSize
    digester = Digester { algorithm in
      isWanted(algorithm)
        || demands.contains { if case .digest(algorithm, _, _) = $0 { true } else { false } }
    }
    for case .signature(let wish, _) in demands { signed = SignedContentCollector(wish) }
  }

  mutating func restart() {
    digester.restart()
    signed?.restart()
    count = 0
  }

  /// Takes in more bytes, unless they are too many.
  mutating func update(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    try admit(bytes.count)
    unsafe digester.update(bytes)
    unsafe signed?.update(bytes)
  }

  /// Counts `size` more bytes, unless they are too many, and leaves digesting them to a copy.
  mutating func admit(_ size: Int) throws(FailureCause) {
    let total = count + Int64(size)
    if let maxSize, total > maxSize { throw .tooLarge(limit: maxSize, size: total) }
    for case .size(let expected, let step) in demands where total > expected {
      throw .sizeMismatch(expected: expected, actual: total, step: step)
    }
    count = total
  }

  /// The number of bytes, and their digests so far; `nil` if sha256 is not computed.
  var checkpoint: PartialDownload.Checkpoint? {
    digester.value(.sha256).map { PartialDownload.Checkpoint(offset: count, sha256: $0) }
  }

  /// All bytes have arrived: throws the first fault in order of the demands.
  ///
  /// `identity` is ``identity``, if it is known already.
  func verify(_ identity: ContentIdentity? = nil) throws(FailureCause) {
    for demand in demands {
      switch demand {
      case .size(let expected, let step):
        if count != expected { throw .sizeMismatch(expected: expected, actual: count, step: step) }
      case .digest(let algorithm, let expected, let step):
        guard let expected, let actual = identity?.digest(algorithm) ?? digester.value(algorithm),
          actual != expected
        else { continue }
        throw .digestMismatch(algorithm: algorithm, expected: expected, actual: actual, step: step)
      case .signature: break
      }
    }
  }

  /// The results of the digest steps here, by their index in the target's steps; `identity` is this segment's.
  func stepDigests(_ identity: ContentIdentity) -> [Int: HexDigest] {
    demands.reduce(into: [:]) { found, demand in
      if case .digest(let algorithm, _, let step) = demand { found[step] = identity.digest(algorithm) }
    }
  }

  /// The contents for the signature steps here, by their index in the target's steps.
  var signedContents: [Int: SignedContent] {
    guard let content = signed?.content else { return [:] }
    return demands.reduce(into: [:]) { found, demand in
      if case .signature(_, let step) = demand { found[step] = content }
    }
  }

  var identity: ContentIdentity { digester.identity(size: count) }
}

extension PipelineSpec {
  /// The segments from the download to the output: one more than there are decompressing steps.
  func segments() -> [ByteSegment] {
    var demands: [[ByteSegment.Demand]] = [[]]
    for stage in steps {
      let last = demands.count - 1
      switch stage {
      case .decompress, .unpack: demands.append([])
      case .verifySize(let size, let step): demands[last].append(.size(size, step: step))
      case .verifySignature(let wish, let step): demands[last].append(.signature(wish, step: step))
      case .verifyDigest(let algorithm, let digest, let step):
        demands[last].append(.digest(algorithm, digest, step: step))
      }
    }
    let last = demands.count - 1
    return demands.enumerated().map { index, demands in
      ByteSegment(demands: demands, maxSize: maxSize) { algorithm in
        switch index {
        case 0 where algorithm == .sha256, last where algorithm == .sha256: true
        case 0 where downloadDigests.contains(algorithm): true
        case last: outputDigests.contains(algorithm)
        default: false
        }
      }
    }
  }
}
