import SyncModel

@testable import Planning

/// A source, a disk, a state and a clock without IO, on which a ``TargetMachine`` lives one run after another.
///
/// Content is a version number: its digest repeats the number, and bytes of two versions in one body make a digest that
/// no version has.
struct MachineWorld {
  static let url = "https://data.example/a.bin"
  /// The digest of an edited output, and that of a body which joins two versions.
  static let (edit, mixture): (UInt8, UInt8) = (0xEE, 0xBB)

  /// How the source behaves.
  struct Server {
    var version: UInt8 = 1
    var sendsTags = true
    var tagsAreWeak = false
    var sendsDates = true
    var takesRanges = true
    /// Whether the end of a body shows that it is whole.
    var provesEnds = true
    var honoursConditions = true
    /// In percent, of each request.
    var faults = 0
    /// In percent, of each request: the source changes before it.
    var changes = 0
    /// Whether a digest of the file comes with it.
    var announcesDigests = false
    /// In percent, of each body: it is damaged on its way.
    var damages = 0
    /// Whether a decoder refuses the file as the source has it.
    var isCorrupt = false
    /// Whether replies are for their receivers only.
    var isPrivate = false
  }

  /// A cache that other roots share.
  struct Cache {
    /// Versions whose bytes are there, by the digest that names them; a wrong version is damage.
    var files: [HexDigest: UInt8] = [:]
    var records: [CacheKey: CacheRecord] = [:]
    /// Whether records are given out.
    var isTrusted = true
    /// Whether the records are signed by one whose word counts.
    var isSigned = false
    /// Whether files can be found, but no longer be read.
    var losesFiles = false
    /// Whether the disk is full before the end of a file.
    var fillsDisk = false
    /// Digests of files that were found to be bad, in order.
    var dropped: [HexDigest] = []
    /// The number of bodies taken from it.
    var taken = 0
  }

  /// How a life ended.
  enum Ending {
    case result(TargetResult)
    case planned(PlannedTarget)
  }

  /// A promise that was not kept.
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  private enum Happening {
    case event(TargetEvent)
    case reply(FetchQuestion)
    case ended(ExchangeEnd)
  }

  private enum Taken {
    case whole(PartialFacts?)
    case rest
  }

  private struct Body {
    var versions: Set<UInt8>
    var size: Int64
    var facts: PartialFacts?
    var isDamaged = false
    /// Whether it is from the cache.
    var isCopied = false
  }

  private struct File {
    var version: UInt8
    var signature: FileSignature
  }

  var target: Target
  var server = Server()
  var cache: Cache?
  var secrets = SecretMask()
  var pin: Pin?
  var forces = false
  var random: Random
  private(set) var record: TargetRecord?
  /// Of the present run.
  private(set) var requests = 0
  private var keepsBody = false
  private var isKept = false
  /// The number of bodies requested from their first byte, and the number of resumed ones.
  private(set) var (wholeBodies, resumedBodies) = (0, 0)
  private var ending: Ending?
  /// The next events for the machine, in order.
  private var happenings: [Happening] = []
  /// Whether the machine waits for the end of an exchange.
  private var isConnected = false
  private var output: File?
  private var partial: Body?
  private var body: Body?
  private(set) var now = Timestamp(seconds: 1_800_000_000)
  private var inode: UInt64 = 100
  /// What the machine does with the body of the present reply.
  private var taken: Taken?
  /// The versions that the source had when it replied in the present run.
  private var repliedVersions: Set<UInt8> = []

  init(_ rule: FreshnessRule, steps: [Step] = [], seed: UInt64) {
    target = Target(
      id: TargetID(0), name: TargetName("a"), source: .urls([.web(Self.url)]), output: path("a.bin"))
    target.freshness = rule
    target.steps = steps
    target.retries = 2
    random = Random(seed: seed)
  }

  /// The version of the output; `nil` if there is none.
  var outputVersion: UInt8? { output?.version }

  static func size(_ version: UInt8) -> Int64 { 100_000 + Int64(version) * 1000 }
  static func digest(_ version: UInt8) -> HexDigest { HexDigest(bytes: Array(repeating: version, count: 32)) }

  private static func content(_ version: UInt8) -> ContentIdentity {
    ContentIdentity(size: size(version), digests: [.sha256: digest(version)])
  }

  // MARK: What happens between runs

  mutating func edit() {
    guard output != nil else { return }
    output = File(version: Self.edit, signature: signature(of: Self.edit))
  }

  mutating func removeOutput() { output = nil }

  mutating func pass(_ seconds: Int64) { now = Timestamp(seconds: now.seconds + seconds) }

