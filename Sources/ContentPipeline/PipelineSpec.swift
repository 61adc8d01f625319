package import LocalFiles
package import SyncModel

/// The steps for a body, and the facts that must be found.
package struct PipelineSpec: Sendable {
  /// In order; each sees the bytes as the one before left them.
  package var steps: [Stage]
  /// To be computed of the bytes as they come; sha256 always is.
  package var downloadDigests: Set<DigestAlgorithm>
  /// To be computed of the bytes that come out; sha256 always is.
  package var outputDigests: Set<DigestAlgorithm>
  /// In bytes, for the bytes as they come and after each stage; `nil`: no limit.
  package var maxSize: Int64?
  /// Whether ``PipelineResult/times`` is wanted.
  package var measuresTimes = false
  /// The library for `gunzip`.
  package var library = UnpackingLibrary.fastest
  /// The number of its own threads that a decoder may use.
  package var decoderThreads = 1
  /// Where the files of an archive go, if the output is a folder.
  package var tree: (any TreeSink)?
  /// Where the files of an archive must not be, and the folder that they go to; `nil` if they may be anywhere in it.
  package var protection: TreeProtection?
  /// Where an archive that must be read from its end is kept meanwhile; such archives fail without it.
  package var scratch: StateFolder?
  /// Asked about the file that `unpack` takes out of an archive, before its first byte, if no other step changes its size.
  package var requireRoom: RoomDemand?
  /// Whether a body that a step refuses is digested to its end, for ``PipelineEvent/refused(_:download:)``.
  package var digestsRefusedDownload = false

  /// Without steps and digests the bytes pass unchanged; `maxSize` is in bytes, `nil` for no limit.
  package init(
    steps: [Stage] = [], downloadDigests: Set<DigestAlgorithm> = [], outputDigests: Set<DigestAlgorithm> = [],
    maxSize: Int64? = nil
  ) {
    self.steps = steps
    self.downloadDigests = downloadDigests
    self.outputDigests = outputDigests
    self.maxSize = maxSize
  }

  /// A step of the target with its digest known; `step` is its place in the target's steps, from 0.
  package enum Stage: Sendable, Equatable {
    /// A digest that is `nil` is not known yet: the driver compares ``PipelineResult/stepDigests`` with it.
    case verifyDigest(DigestAlgorithm, HexDigest?, step: Int)
    /// In bytes.
    case verifySize(Int64, step: Int)
    /// The driver checks the signature, by ``PipelineResult/signedContents``.
    case verifySignature(BytesWish, step: Int)
    /// Every part is unpacked; `window`: the largest that zstd may use, in bytes.
    case decompress(Compression, window: Int64? = nil)
    /// One file, or a folder of files, of an archive whose own name is `name`; only as the first transforming step.
    indirect case unpack(UnpackRules, name: String)

    /// RFC 1952, every member; zeros may follow the last.
    package static let gunzip = Stage.decompress(.gzip)
  }

  /// Whether the bytes that come out can differ from those that come.
  package var transforms: Bool { steps.contains(where: \.transforms) }

  /// The transforming steps, in order; `partial` has the bytes as they come, if they are kept.
  func transforms(
    partial: PartialDownload?, pool: WorkerPool, isCancelled: @escaping () -> Bool
  ) -> [any ByteTransform] {
    let last = steps.lastIndex(where: \.transforms)
    let isOnly = last == steps.firstIndex(where: \.transforms)
    return steps.enumerated().compactMap { index, stage in
      switch stage {
      case .decompress(let format, let window):
        return Unpacker(
          decoding(format, window: window), leavesSums: index == last, step: isOnly ? nil : index)
      case .unpack(let rules, let name):
        let writer = tree.map {
          TreeWriter($0, maxSize: maxSize, protection, pool: pool, isCancelled: isCancelled)
        }
        return EntryExtractor(
          rules, into: writer, name: name,
          keptAt: partial.map { .partial($0) } ?? scratch.map { .scratch($0) },
          requireRoom: roomDemand(isLast: index == last),
          decoding: { self.decoding($0, window: nil) }, isCancelled: isCancelled)
      case .verifyDigest, .verifySize, .verifySignature: return nil
      }
    }
  }

  /// Beyond `maxSize`, the limit is the failure.
  private func roomDemand(isLast: Bool) -> RoomDemand {
    { [maxSize, requireRoom] size throws(FailureCause) in
      if isLast, size <= maxSize ?? .max { try requireRoom?(size) }
    }
  }

  private func decoding(_ format: Compression, window: Int64?) -> Decoding {
    Decoding(format, window: window, library: library, threads: decoderThreads)
  }

  /// Whether a body that passes is known to be complete, by the end of compressed data, a size or a digest.
  ///
  /// Each format marks its end: gzip by a trailer, xz by an index and a footer, bzip2 by an end mark with a sum,
  /// zstd by a flag in the last block of a frame, `.lzma` by an end mark or its size. A body that is cut between
  /// two parts passes in each format.
  var provesLength: Bool { !steps.isEmpty }
}

extension PipelineSpec.Stage {
  fileprivate var transforms: Bool {
    switch self {
    case .decompress, .unpack: true
    case .verifyDigest, .verifySize, .verifySignature: false
    }
  }
}
