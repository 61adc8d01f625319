import Planning
import SyncModel

@testable import Reporting

/// Values that the tests of this module share.
enum Samples {
  static let url = "https://data.example.org/genes.tsv.gz"
  static let now = Timestamp(seconds: 1_795_255_200)  // 2026-11-21T10:00:00Z
  static let none = SecretMask()

  static func hex(_ pair: String, _ algorithm: DigestAlgorithm) -> HexDigest {
    guard let digest = HexDigest(String(repeating: pair, count: algorithm.byteCount), algorithm) else {
      fatalError("not hexadecimal: \(pair)")
    }
    return digest
  }

  static func path(_ text: String) -> RelativePath {
    do { return try RelativePath(text) } catch { fatalError("not a path: \(text)") }
  }

  static func target(
    _ index: Int, _ name: String, output: String? = nil, source: BodySource = .urls([.web(url)]),
    freshness: FreshnessRule? = .etag, steps: [Step] = [], needs: [Int] = [], after: [Int] = [],
    authentication: Authentication? = nil
  ) -> Target {
    var target = Target(
      id: TargetID(index), name: TargetName(name), source: source, output: path(output ?? "data/\(name)"),
      needs: needs.map { TargetID($0) }, after: after.map { TargetID($0) })
    target.freshness = freshness
    target.steps = steps
    target.authentication = authentication
    return target
  }

  /// `genes`, fetched; `index`, needs genes; `copy`, from genes after index; `sums`; `checked`, verified by sums.
  static let manifest = Manifest(
    fileName: "syncmake.yaml",
    targets: [
      target(0, "genes", output: "data/genes.tsv"), target(1, "index", needs: [0]),
      target(2, "copy", source: .target(TargetID(0)), freshness: nil, after: [1]), target(3, "sums"),
      target(
        4, "checked",
        steps: [
          .verifyDigest(.md5, .entry(TargetID(3), name: "a")),
          .verifyDigest(.md5, .entry(TargetID(3), name: "b")),
        ]),
    ])

  static func validators(_ etag: String? = nil, _ lastModified: String? = nil, url: String = url)
    -> Validators
  {
    Validators(etag: etag.map { EntityTag($0) }, lastModified: lastModified, url: url)
  }

  static func identity(_ size: Int64) -> ContentIdentity {
    ContentIdentity(size: size, digests: [.sha256: hex("ab", .sha256)])
  }

  static func record(_ target: Target, validators: Validators? = nil) -> TargetRecord {
    TargetRecord(
      name: target.name, output: target.output.path, definition: [],
      signature: FileSignature(size: 456, modified: now, changed: now, inode: 1), content: identity(456),
      download: nil, validators: validators, inputs: [],
      checkedAt: Timestamp(seconds: now.seconds - 3 * 3600),
      updatedAt: Timestamp(seconds: now.seconds - 2 * 86400))
  }

  static func planned(
    _ target: Target, _ action: PlanAction, _ reason: Reason? = nil, waitsFor: [String] = [],
    needs: [String] = [], bytes: Int64? = nil, failure: FailureCause? = nil
  ) -> PlannedTarget {
    PlannedTarget(
      id: target.id, name: target.name, output: target.output, action: action, reason: reason,
      waitsFor: waitsFor.map { TargetName($0) }, needs: needs.map { TargetName($0) }, bytes: bytes,
      failure: failure)
  }

  static func result(_ target: Target, _ outcome: Outcome, _ reason: Reason? = nil) -> TargetResult {
    TargetResult(
      id: target.id, name: target.name, outcome: outcome, reason: reason, output: target.output)
  }

  static let changed = Reason.stale(
    .validatorChanged(recorded: validators("\"a1\""), observed: validators("\"b2\"")))
  static let confirmed = Reason.fresh(.notModified(validators("\"a1\"")))

  static let pin = Pin(
    source: .urls([ByteString(url)]), download: Pin.Content(size: 123, sha256: hex("cd", .sha256)),
    output: Pin.Content(size: 456, sha256: hex("ab", .sha256)), etag: EntityTag("\"a1\""),
    lastModified: "Mon, 13 Nov 2023 00:00:00 GMT")

  static let copied = Pin(
    source: .target(TargetName("genes")), download: nil,
    output: Pin.Content(size: 456, sha256: hex("ab", .sha256)))

  /// One of each kind.
  static var pinChanges: [PinChange] {
    var moved = pin
    moved.output = Pin.Content(size: 5, sha256: hex("ef", .sha256))
    return [
      PinChange(name: TargetName("a"), kind: .added, was: nil, now: pin),
      PinChange(name: TargetName("b"), kind: .moved, was: pin, now: moved),
      PinChange(name: TargetName("c"), kind: .renewed, was: copied, now: pin),
      PinChange(name: TargetName("d"), kind: .removed, was: copied, now: nil),
    ]
  }