  private mutating func signature(of version: UInt8) -> FileSignature {
    inode += 1
    return FileSignature(size: Self.size(version), modified: now, changed: now, inode: inode)
  }

  // MARK: A life

  private var manifest: Manifest {
    var manifest = Manifest(fileName: "syncmake.yaml", targets: [target])
    manifest.secrets = secrets
    return manifest
  }

  /// What a verdict rests on now.
  var question: FreshnessQuestion {
    FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: manifest), record: record,
      output: output.map { .file($0.signature) } ?? .missing, directive: forces ? .force : .none, now: now,
      pin: pin)
  }

  /// Whether the source answers a request with these conditions by a 304 that says nothing new.
  func confirms(_ asked: Validators) -> Bool {
    let head = head(304, server.version)
    return server.honoursConditions && holds(asked, server.version)
      && (head.etag == nil || head.etag == asked.etag)
      && (head.lastModified == nil || head.lastModified == asked.lastModified)
  }

  /// Runs a machine to its end; `interruptedAt` counts the actions before the run is stopped.
  mutating func live(_ purpose: TargetTerms.Purpose = .run, interruptedAt stop: Int? = nil) throws -> Ending {
    var options = TargetTerms.Options()
    options.isRecording = purpose == .run
    if cache != nil { options.cache = purpose == .run ? .readWrite : .read }
    options.asksHowLarge = purpose == .plan
    let manifest = manifest
    let terms = TargetTerms(purpose, manifest: manifest, graph: TargetGraph(manifest), options: options)
    var machine = TargetMachine(question, on: terms)
    machine.leftovers.mayHavePartial = partial != nil
    (body, repliedVersions, requests) = (nil, [], 0)
    (keepsBody, isKept) = (false, false)
    let (before, recordBefore) = (output?.version, record)
    ending = nil
    happenings = []
    try perform(machine.begin(), purpose)
    var heard = 0
    while !happenings.isEmpty {
      heard += 1
      guard heard < 500 else { throw Violation(description: "no end after 500 events") }
      if heard == stop { try perform(machine.handle(.interrupted, now: now), purpose) }
      switch happenings.removeFirst() {
      case .event(let event): try perform(machine.handle(event, now: now), purpose)
      case .reply(let question) where isConnected: try reply(to: question, &machine, purpose)
      case .reply: break
      case .ended(let end) where isConnected:
        isConnected = false
        let accepted = body?.size ?? 0
        try perform(
          machine.handle(.exchangeEnded(end, accepted: accepted, requests: 1), now: now), purpose)
      case .ended: break
      }
    }
    guard let ending else { throw Violation(description: "the machine stopped without an end") }
    if purpose == .plan, record != recordBefore || output?.version != before {
      throw Violation(description: "a plan changed something")
    }
    try hold(ending, before)
    return ending
  }

  private mutating func note(_ new: Ending) throws {
    guard ending == nil else { throw Violation(description: "a second end: \(new)") }
    ending = new
  }

  /// The promises of the contract, sections 3, 5 and 6.
  private func hold(_ ending: Ending, _ before: UInt8?) throws {
    guard case .result(let result) = ending else { return }
    func demand(_ condition: Bool, _ text: String) throws {
      if !condition {
        throw Violation(description: "\(text): \(result.outcome) \(String(describing: result.reason))")
      }
    }
    try demand(output?.version != Self.mixture, "bytes of two versions were published")
    switch result.outcome {
    case .failed, .skipped: try demand(output?.version == before, "the old file was not kept")
    case .updated:
      let isNamed =
        result.from == .localCache && (target.digestRule != nil || cache?.isSigned == true) || pin != nil
      try demand(
        output.map { isNamed || repliedVersions.contains($0.version) } ?? false, "nobody sent these bytes")
      try demand(
        record?.content.sha256 == output.map { Self.digest($0.version) }, "the record is another file's")
    case .fresh:
      try demand(output?.version == before, "a fresh output changed")
      let asksValidators =
        target.freshness?.holdsByValidators == true && (server.sendsTags || server.sendsDates)
      if asksValidators, let version = output?.version {
        try demand(repliedVersions.contains(version), "a stale file was called fresh")
      }
    }
    if let rule = target.digestRule, case .literal(let digest) = rule.expected, result.outcome == .updated {
      try demand(output.map { Self.digest($0.version) } == digest, "a digest was not compared")
    }
  }

  // MARK: The source

  private func head(_ status: Int, _ version: UInt8) -> ResponseHead {
    let tag = server.tagsAreWeak ? "W/\"v\(version)\"" : "\"v\(version)\""
    var head = ResponseHead(
      status: status, url: Self.url, etag: server.sendsTags ? EntityTag(tag) : nil,
      lastModified: server.sendsDates ? Self.date(version) : nil, contentLength: nil)
    head.isPrivate = server.isPrivate
    if server.announcesDigests {
      head.digestFields = [DigestField(.checksumSHA256, Self.digest(version).text)]
    }
    return head
  }

  private static func date(_ version: UInt8) -> String {
    HTTPDate.format(Timestamp(seconds: 1_700_000_000 + Int64(version) * 100))
  }

  private mutating func reply(
    to question: FetchQuestion, _ machine: inout TargetMachine, _ purpose: TargetTerms.Purpose
  ) throws {
    if random.percent(server.changes) { server.version += 1 }
    let version = server.version
    if random.percent(server.faults) {
      return happenings.append(.ended(.failed(.connectFailed(url: Self.url, text: "refused"))))
    }
    if random.percent(server.faults) {
      try perform(machine.handle(.replied(head(503, version)), now: now), purpose)
      return happenings.append(.ended(.stopped))
    }
    repliedVersions.insert(version)
    requests += 1
    var head = head(200, version)
    var (first, size) = (Int64(0), Self.size(version))
    if server.honoursConditions, let asked = question.conditions, holds(asked, version) {
      head.status = 304
      size = 0
    } else if server.takesRanges, let resume = question.resume,
      resume.validator == head.strongValidator(now: now)
    {
      (first, size) = (resume.offset, size - resume.offset)
      head.status = 206
      head.contentRange = "bytes \(first)-\(first + size - 1)/\(first + size)"
    }
    if server.provesEnds, size > 0 { head.contentLength = size }
    taken = nil
    try perform(machine.handle(.replied(head), now: now), purpose)
    guard isConnected, let taken else { return happenings.append(.ended(.stopped)) }
    switch taken {
    case .whole(let facts):
      body = Body(versions: [version], size: 0, facts: facts)
      wholeBodies += 1
    case .rest:
      guard body?.size == first else { throw Violation(description: "a range was joined at the wrong byte") }
      body?.versions.insert(version)
      resumedBodies += 1
    }
    if random.percent(server.damages) { body?.isDamaged = true }
    let isCut = random.percent(server.faults)
    body?.size += isCut ? random.below(size) : size
    let accepted = body?.size ?? 0
    happenings.append(
      .ended(
        isCut && server.provesEnds
          ? .failed(.truncated(url: Self.url, received: accepted, expected: size))
          : .complete(lengthIsProven: server.provesEnds)))
  }

  /// Whether the source still has the version in the conditions.
  private func holds(_ asked: Validators, _ version: UInt8) -> Bool {
    let head = head(200, version)
    if let tag = asked.etag { return head.etag.map { $0.weaklyEquals(tag) } ?? false }
    return asked.lastModified != nil && asked.lastModified == head.lastModified
  }

  // MARK: The disk and the state

  private mutating func perform(_ actions: [TargetAction], _ purpose: TargetTerms.Purpose) throws {
    for action in actions {
      if let event = try perform(action, purpose) { happenings.append(.event(event)) }
    }
  }

  private mutating func perform(
    _ action: TargetAction, _ purpose: TargetTerms.Purpose
  ) throws -> TargetEvent? {
    switch action {
    case .readOutput:
      guard let output else { return .outputRead(.failure(.internalError("no file to read"))) }
      return .outputRead(.success(Self.content(output.version)))
    case .observeOutput: return .outputObserved(output.map { .file($0.signature) } ?? .missing)
    case .wait: return .waited
    case .ask(let question):
      isConnected = true
      happenings.append(.reply(question))
    case .hangUp: isConnected = false
    case .takeBody(_, let facts):
      taken = .whole(facts)
      (isKept, keepsBody) = (keepsBody, false)
    case .askCache(let question, _): return .cacheAnswered(answer(question))
    case .copyCached(let file): return copy(file)
    case .dropCached(let file):
      cache?.files[file.sha256] = nil
      cache?.dropped.append(file.sha256)
    case .keepForCache: keepsBody = true
    case .store(let entry): if isKept { store(entry) }
    case .renewInCache(let record, let key): if cache?.isSigned == true { cache?.records[key] = record }
    case .askToMeasure: return .mayMeasure(true)
    case .continueBody: taken = .rest
    case .end(let result): try note(.result(result))
    case .planned(let planned, _): try note(.planned(planned))
    case .openPartial: return .partialOpened(partial?.facts)
    case .restoreBody:
      body = partial
      return .bodyRestored(offset: body?.size ?? 0)
    case .salvageBody:
      guard let facts = body?.facts, let size = body?.size, size > 0 else {
        body = nil
        return .bodySalvaged(offset: nil)
      }
      body?.facts = facts
      return .bodyRestored(offset: size)
    case .findDemands:
      return .demandsFound(
        .success(
          BodyDemands(target).all.compactMap { demand in
            if case .digest(_, .literal(let digest)) = demand.kind { .digest(digest) } else { nil }
          }))
    case .finishBody: return finishBody()
    case .discardBody: (body, partial, taken) = (nil, nil, nil)
    case .keepPartial:
      let kept = body?.facts == nil ? 0 : body?.size ?? 0
      partial = kept > 0 ? body : nil
      body = nil
      return .partialKept(kept)
    case .setTime(_, let signature, _): return .timeSet(.success(signature))
    case .remember(let new):
      guard purpose == .run else { throw Violation(description: "a plan wrote a record") }
      record = new
    case .publish(let publication): return try publish(publication)
    default: break
    }
    return nil
  }

  private func answer(_ question: CacheQuestion) -> CacheAnswer {
    guard let cache else { return CacheAnswer() }
    func file(_ digest: HexDigest?) -> CachedFile? {
      digest.flatMap { cache.files[$0] == nil ? nil : $0 }
        .map { CachedFile(sha256: $0, size: cache.files[$0].map(Self.size) ?? 0) }
    }
    var record = cache.records[question.key]
    record?.isSigned = cache.isSigned
    let named = question.names.lazy.compactMap { name in
      file(
        name.algorithm == .sha256
          ? name.digest : cache.records[CacheKey(name.algorithm, name.digest)]?.sha256)
    }.first
    return CacheAnswer(
      named: named, record: cache.isTrusted && file(record?.sha256) != nil ? record : nil)
  }

  private mutating func copy(_ file: CachedFile) -> TargetEvent {
    guard let version = cache?.files[file.sha256], cache?.losesFiles == false else { return .cacheFailed }
    cache?.taken += 1
    body = Body(versions: [version], size: Self.size(version), facts: nil, isCopied: true)
    happenings.append(.event(.copyOpened(size: Self.size(version))))
    if cache?.fillsDisk == true { return .bodyFailed(.diskFull(path: "a.bin"), accepted: 1) }
    return finishBody()
  }

  private mutating func store(_ entry: CacheEntry) {
    cache?.files[entry.record.sha256] = output?.version
    if let key = entry.key { cache?.records[key] = entry.record }
    for name in entry.digests { cache?.records[CacheKey(name.algorithm, name.digest)] = entry.record }
  }

  private func finishBody() -> TargetEvent {
    guard let body else { return .failed(.internalError("no body to finish")) }
    let version = body.versions.count == 1 ? body.versions.first ?? 0 : Self.mixture
    let isWhole = version != Self.mixture && body.size == Self.size(version) && !body.isDamaged
    let digest = Self.digest(isWhole ? version : Self.mixture)
    let content = ContentIdentity(size: body.size, digests: [.sha256: digest])
    if target.steps.contains(.decompress(.gzip)), !isWhole || server.isCorrupt {
      let isCutShort = body.size < Self.size(version)
      let cause = FailureCause.corrupt(
        Corruption(.gzip, offset: body.size, text: "damaged", isCutShort: isCutShort))
      return server.announcesDigests || body.isCopied
        ? .bodyRefused(RefusedBody(cause, download: content)) : .bodyFailed(cause, accepted: body.size)
    }
    var steps: [Int: HexDigest] = [:]
    for (index, step) in target.steps.enumerated() {
      if case .verifyDigest = step { steps[index] = digest }
    }
    return .bodyFinished(BodyContent(download: content, output: content, stepDigests: steps))
  }

  private mutating func publish(_ publication: TargetAction.Publication) throws -> TargetEvent {
    guard let body else { throw Violation(description: "a body was published twice") }
    let version = body.versions.count == 1 ? body.versions.first ?? 0 : Self.mixture
    let isWhole = version != Self.mixture && body.size == Self.size(version) && !body.isDamaged
    let signature = signature(of: isWhole ? version : Self.mixture)
    output = File(version: isWhole ? version : Self.mixture, signature: signature)
    var new = publication.record
    new.signature = signature
    record = new
    (self.body, partial) = (nil, nil)
    return .published(.success(signature), keptPartial: 0)
  }
}

/// A small generator whose sequence depends on its seed alone (SplitMix64).
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func percent(_ share: Int) -> Bool { Int.random(in: 0..<100, using: &self) < share }

  mutating func below(_ limit: Int64) -> Int64 { Int64.random(in: 0..<max(limit, 1), using: &self) }
}
