import Planning
import SyncModel
import Testing

/// The lines of the table in the contract, section 3, and that the first that applies wins.
@Suite struct FreshnessTableTests {
  /// One situation for each line, in which every later line would also apply.
  @Test(arguments: 1...8) func `the first line that applies wins`(line: Int) {
    var situation = Situation.inOrder(.always)
    situation.record?.inputs = [InputRecord(kind: .needs, name: TargetName("dep"), digest: hex("1"))]
    if line == 7 { situation.record = nil }
    if line <= 6 { situation = situation.needing(.settled(hex("2"))) }
    if line <= 5 { situation.record?.definition[0].value = "https://elsewhere.example/a" }
    if line <= 4 { situation.directive = .force }
    if line <= 3 { situation = situation.edited().with { $0.target.localChanges = .overwrite } }
    if line <= 2 { situation.output = .missing }
    if line <= 1 { situation.directive = .assumeFresh }

    let expected: [Verdict] = [
      .fresh(.assumedFresh), .stale(.outputMissing),
      .stale(.outputModified(recorded: hex("a"), actual: hex("f"))),
      .stale(.forced),
      .stale(
        .definitionChanged([
          FieldChange(field: "url", was: "https://elsewhere.example/a", now: "https://data.example/a.gz")
        ])),
      .stale(
        .dependencyChanged([
          DependencyChange(kind: .needs, name: TargetName("dep"), was: hex("1"), now: hex("2"))
        ])),
      .stale(.always), .stale(.always),
    ]
    #expect(situation.verdict == expected[line - 1])
    #expect(situation.decision.line.rawValue == line)
  }

  @Test func `line 1: with -o a target is fresh, even with a missing or impossible output`() {
    for output in [.missing, .unusable(.isLink), .file(Situation.rewritten)] as [OutputObservation] {
      let situation = Situation.inOrder().with {
        $0.directive = .assumeFresh
        $0.output = output
      }
      #expect(situation.verdict == .fresh(.assumedFresh))
    }
  }

  @Test func `line 2: a missing output is stale, with or without a record, without a request`() {
    for rule in [.etag, .once, .always, .interval(period: .seconds(1e6), then: .once), nil]
      as [FreshnessRule?]
    {
      for situation in [Situation.inOrder(rule), .unrecorded(rule), .touched(rule)] {
        let missing = situation.with { $0.output = .missing }
        #expect(missing.verdict == .stale(.outputMissing))
        #expect(missing.decision.line == .output)
        let gap = FolderGap.files(1, of: 3, first: "a")
        let incomplete = situation.with { $0.output = .incomplete(gap) }
        #expect(incomplete.verdict == .stale(.folderIncomplete(gap)))
        #expect(StaleReason.folderIncomplete(gap).code == .outputMissing)
      }
    }
  }

  @Test func `line 2: the record of a missing output is kept in the decision`() {
    let situation = Situation.inOrder().with { $0.output = .missing }
    #expect(situation.decision.record == situation.record)
  }

  @Test(
    arguments: [.isLink, .isFolder, .isDevice, .parentIsLink("out"), .parentIsNotFolder("out")] as [PathFault]
  )
  func `an output that is a link, a folder or a device is refused, even when forced`(fault: PathFault) {
    let situation = Situation.inOrder().with {
      $0.output = .unusable(fault)
      $0.directive = .force
      $0.overwritesEdits = true
    }
    #expect(situation.verdict == .refused(.outputUnwritable(path: "out/a", fault)))
  }

  @Test func `line 4: -B and -W make a target stale that every rule calls fresh`() {
    let fresh: [Situation] = [
      .inOrder(.etag).confirmed(), .inOrder(.once), .inOrder(.interval(period: .seconds(86400), then: .etag)),
      .inOrder(nil), .unrecorded(.once), .touched(.once),
    ]
    for situation in fresh {
      let forced = situation.with { $0.directive = .force }
      #expect(forced.verdict == .stale(.forced))
      #expect(forced.decision.line == .forced)
    }
  }

