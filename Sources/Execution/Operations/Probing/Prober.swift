import Lists
import LocalFiles
package import Planning
package import SyncModel
import Transfer

/// Examines sources and their sidecars; writes nothing, and downloads no whole file but a list (`probe`, `add`).
package enum Prober {
  /// Blocks until every target's first URL was examined, one after the other; `report` gets the notes.
  ///
  /// A target has the URL, headers, credentials and time limits. With `readsLists` whatever comes is read as a list;
  /// otherwise only what is short and may be one. Throws `RunFault.interrupted` after `stop`.
  package static func probe(
    _ targets: [Target], of manifest: Manifest, rootPath: String, settings: RunSettings,
    readsLists: Bool = false,
    stop: StopSignal, report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> [ProbeReport] {
    let driver: Driver
    let root: RootFolder
    do throws(FailureCause) {
      driver = try Driver(settings: settings, manifest: manifest)
      root = try RootFolder(path: rootPath, confinesSources: settings.isUntrusted)
    } catch {
      throw .unusable(error)
    }
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    defer {
      stop.onStop(nil)
      driver.shutDown()
    }
    var reports: [ProbeReport] = []
    for target in targets where !driver.isStopped {
      let session = ProbeSession(
        ProbeScene(
          target: target, secrets: manifest.secrets, driver: driver, root: root, readsLists: readsLists,
          report: report))
      session.start()
      driver.run(until: { session.result != nil || driver.isStopped }, onStop: {})
      if let result = session.result { reports.append(result) }
    }
    guard !driver.isStopped else { throw .interrupted }
    return reports
  }
}

/// What the probe of one source works with.
private struct ProbeScene {
  var target: Target
  var secrets: SecretMask
  var driver: Driver
  var root: RootFolder
  var readsLists: Bool
  var report: (RunEvent) -> Void

  /// The first URL of the target; an empty file's if it has none.
  var source: SourceURL {
    target.source.mirrors?.first ?? .file(path: "", written: "")
  }

  /// The most bytes that are read to see whether they are a list.
  var listLimit: Int { readsLists ? Int(ListLimits.bytes) : 1 << 20 }

  /// Whether a reply may be a list.
  func mayBeList(_ head: ResponseHead) -> Bool {
    if readsLists { return true }
    let type = head.contentType ?? ""
    return ["xml", "html", "json"].contains { type.holds($0) }
      || source.lastPart?.lowercased().holds("sums") ?? false
  }
}

/// The probe of one source, from the first question to the last sidecar.
private final class ProbeSession {
  private(set) var result: ProbeReport?
  private let scene: ProbeScene
  private var machine: ProbeMachine
  private var subject: ProbeReport.Subject?
  private var redirects: [String] = []
  private var list: ListFinding?
  private var sidecars: [SidecarLook] = []
  private var rounds = SidecarGuess.rounds[...]
  private var totals = ExchangeTotals()

  init(_ scene: ProbeScene) {
    self.scene = scene
    machine = ProbeMachine(secrets: scene.secrets, now: scene.driver.clock.now())
  }

  private var target: Target { scene.target }
  private var source: SourceURL { scene.source }
  private var driver: Driver { scene.driver }

  func start() {
    switch source {
    case .web: perform(machine.start())
    case .file(let path, _): look(atFile: path)
    }
  }

  /// Whether the user's mirror of the source has failed, so that the source itself is examined.
  private var isPastRewriting = false

  private func rewritten(_ url: String) -> RewrittenURL? {
    isPastRewriting ? nil : driver.settings.routes.rewrites.applied(to: url)
  }

  // MARK: The source

  private func perform(_ action: ProbeAction) {
    switch action {
    case .ask(let question): ask(question)
    case .fail(let cause):
      guard let rewritten = rewritten(source.text), rewritten.asksOrigin(after: cause) else {
        return end(.unreachable(cause))
      }
      isPastRewriting = true
      machine = ProbeMachine(secrets: scene.secrets, now: driver.clock.now())
      perform(machine.start())
    case .finish(let findings):
      subject = .web(findings)
      lookBeside()
    }
  }

  private func ask(_ question: ProbeQuestion) {
    let isWhole = question == .whole
    start(
      question.request(source.text), for: target, limit: isWhole ? scene.listLimit : nil,
      wants: scene.mayBeList
    ) { [self] exchange in
      if isWhole {
        // The redirects of the request for the whole file are reported.
        redirects = exchange.redirects
        if case .success(let bytes) = exchange.body { lookForList(bytes, url: try? exchange.head.get().url) }
      }
      perform(machine.answered(exchange.head))
    }
  }

  private func look(atFile path: String) {
    do throws(FailureCause) {
      let file = try scene.root.openSource(path)
      subject = .file(size: file.signature.size, modified: file.signature.modified)
      if file.signature.size <= scene.listLimit {
        lookForList(try OutputHasher.all(of: file, limit: scene.listLimit), url: nil)
      }
      lookBeside()
    } catch {
      end(.unreachable(error))
    }
  }

  private func lookForList(_ bytes: [UInt8], url: String?) {
    guard let (format, page) = ListRecognition.recognise(bytes, url: url) else { return }
    // Most files of one digest are about one file beside them.
    guard format != .checksums || page.entries.count > 1 || scene.readsLists else { return }
    let names = Set(page.entries.map { ByteString($0.name) })
    let keys = Set(page.entries.map { ByteString($0.key) })
    list = ListFinding(
      format: format, entries: page.entries.count,
      hasEqualNames: names.count < page.entries.count
        && !page.entries.contains { $0.key.utf8.contains(UInt8(ascii: "/")) },
      hasEqualKeys: keys.count < page.entries.count && page.entries.allSatisfy { $0.version != nil })
  }

  // MARK: Files beside it

  private func lookBeside() {
    guard let name = source.lastPart else { return endIfDone() }
    askForNext(name)
    endIfDone()
  }

  /// Asks for the next round of guesses.
  private func askForNext(_ name: String) {
    guard let guesses = rounds.popFirst() else { return }
    for guess in guesses {
      guard let url = guess.source(beside: source) else { continue }
      let look = SidecarLook(guess: guess, url: url, name: name)
      sidecars.append(look)
      switch url {
      case .file(let path, _): look.take(readFile(path))
      case .web(let text):
        let asker = target.asking(for: url)
        let request = ExchangeRequest(url: text)
        start(request, for: asker, limit: SidecarShelf.longest) { [self] exchange in
          look.take(exchange.body)
          endIfDone()
        }
      }
    }
  }

  private func readFile(_ path: String) -> Result<[UInt8], FailureCause> {
    Result { () throws(FailureCause) in
      try OutputHasher.all(of: try scene.root.openSource(path), limit: SidecarShelf.longest)
    }
  }

  private func endIfDone() {
    guard let subject, sidecars.allSatisfy(\.isDone), result == nil else { return }
    if let name = source.lastPart, !rounds.isEmpty, !sidecars.contains(where: \.hasDigest) {
      askForNext(name)
      return endIfDone()
    }
    end(subject)
  }

  private func end(_ subject: ProbeReport.Subject) {
    var report = ProbeReport(
      source: source, subject: subject, redirects: redirects, sidecars: sidecars.compactMap(\.finding),
      totals: totals)
    report.list = list
    result = report
  }

  // MARK: Exchanges

  private func start(
    _ request: ExchangeRequest, for asker: Target, limit: Int?,
    // Many servers answer with a page if a file is missing.
    wants: @escaping (ResponseHead) -> Bool = { $0.contentType != "text/html" },
    done: @escaping (ProbeExchange) -> Void
  ) {
    let exchange = ProbeExchange(limit: limit, wants: wants) { [self] note in
      scene.report(.note(target.id, note))
    } done: {
      [self] exchange in
      totals += exchange.totals
      done(exchange)
    }
    var request = request
    request.timeouts = asker.timeouts
    let rewritten = rewritten(request.url)
    if let rewritten {
      request.url = rewritten.url
      if driver.settings.isUntrusted { request.mirroredResource = scene.secrets.mask(source.shown) }
    } else {
      request.headers = asker.headers
      request.authentication = asker.authentication
    }
    driver.addCredentials(to: request, isOfMirror: rewritten != nil) { [self] request in
      do throws(FailureCause) {
        exchange.begin(try request.get(), in: try driver.openNetwork())
      } catch {
        exchange.fail(error)
      }
    }
  }
}

extension SourceURL {
  /// The file's name in a sidecar; `nil` if it has none.
  fileprivate var lastPart: String? {
    switch self {
    case .web(let url): WebURL(url)?.lastPathPart
    case .file(let path, _): path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    }
  }
}

/// A guessed sidecar, from the request to its result.
private final class SidecarLook {
  private let guess: SidecarGuess
  private let url: SourceURL
  private let name: String
  private(set) var isDone = false
  /// `nil` if there is nothing useful.
  private(set) var finding: SidecarFinding?

  init(guess: SidecarGuess, url: SourceURL, name: String) {
    self.guess = guess
    self.url = url
    self.name = name
  }

  var hasDigest: Bool { if case .digest? = finding?.content { true } else { false } }

  func take(_ bytes: Result<[UInt8], FailureCause>) {
    isDone = true
    guard case .success(let bytes) = bytes else { return }
    do throws(SidecarFault) {
      let list: ChecksumList
      do throws(DigestTextFault) { list = try DigestText.list(bytes).get() } catch {
        guard case .sidecar(let fault) = error else { return }
        throw fault
      }
      let found = try guess.read(list, name: name)
      finding = SidecarFinding(
        guess: guess, url: url, content: found.map { .digest($0.0, $0.1) } ?? .ofOthers,
        of: guess.subject(beside: name))
    } catch {
      // Many servers answer with a page if a file is missing.
      if error != .seems(.html) {
        finding = SidecarFinding(guess: guess, url: url, content: .unreadable(error))
      }
    }
  }
}
