import Planning
import SyncModel
import Testing

/// The output of `update -n` (contract, section 8).
@Suite struct UpdateForecastTests {
  private let content = Pin.Content(size: 1, sha256: hex("1"))

  private func pin(_ name: String) -> Pin {
    Pin(source: .urls([ByteString("https://data.example/\(name)")]), download: content, output: content)
  }

  /// The forecast for targets whose lines `change` has modified; all of them are locked and asked, and none has
  /// moved.
  private func forecast(
    of manifest: Manifest, pins: [TargetName: Pin], taking taken: [Int]? = nil, isWhole: Bool = true,
    change: (inout PlannedTarget) -> Void = { _ in }
  ) -> UpdateForecast {
    let lines = manifest.targets.map { target in
      var line = PlannedTarget(
        id: target.id, name: target.name, output: target.output, action: .fresh)
      if pins[target.name] != nil {
        line.lock = .pinned
        line.knowsMoved = true
      }
      change(&line)
      return line
    }
    return UpdateForecast(
      Plan(targets: lines), taking: Set((taken ?? Array(manifest.targets.indices)).map(TargetID.init)),
      isWhole: isWhole, lock: LockFile(pins: pins), in: manifest, TargetGraph(manifest))
  }

  private func pins(_ names: String...) -> [TargetName: Pin] {
    Dictionary(uniqueKeysWithValues: names.map { (TargetName($0), pin($0)) })
  }

  @Test func `targets that are as locked and have not moved change nothing`() {
    let forecast = forecast(of: manifest(["a": [], "b": []]), pins: pins("a", "b"))
    #expect(!forecast.hasChanges && forecast.unknown.isEmpty)
  }

  @Test func `a moved target is listed with its old pin, and without a new one`() {
    let forecast = forecast(of: manifest(["a": [], "b": []]), pins: pins("a", "b")) {
      if $0.name == TargetName("b") { $0.lock = .moved }
    }
    #expect(forecast.changes == [PinChange(name: TargetName("b"), kind: .moved, was: pin("b"), now: nil)])
  }

  @Test func `added and removed targets are listed, sorted by name`() {
    let forecast = forecast(of: manifest(["new": [], "old": []]), pins: pins("gone", "old"))
    #expect(forecast.changes.map(\.name.text) == ["gone", "new"])
    #expect(forecast.changes.map(\.kind) == [.removed, .added])
  }

  @Test func `an update of named targets drops no pin and ignores all other targets`() {
    let forecast = forecast(
      of: manifest(["a": [], "b": [], "new": []]), pins: pins("a", "b", "gone"), taking: [0], isWhole: false
    ) { $0.lock = .moved }
    #expect(forecast.changes.map(\.name.text) == ["a"])
  }

  @Test func `a target made from a moved one moves, too; one that only needs it does not`() {
    var manifest = manifest(["a": [], "copy": [], "copy2": [], "user": ["a"]])
    manifest.targets[1].source = .target(TargetID(0))
    manifest.targets[2].source = .target(TargetID(1))
    var pins = pins("a", "user")
    for (name, from) in [("copy", "a"), ("copy2", "copy")] {
      pins[TargetName(name)] = Pin(source: .target(TargetName(from)), download: nil, output: content)
    }
    let forecast = forecast(of: manifest, pins: pins) {
      if $0.name == TargetName("a") { $0.lock = .moved }
    }
    #expect(forecast.changes.map(\.name.text) == ["a", "copy", "copy2"])
    #expect(forecast.unknown.isEmpty)
  }

  @Test func `what is made anew may move, and so may what is made from a new target`() {
    var manifest = manifest(["new": [], "copy": [], "again": []])
    manifest.targets[1].source = .target(TargetID(0))
    var pins = pins("again")
    pins[TargetName("copy")] = Pin(source: .target(TargetName("old")), download: nil, output: content)
    let forecast = forecast(of: manifest, pins: pins) {
      if $0.name == TargetName("again") { $0.reason = .stale(.definitionChanged([])) }
    }
    #expect(forecast.changes.map(\.name.text) == ["new"])
    #expect(forecast.unknown.map(\.text) == ["copy", "again"])
  }