  /// One of each outcome.
  static var results: [TargetResult] {
    var updated = result(manifest.targets[0], .updated, changed)
    updated.content = identity(456)
    updated.totals = ExchangeTotals(bytes: 123, requests: 1)
    updated.httpStatus = 200
    updated.url = url
    updated.duration = .milliseconds(12)
    var fresh = result(manifest.targets[1], .fresh, confirmed)
    fresh.totals.requests = 1
    fresh.httpStatus = 304
    var failed = result(manifest.targets[3], .failed)
    failed.failure = TargetFailure(.httpStatus(404, url: url), tries: 1, keptOutput: true)
    failed.isOptional = true
    var skipped = result(manifest.targets[4], .skipped)
    skipped.skipped = .dependency(TargetName("sums"))
    return [updated, fresh, failed, skipped]
  }
}

/// Every failure, with `text` in every foreign text.
enum AllValues {
  static func causes(_ text: String) -> [FailureCause] {
    let md5 = Samples.hex("11", .md5)
    let protocols: [ProtocolFault] = [
      .unequalContentLengths, .headerTooLarge(limit: 300_000), .unexpectedStatus(204), .wrongRange(text),
      .contentEncoding(text), .malformed(text),
    ]
    let sidecars: [SidecarFault] = [
      .tooLarge(limit: 1_048_576), .notText, .seems(.html), .empty, .noDigest, .noEntry(name: text, count: 2),
      .ambiguous(name: text), .otherAlgorithm(text, name: text), .wrongLength(expected: 32, actual: 40),
      .unreadableLine(number: 3),
      .severalEntries(name: text, count: 2), .brokenFrame(line: 1, .dash), .brokenXML(line: 1, text: text),
      .hasDoctype, .brokenJSON(line: 1), .noValue(pointer: text), .notADigest(pointer: text),
    ]
    let signatures: [SignatureFault] =
      [
        .tooLarge(limit: 1), .notMinisign, .noTrustedComment, .unreadableLine(number: 2),
        .otherKey(expected: text, actual: text), .wrongContent, .wrongComment,
        .tooLargeToKeep(limit: 1, size: 2),
      ] + FileKind.allCases.map { .seems($0) }
    let redirects: [RedirectFault] = [.tooMany, .circle, .downgrade, .scheme, .location]
    let archives: [ArchiveFault.Reason] = [
      .absoluteName, .leavesFolder, .emptyName, .controlCharacter(0), .controlCharacter(7), .backslash,
      .nameTooLong, .tooDeep(limit: 64), .shorterThanStrip(2), .device, .fifo, .socket,
      .linkLeadsOutside(target: text), .misleadsOldLink(link: text, old: text),
      .hardLinkToNoFile(target: text), .underLink(link: text),
      .underFile(file: text), .sameWithoutCase(other: text), .otherKindBefore, .duplicateFile,
      .samePathAfterStrip, .ownPlace(text), .disagreement(text), .includedManifest(pattern: text),
      .overlap,
      .strayBytes(at: 7),
      .unknownType(0x51), .sizeOfEmptyKind, .ambiguous(text),
      .damagedCompression(Corruption(.xz, offset: 3, text: text)), .windowTooLarge(needed: 2, limit: 1),
      .damaged(text, at: 7), .endsEarly(text), .dataAfterEnd(at: 7), .encrypted, .severalVolumes,
      .unsupportedMethod(text), .sparse, .wrongSum, .wrongSize, .library(text),
      .otherFormat(named: .tar, found: .zip), .otherFormat(named: .tar, found: nil), .unknownFormat,
      .noMatch(pattern: text, nearest: []), .noMatch(pattern: text, nearest: [text]),
      .hardLinkToUnwanted(target: text),
      .severalMatches(pattern: text, names: [text], count: 2), .matchIsLink(pattern: text, target: text),
      .matchIsLink(pattern: text, target: text, isSymbolic: true),
      .noMatch(pattern: text, nearest: [], key: .include), .matchIsFolder(pattern: text),
      .tooManyEntries(limit: 7),
    ]
    let paths: [PathFault] = [
      .isLink, .isFolder, .isDevice, .parentIsLink(text), .parentIsNotFolder(text),
      .system(errno: 13, text: text),
    ]
    return [
      .httpStatus(404, url: text), .retryAfter(seconds: 7200, status: 503, url: text),
      .connectFailed(url: text, text: text), .proxyRefused(407, proxy: text, url: text),
      .helperFailed(url: text, helper: text, .missing),
      .helperFailed(url: text, helper: text, .unstartable(text)),
      .helperFailed(url: text, helper: text, .late(.seconds(10), says: text)),
      .helperFailed(url: text, helper: text, .failed(status: 1, says: text)),
      .helperFailed(url: text, helper: text, .failed(status: nil, says: "")),
      .helperFailed(url: text, helper: text, .invalid(text)),
      .helperFailed(url: text, helper: text, .stopped),
      .timeout(url: text, phase: .connect, after: .seconds(10)),
      .timeout(url: text, phase: .total, after: .seconds(3600)),
      .stalled(url: text, after: .seconds(30), received: 1, expected: nil), .tls(url: text, text: text),
      .truncated(url: text, received: 1, expected: 2), .lengthUnproven(url: text, received: 1),
      .tooLarge(limit: 1, size: 2), .digestMismatch(algorithm: .md5, expected: md5, actual: md5, step: 0),
      .serverDigestMismatch(url: text, ServerDigest(.contentMD5, .md5, md5), actual: md5),
      .sizeMismatch(expected: 1, actual: 2, step: 0), .corrupt(Corruption(.gzip, offset: 3, text: text)),
      .corrupt(Corruption(.bzip2, offset: 3, text: text)), .windowTooLarge(needed: 2, limit: 1),
      .decoderMissing(.xz, name: text), .libraryMissing(name: text, purpose: text),
      .outputModified(expected: md5, actual: nil), .diskFull(path: text), .offline,
      .editedForLock(name: TargetName(text)),
      .lockMismatch(
        name: TargetName(text), place: CommandPlace(text), locked: md5, actual: md5, ofDownload: true),
      .sourceUnreadable(path: text, .system(text)), .internalError(text),
      .needsSeed(Shard(.seed, of: 16), why: .outputMissing),
      .hostRefused(url: text, from: text, .host(text)), .hostRefused(url: text, from: nil, .file),
      .addressRefused(url: text, .v4(0), .unspecified), .budgetExceeded(.requests(1)),
    ] + protocols.map { .protocolError(url: text, $0) } + sidecars.map { .sidecarInvalid(source: text, $0) }
      + signatures.map { .signatureInvalid(source: text, $0, step: 0) }
      + archives.map { .archive($0, entry: text) } + archives.map { .archive($0) }
      + redirects.map { .redirectRefused(from: text, to: text, $0) }
      + paths.map { .outputUnwritable(path: text, $0) }
      + values(text).map { .valueInvalid(ValueProblem(variable: "v", target: TargetName(text), $0)) }
  }

