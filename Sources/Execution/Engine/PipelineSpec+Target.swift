import ContentPipeline
import Planning
import SyncModel

extension PipelineSpec {
  /// How the bodies of `target` are processed.
  ///
  /// - Parameters:
  ///   - announced: the server's digests of the body. They are compared before those of the manifest: then no step
  ///     compares its own digest, and ``BodyDemands`` does; and a body that a step refuses is digested to its end.
  ///   - manifest: the target's, which has the name of an archive from another target.
  ///   - bytesWish: whether signed bytes are kept, as the search for signatures decides.
  init(
    _ target: Target, in manifest: Manifest, announced: AnnouncedDigests, _ settings: RunSettings,
    bytesWish: () -> BytesWish
  ) {
    var stages: [Stage] = []
    stages.reserveCapacity(target.steps.count)
    for (index, step) in target.steps.enumerated() {
      switch step {
      case .decompress(let format, let window): stages.append(.decompress(format, window: window))
      case .unpack(let rules):
        stages.append(.unpack(rules, name: manifest.sourceName(of: target)))
      case .verifySize(let size): stages.append(.verifySize(size, step: index))
      case .verifyTree(let digest):
        stages.append(.verifyDigest(.sha256, announced.isEmpty ? digest : nil, step: index))
      case .verifyMinisign: stages.append(.verifySignature(bytesWish(), step: index))
      case .verifyDigest(let algorithm, .literal(let digest)) where announced.isEmpty:
        stages.append(.verifyDigest(algorithm, digest, step: index))
      case .verifyDigest(let algorithm, _): stages.append(.verifyDigest(algorithm, nil, step: index))
      }
    }
    let rule = target.digestRule
    func digests(_ subject: DigestRule.Subject) -> Set<DigestAlgorithm> {
      rule?.of == subject ? rule.map { [$0.algorithm] } ?? [] : []
    }
    self.init(
      steps: stages, downloadDigests: digests(.download), outputDigests: digests(.output),
      maxSize: target.maxSize)
    for digest in target.source.listedDigests { downloadDigests.insert(digest.algorithm) }
    if !announced.isEmpty {
      downloadDigests.formUnion(announced.algorithms)
      digestsRefusedDownload = true
    }
    if settings.resources.unpacksWithZlib { library = .zlib }
    // Under a make that counts jobs, each of our own threads holds a token; a library's threads would not.
    if settings.resources.makeFlags == nil { decoderThreads = settings.resources.workers }
    measuresTimes = settings.reports.hasTimes
    if target.output.isFolder {
      var manifests = ManifestPatterns()
      for pattern in manifest.includePatterns { manifests.add(pattern) }
      protection = TreeProtection(settings.policy?.places, manifests, folder: target.path.text)
    }
  }
}