  @Test(arguments: ["url", "output", "steps"]) func `line 5: the change of each field is reported`(
    field: String
  ) {
    let situation = Situation.inOrder(steps: [.gunzip]).confirmed().with {
      guard let index = $0.definition.firstIndex(where: { $0.name == field }) else { return }
      $0.record?.definition[index].value = "was this"
    }
    let now = situation.definition.first { $0.name == field }?.value
    #expect(
      situation.verdict == .stale(.definitionChanged([FieldChange(field: field, was: "was this", now: now)])))
  }

  @Test func `line 5: several changes are reported together`() {
    let situation = Situation.inOrder().with {
      $0.record?.definition = [
        DefinitionField(name: "from", value: "dep"), DefinitionField(name: "output", value: "out/a"),
        DefinitionField(name: "steps", value: "gunzip"),
      ]
    }
    #expect(
      situation.verdict
        == .stale(
          .definitionChanged([
            FieldChange(field: "url", was: nil, now: "https://data.example/a.gz"),
            FieldChange(field: "from", was: "dep", now: nil),
            FieldChange(field: "steps", was: "gunzip", now: nil),
          ])))
  }

  @Test func `line 5: a record that is found by name shows a moved output, and line 3 does not apply`() {
    let situation = Situation.inOrder().edited(nil).with { $0.record?.output = path("old/a") }
    let decision = situation.decision
    #expect(
      decision.verdict
        == .stale(.definitionChanged([FieldChange(field: "output", was: "old/a", now: "out/a")])))
    #expect(decision.line == .definition)
    #expect(!decision.recordNeedsRenewal)
  }

  @Test func `line 5: a new freshness rule alone does not make a target stale`() {
    #expect(Situation.inOrder(.etag).with { $0.target.freshness = .once }.verdict == .fresh(.present))
  }

  @Test func `the record distinguishes line 7 from line 8`() {
    #expect(Situation.unrecorded(.once).decision.line == .ruleWithoutRecord)
    #expect(Situation.inOrder(.once).decision.line == .rule)
  }

  @Test func `a target with from is fresh when lines 1 to 6 find nothing, and never synced without a record`()
  {
    #expect(Situation.inOrder(nil).verdict == .fresh(.inputsUnchanged))
    #expect(Situation.touched(nil).verdict == .fresh(.inputsUnchanged))
    #expect(Situation.unrecorded(nil).verdict == .stale(.neverSynced))
    #expect(Situation.unrecorded(nil).decision.line == .ruleWithoutRecord)
  }

  @Test func `every reason has its code from the contract`() {
    let codes: [(Situation, ReasonCode)] = [
      (.inOrder().with { $0.directive = .assumeFresh }, .assumedFresh),
      (.inOrder().with { $0.output = .missing }, .outputMissing),
      (.inOrder().edited().with { $0.target.localChanges = .keep }, .outputModified),
      (.inOrder().edited().with { $0.target.localChanges = .overwrite }, .outputModified),
      (.inOrder().with { $0.directive = .force }, .forced),
      (.inOrder().with { $0.record?.definition[0].value = "x" }, .definitionChanged),
      (.inOrder().needing(.takenAsChanged), .dependencyChanged),
      (.unrecorded(), .neverSynced),
      (.inOrder(nil), .inputsUnchanged),
      (.inOrder().confirmed(), .notModified),
      (.inOrder().changed(), .validatorChanged),
      (.inOrder(.mtime).changed(), .newerRemote),
      (.inOrder(.once), .present),
      (.inOrder(.always), .always),
      (.inOrder(.interval(period: .seconds(86400), then: .etag)), .withinInterval),
    ]
    for (situation, code) in codes {
      switch situation.verdict {
      case .fresh(let reason): #expect(reason.code == code)
      case .stale(let reason): #expect(reason.code == code)
      case let other: Issue.record("\(code): \(other)")
      }
    }
  }
}
