import SyncModel

@testable import Planning

/// Uses names to talk to a scheduler.
struct SchedulerRun {
  let manifest: Manifest
  var scheduler: Scheduler

  init(
    _ manifest: Manifest, jobs: Int = 16, keepsGoing: Bool = false, optional: [String] = [],
    doomed: [String] = [], independent: [String] = [], only selection: [String]? = nil, mostClosing: Int = 0,
    lanes: Bool = false
  ) {
    func ids(_ names: [String]) -> [TargetID] {
      manifest.targets.filter { names.contains($0.name.text) }.map(\.id)
    }
    self.manifest = manifest
    scheduler = Scheduler(
      graph: TargetGraph(manifest), selection: selection.map(ids) ?? manifest.targets.map(\.id), jobs: jobs,
      mostClosing: mostClosing, keepsGoing: keepsGoing, optional: ids(optional),
      doomed: ids(doomed), independent: Set(ids(independent)), lanes: lanes ? HostLanes(manifest) : nil)
  }

  mutating func widen(_ host: String, to requests: Int) -> [String] {
    told(scheduler.handle(.hostTakes(host, requests: requests)))
  }

  mutating func start() -> [String] { told(scheduler.start()) }
  mutating func succeed(_ name: String) -> [String] { finish(name, .succeeded) }
  mutating func fail(_ name: String) -> [String] { finish(name, .failed) }
  mutating func close(_ name: String) -> [String] {
    guard let target = manifest.targets.first(where: { $0.name.text == name }) else {
      return ["no \(name)"]
    }
    return told(scheduler.handle(.closing(target.id)))
  }
  mutating func interrupt() -> [String] { told(scheduler.handle(.interrupted)) }

  private mutating func finish(_ name: String, _ completion: Scheduler.Completion) -> [String] {
    guard let target = manifest.targets.first(where: { $0.name.text == name }) else {
      return ["no \(name)"]
    }
    return told(scheduler.handle(.finished(target.id, completion)))
  }

  private var units: PublishedTogether {
    PublishedTogether(manifest.groups, targets: manifest.targets.count)
  }

  /// A unit is in place, or `failed` is to blame that it is not.
  mutating func publish(_ unit: Int = 0, failed: String? = nil) -> [String] {
    let target = manifest.targets.first { $0.name.text == failed }
    return told(scheduler.handle(.published(unit: unit, failed: target?.id)))
  }

  private func told(_ actions: [Scheduler.Action]) -> [String] {
    actions.map {
      switch $0 {
      case .begin(let id): manifest[id].name.text
      case .skip(let id, .dependency(let name)): "-\(manifest[id].name) for \(name)"
      case .skip(let id, .dependencyTogether(let name, let other)):
        "-\(manifest[id].name) for \(name) with \(other)"
      case .skip(let id, .together(let name)): "-\(manifest[id].name) with \(name)"
      case .skip(let id, .runStopped): "-\(manifest[id].name)"
      case .skip(let id, let other): "-\(manifest[id].name): \(other)"
      case .publish(let unit): "publish \(units.name(of: unit))"
      case .drop(let unit, .together(let name)): "drop \(units.name(of: unit)) with \(name)"
      case .drop(let unit, _): "drop \(units.name(of: unit))"
      }
    }
  }
}
