import LocalFiles
import Planning
import StateStore
package import SyncModel

/// Asks what upstream lists, before the graph is built (contract, section 11).
package enum ListAsking {
  /// How lists are asked.
  struct Order {
    /// With ``RunQuestions/isOffline`` the stored lists are read instead.
    var settings: RunSettings
    /// Whether validators are stored for the next run, as a run does it; a plan writes nothing. A text that is new is
    /// stored by ``AskedLists/store(_:unless:)`` once it is known what it makes of the manifest.
    var keeps: Bool
    /// What the run has asked before.
    var early: AskedLists?
    /// Whether to stop; called now and then.
    var isUnwanted: (() -> Bool)?
    /// Hears of the requests, for the targets of ``ListAsking/askers(_:)``; of the earlier ones, too.
    var report: (RunEvent) -> Void = { _ in }
  }

  /// Blocks until every list was read; lists that several templates share are asked once.
  ///
  /// Throws `RunFault.interrupted` after `stop`.
  static func ask(
    _ templates: [ListTemplate], in workspace: Workspace, _ order: Order, stop: StopSignal
  ) throws(RunFault) -> AskedLists {
    let asked = AskedLists(templates, of: workspace.manifest, store: order.keeps ? workspace : nil)
    // The manifest may be another one by now.
    if let early = order.early, early.keys == asked.keys {
      for event in early.events { order.report(event) }
      return early
    }
    let session = try ListSession(asked, templates, workspace, order)
    try session.perform(stop)
    asked.store(.validators)
    return asked
  }

  /// The same for a snapshot that rests on lists: `nil` if the manifest has none, or the run must not wait for them.
  ///
  /// `watch` gets ``askers(_:)`` and returns what hears of the requests, also now and then while nothing happens; `nil` if
  /// nothing does. `isUnwanted` is called now and then.
  package static func askEarly(
    _ location: ManifestLocation, settings: RunSettings, keeps: Bool,
    watch: (Manifest) -> ((RunEvent) -> Void)?, isUnwanted: @escaping () -> Bool
  ) -> AskedLists? {
    // What a list says may hang on the value of an output, which is not known here.
    guard let workspace = try? OpenedManifest(location).workspace, !workspace.manifest.templates.isEmpty,
      workspace.manifest.values.isEmpty
    else {
      return nil
    }
    var events: [RunEvent] = []
    var order = Order(settings: settings, keeps: keeps)
    order.isUnwanted = isUnwanted
    let watcher = watch(askers(workspace.manifest))
    order.settings.reports.hasProgress = watcher != nil
    order.report = { event in
      watcher?(event)
      if case .tick = event { return }
      events.append(event)
    }
    let asked = try? ask(workspace.manifest.templates, in: workspace, order, stop: StopSignal())
    asked?.events = events
    return asked
  }

  /// A manifest with a target for each list, which has the template's name and asks for it.
  package static func askers(_ manifest: Manifest) -> Manifest {
    Manifest(
      fileName: manifest.fileName,
      targets: manifest.templates.enumerated().map { $1.asker(TargetID($0)) }, secrets: manifest.secrets)
  }
}

/// The requests for the lists of one manifest.
private final class ListSession {
  private let workspace: Workspace
  private let asked: AskedLists
  private let order: ListAsking.Order
  private let driver: Driver
  private let context: RunContext
  private var requests: [AskedLists.Key: ListRequest] = [:]
  /// What is to be asked yet, in the manifest's order.
  private var waiting: [AskedLists.Key] = []

  init(
    _ asked: AskedLists, _ templates: [ListTemplate], _ workspace: Workspace, _ order: ListAsking.Order
  ) throws(RunFault) {
    self.workspace = workspace
    self.asked = asked
    self.order = order
    let stored = StoredLists(stateFolder: workspace.place.state)
    do throws(FailureCause) {
      driver = try Driver(settings: order.settings, manifest: workspace.manifest)
      context = RunContext(
        .plan, workspace: workspace, settings: order.settings, driver: driver,
        root: try workspace.openRoot(),
        records: RecordIndex(StateSnapshot()),
        report: order.report)
    } catch {
      throw .unusable(error)
    }
    for (number, (key, template)) in zip(asked.keys, templates).enumerated() where requests[key] == nil {
      waiting.append(key)
      requests[key] = ListRequest(
        template.list, asker: template.asker(TargetID(number)),
        earlier: asked.name(of: key).flatMap { stored.read($0) },
        in: context
      ) { [unowned self] request, answer in
        asked[key] = answer
        asked.works[key] = request.work
        startNext()
      }
    }
  }

  func perform(_ stop: StopSignal) throws(RunFault) {
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    defer {
      stop.onStop(nil)
      driver.shutDown()
    }
    if let isUnwanted = order.isUnwanted { watch(isUnwanted, stop) }
    if order.settings.reports.hasProgress { tick() }
    for _ in 0..<order.settings.resources.jobs { startNext() }
    driver.run(until: { asked.count == requests.count || driver.isStopped }, onStop: {})
    if driver.isStopped {
      for request in requests.values { request.cancel() }
      throw .interrupted
    }
  }

  private func watch(_ isUnwanted: @escaping () -> Bool, _ stop: StopSignal) {
    if isUnwanted() { return stop.stop() }
    driver.after(.milliseconds(50)) { [weak self] in self?.watch(isUnwanted, stop) }
  }

  private func tick() {
    order.report(.tick)
    driver.after(.milliseconds(100)) { [weak self] in self?.tick() }
  }

  private func startNext() {
    guard !waiting.isEmpty, !driver.isStopped else { return }
    requests[waiting.removeFirst()]?.start()
  }
}
