import ContentPipeline
import LocalFiles
import Planning
import StateStore
package import SyncModel

/// Asks what upstream lists, before the graph is built (contract, section 11).
package enum ListAsking {
  /// Blocks until every list was read; lists that several templates share are asked once.
  ///
  /// `keeps`: what was read is stored for the next run, as a run does it; a plan writes nothing. Throws
  /// `RunFault.interrupted` after `stop`. The answers are those of `templates`, in their order. The targets of which
  /// `report` hears are those of ``askers(_:)``.
  package static func ask(
    _ templates: [ListTemplate], in workspace: Workspace, settings: RunSettings, keeps: Bool,
    stop: StopSignal,
    report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> [Result<[ListEntry], FailureCause>] {
    let session = try ListSession(templates, workspace, settings, report)
    let answers = try session.perform(stop)
    if keeps { session.store() }
    return answers
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
  /// All that the entries of a list depend on.
  private struct Key: Hashable {
    var url: SourceURL
    var headers: [RequestHeader]
    var authentication: Authentication?
    var format: ListFormat
    var fields: ListFields

    /// The name under which it is stored: of headers and credentials only that there are some, since they are secret.
    var name: String {
      let kind = headers.isEmpty && authentication == nil ? "public" : "private"
      return String(
        Digester.digest(Array("\(kind) \(format.rawValue) \(url.shown)".utf8), .sha256).text.prefix(32))
    }
  }

  private let workspace: Workspace
  private let driver: Driver
  private let context: RunContext
  private let stored: StoredLists
  /// In the order of the templates.
  private let keys: [Key]
  private var requests: [Key: ListRequest] = [:]
  /// What is to be asked yet, in the manifest's order.
  private var waiting: [Key] = []
  private var answers: [Key: Result<ListRequest.Answer, FailureCause>] = [:]

  init(
    _ templates: [ListTemplate], _ workspace: Workspace, _ settings: RunSettings,
    _ report: @escaping (RunEvent) -> Void
  ) throws(RunFault) {
    self.workspace = workspace
    stored = StoredLists(stateFolder: workspace.statePath)
    do throws(FailureCause) {
      driver = try Driver(settings: settings, manifest: workspace.manifest)
      context = RunContext(
        .plan, workspace: workspace, settings: settings, driver: driver,
        root: try RootFolder(path: workspace.rootPath), records: RecordIndex(StateSnapshot()),
        report: report)
    } catch {
      throw .unusable(error)
    }
    let askers = templates.enumerated().map { $1.asker(TargetID($0)) }
    keys = zip(templates, askers).map { template, asker in
      Key(
        url: template.list.url, headers: asker.headers, authentication: asker.authentication,
        format: template.list.format, fields: template.list.fields)
    }
    for (key, (template, asker)) in zip(keys, zip(templates, askers)) where requests[key] == nil {
      waiting.append(key)
      requests[key] = ListRequest(
        template.list, asker: asker, earlier: stored.read(key.name), in: context
      ) { [unowned self] _, answer in
        answers[key] = answer
        startNext()
      }
    }
  }

  func perform(_ stop: StopSignal) throws(RunFault) -> [Result<[ListEntry], FailureCause>] {
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    defer {
      stop.onStop(nil)
      driver.shutDown()
    }
    for _ in 0..<context.settings.jobs { startNext() }
    driver.run(until: { answers.count == requests.count || driver.isStopped }, onStop: {})
    if driver.isStopped {
      for request in requests.values { request.cancel() }
      throw .interrupted
    }
    return keys.map { key in
      answers[key]?.map(\.entries) ?? .failure(.internalError("a list was not asked for"))
    }
  }

  private func startNext() {
    guard !waiting.isEmpty, !driver.isStopped else { return }
    requests[waiting.removeFirst()]?.start()
  }

  /// Stores what is new, if the state folder can be written.
  func store() {
    let new = answers.compactMap { key, answer in (try? answer.get())?.stored.map { (key.name, $0) } }
    guard !new.isEmpty,
      let folder = try? StateFolder(path: workspace.statePath, mayBeLink: workspace.stateMayBeLink)
    else { return }
    withExtendedLifetime(folder) { for (name, list) in new { stored.write(list, as: name) } }
  }
}

extension ListTemplate {
  /// The target that asks for the list.
  fileprivate func asker(_ id: TargetID) -> Target {
    Target(
      id: id, name: TargetName(list.template), span: list.span, source: .urls([list.url]),
      output: .lockFile, settings: settings)
  }
}