  private static func values(_ text: String) -> [ValueFault] {
    [
      .noLine(2, lines: 1), .noMatch, .notJSON(line: 3), .nothingThere, .ambiguous, .otherKind("null"),
      .outputTooLarge(limit: 1), .empty, .tooLong(5000), .notUTF8, .control(10), .control(0), .unknown,
      .noOutput,
      .badPath(.slash, value: text), .notWeb(text), .outputTaken(text, other: text), .refused(text),
    ]
  }

  static func reasons(_ text: String) -> [Reason] {
    let name = TargetName(text)
    let md5 = Samples.hex("11", .md5)
    let known = Samples.validators(text, text, url: text)
    let fresh: [FreshReason] = [
      .assumedFresh, .leftToSeed, .keptModified, .listGone, .listGoneEdited, .listGoneMissing,
      .listGoneWaits(for: name),
      .inputsUnchanged, .notModified(known),
      .digestMatches(.md5, md5),
      .serverDigestMatches(ServerDigest(.representation, .md5, md5)),
      .withinInterval(age: .seconds(3), period: .seconds(5)), .present, .asLocked(md5),
    ]
    let stale: [StaleReason] = [
      .outputMissing, .folderIncomplete(.files(1, of: 2, first: text)),
      .folderIncomplete(.files(2, of: 2, first: text)), .folderIncomplete(.files(0, of: 2, first: text)),
      .folderIncomplete(.interruptedChange), .outputModified(recorded: md5, actual: md5), .forced,
      .definitionChanged([FieldChange(field: "url", was: text, now: text)]),
      .dependencyChanged([DependencyChange(kind: .needs, name: name, was: md5, now: md5)]), .neverSynced,
      .validatorChanged(recorded: known, observed: Samples.validators("\"x\"", nil, url: text)),
      .validatorChanged(recorded: Samples.validators("\"x\"", nil, url: "u"), observed: known),
      .newerRemote(recorded: text, observed: text), .digestDiffers(.md5, expected: md5, actual: nil), .always,
      .notAsLocked(locked: md5, actual: md5),
    ]
    return fresh.map { .fresh($0) } + stale.map { .stale($0) }
  }
}

/// Collects a narrator's output.
final class Transcript {
  var out = ""
  var err = ""

  func narrator(
    _ verbosity: Verbosity, _ manifest: Manifest = Samples.manifest, colour: Bool = false
  ) -> RunNarrator {
    RunNarrator(
      manifest: manifest, style: TextStyle(colour: colour), outStyle: TextStyle(colour: colour),
      verbosity: verbosity, out: { self.out += $0 },
      err: { self.err += $0 })
  }
}