  @Test func `what a list makes of no use is no target, and nothing of it is removed`() {
    var manifest = manifest(["a": [], "t/b": []]) {
      if $0.id == TargetID(1) { $0.source = .unlisted(.offline) }
    }
    let list = ListDeclaration(
      template: "t/${entry.key}", span: manifest.targets[0].span, url: .web("https://h/l"), format: .json)
    manifest.templates = [ListTemplate(list, .unread)]
    var pins = pins("a", "t/c", "gone")
    pins[TargetName("t/c")]?.entry = PinnedEntry(
      template: "t/${entry.key}", entry: ListEntry(key: "c", name: "c", url: "https://h/c"))
    let forecast = forecast(of: manifest, pins: pins)
    #expect(forecast.changes.map(\.name.text) == ["gone"] && forecast.changes.map(\.kind) == [.removed])
  }

  @Test func `a named target that has left its list stays as locked, unless it is of another entry now`() {
    let forecast = forecast(of: manifest(["a": []]), pins: pins("a"), isWhole: false) {
      ($0.lock, $0.moved) = (.moved, .listGone)
    }
    #expect(!forecast.hasChanges && forecast.unknown.isEmpty)
    var pins = pins("a")
    pins[TargetName("a")]?.entry = PinnedEntry(
      template: "t", entry: ListEntry(key: "old", name: "a", url: "https://h/a"))
    let other = self.forecast(of: manifest(["a": []]), pins: pins, isWhole: false) {
      ($0.lock, $0.moved) = (.moved, .listGone)
    }
    #expect(other.changes.map(\.kind) == [.moved])
  }

  @Test func `nothing is removed of what has left its list if a server lacks a file`() {
    let target = manifest(["a": []]).targets[0]
    var gone = PlannedTarget(
      id: target.id, name: target.name, output: target.output, action: .update, reason: .stale(.listGone))
    #expect(Plan(targets: [gone]).failingWhereAbsent.removals.map(\.reason) == [.stale(.listGone)])
    var absent = gone
    absent.reason = .stale(.outputMissing)
    absent.unmeasured = .httpStatus(404, url: "https://h/a")
    #expect(Plan(targets: [gone, absent]).failingWhereAbsent.removals.isEmpty)
    gone.action = .fresh
    #expect(Plan(targets: [gone]).removals.isEmpty)
  }

  @Test func `a pin that contradicts the manifest moves`() {
    let manifest = manifest(["a": []]) { $0.source = .urls([.web("https://elsewhere.example/a")]) }
    #expect(forecast(of: manifest, pins: pins("a")).changes.map(\.kind) == [.moved])
  }

  @Test func `without an answer only a download can tell, unless the check failed`() {
    let manifest = manifest(["a": [], "b": [], "copy": []]) {
      if $0.id == TargetID(2) { $0.source = .target(TargetID(0)) }
    }
    var pins = pins("a", "b")
    pins[TargetName("copy")] = Pin(source: .target(TargetName("a")), download: nil, output: content)
    let forecast = forecast(of: manifest, pins: pins) {
      $0.knowsMoved = false
      if $0.name == TargetName("b") { $0.action = .error }
    }
    #expect(forecast.unknown.map(\.text) == ["a"])
    #expect(!forecast.hasChanges)
  }

  @Test func `what is made again since it was only found may move, but a copy is as its source is locked`() {
    var manifest = manifest(["a": [], "copy": [], "unpacked": []])
    for index in 1...2 { manifest.targets[index].source = .target(TargetID(0)) }
    manifest.targets[2].steps = [.gunzip]
    var pins = pins("a")
    pins[TargetName("copy")] = Pin(source: .target(TargetName("a")), download: nil, output: content)
    pins[TargetName("unpacked")] = Pin(
      source: .target(TargetName("a")), download: nil, output: Pin.Content(size: 2, sha256: hex("2")))
    let forecast = forecast(of: manifest, pins: pins) { $0.isUnproven = true }
    #expect(forecast.unknown.map(\.text) == ["unpacked"])
    #expect(!forecast.hasChanges)
    #expect(self.forecast(of: manifest, pins: pins).unknown.isEmpty)
  }

  @Test(
    "an update does not ask for these, so a download would not tell",
    arguments: [FreshReason.keptModified, .assumedFresh])
  func leftAlone(reason: FreshReason) {
    let forecast = forecast(of: manifest(["a": []]), pins: pins("a")) {
      $0.knowsMoved = false
      $0.reason = .fresh(reason)
    }
    #expect(forecast.unknown.isEmpty && !forecast.hasChanges)
  }
}
