import Planning
import SyncModel
import Testing

@testable import Reporting

@Suite struct PlanTextTests {
  private let targets = Samples.manifest.targets

  private var plan: Plan {
    Plan(targets: [
      Samples.planned(targets[0], .update, Samples.changed, bytes: 1_234_567),
      Samples.planned(targets[1], .fresh, .fresh(.present)),
      Samples.planned(targets[2], .maybe, waitsFor: ["genes"]),
      Samples.planned(targets[3], .error, failure: .httpStatus(404, url: Samples.url)),
      Samples.planned(targets[4], .maybe),
    ])
  }

  @Test func `a plan is a table and a summary`() {
    #expect(
      PlanText.table(plan, style: TextStyle(), secrets: Samples.none) == """
        ACTION  TARGET     SIZE  REASON
        update  genes    1.2 MB  ETag "a1" is now "b2"
        fresh   index            the output exists, and the rule requires nothing else
        maybe   copy             depends on the result of genes
        error   sums             HTTP status 404 (not found) from https://data.example.org/genes.tsv.gz
        maybe   checked          only a request can tell, but --offline is set
        1 to update, 1 fresh, 2 maybe, 1 with errors; 1.2 MB to download

        """)
  }

  @Test func `verbose also shows the codes`() {
    let table = PlanText.table(plan, style: TextStyle(), secrets: Samples.none, showsCodes: true)
    #expect(table.contains("  validator-changed: ETag \"a1\" is now \"b2\"\n"))
    #expect(table.contains("  offline: only a request can tell"))
    #expect(table.contains("  http-status: HTTP status 404"))
  }

  @Test func `a missing output is shown as new, and an edit as kept`() {
    let plan = Plan(targets: [
      Samples.planned(targets[0], .update, .stale(.outputMissing)),
      Samples.planned(targets[1], .update, .stale(.always)),
      Samples.planned(targets[2], .fresh, .fresh(.keptModified)),
    ])
    #expect(
      PlanText.table(plan, style: TextStyle(), secrets: Samples.none) == """
        ACTION  TARGET  REASON
        new     genes   the output does not exist
        update  index   the rule is always
        kept    copy    edited locally, and kept because of local_changes: keep
        1 new, 1 to update, 1 kept

        """)
    let kept = Plan(targets: [plan.targets[2]])
    #expect(
      PlanText.table(kept, style: TextStyle(), secrets: Samples.none)
        == "copy is up to date; its edit is kept\n")
  }

  @Test func `a part of a plan has the same kind of summary as the whole`() {
    let part = Plan(targets: [plan.targets[0]])
    #expect(
      PlanText.table(part, of: plan, style: TextStyle(), secrets: Samples.none) == """
        ACTION  TARGET    SIZE  REASON
        update  genes   1.2 MB  ETag "a1" is now "b2"
        1 to update, 1 fresh, 2 maybe, 1 with errors; 1.2 MB to download

        """)
  }

  @Test func `on a terminal, long texts are cut`() {
    let table = PlanText.table(plan, style: TextStyle(width: 80), secrets: Samples.none)
    #expect(
      table.contains(
        "\nerror   sums             HTTP status 404 (not found) from https://data.exampl...\n"))
  }

  @Test func `with unknown sizes the sum is a lower bound, and copies need no size`() {
    var copied = Samples.planned(targets[2], .update, .stale(.always))
    copied.fetches = false
    let known = Samples.planned(targets[0], .update, .stale(.always), bytes: 2_000)
    func summary(_ targets: [PlannedTarget]) -> String? {
      PlanText.table(Plan(targets: targets), style: TextStyle(), secrets: Samples.none)
        .split(separator: "\n").last.map(String.init)
    }
    #expect(summary([known, copied]) == "2 to update; 2.0 kB to download")
    let unknown = Samples.planned(targets[1], .update, .stale(.always))
    #expect(summary([known, copied, unknown]) == "3 to update; at least 2.0 kB to download")
    #expect(summary([copied, unknown]) == "2 to update")
  }

  @Test func `colour does not change the text`() {
    let painted = PlanText.table(plan, style: TextStyle(colour: true), secrets: Samples.none)
    #expect(painted.contains("\u{1B}[32mupdate\u{1B}[0m  genes"))
    #expect(Harm.withoutPaint(painted) == PlanText.table(plan, style: TextStyle(), secrets: Samples.none))
  }

  @Test func `empty columns are left out`() {
    let plan = Plan(targets: [Samples.planned(targets[0], .update, .stale(.always))])
    #expect(
      PlanText.table(plan, style: TextStyle(), secrets: Samples.none) == """
        ACTION  TARGET  REASON
        update  genes   the rule is always
        1 to update

        """)
  }

  @Test(
    "a plan without work is one line",
    arguments: [
      (0, "nothing to do: no target is selected\n"), (1, "genes is up to date\n"),
      (3, "all 3 targets are up to date\n"),
    ])
  func allFresh(count: Int, expected: String) {
    let plan = Plan(targets: targets.prefix(count).map { Samples.planned($0, .fresh, .fresh(.present)) })
    #expect(PlanText.table(plan, style: TextStyle(), secrets: Samples.none) == expected)
  }

  @Test(arguments: [
    (Shard(.seed, of: 16), "nothing to do: the shards share no target\n"),
    (Shard(.number(3), of: 16, by: .size), "nothing to do: shard size:3/16 has no target\n"),
  ])
  func `a shard without targets says whose they are not`(_ shard: Shard, _ expected: String) {
    #expect(
      PlanText.table(Plan(targets: []), style: TextStyle(), secrets: Samples.none, shard: shard) == expected)
  }

  @Test func `a failed check is shown in full, with a hint`() {
    #expect(
      PlanText.problems(plan, manifest: Samples.manifest, style: TextStyle()) == """
        syncmake: error: sums: HTTP status 404 (not found) from https://data.example.org/genes.tsv.gz
          hint: check the URL in the manifest; a list under `url` gives mirrors

        """)
  }

  @Test func `what is wrong with a list is said once, not for each of its entries`() {
    let cause = FailureCause.listInvalid(source: "https://h/list", .suspect(gone: 4, recorded: 14))
    var manifest = Samples.manifest
    for index in 1...2 {
      manifest.targets[index].source = .gone(
        GoneEntry(
          template: targets[0].name.text, key: "k", list: "https://h/list",
          fate: .suspect(gone: 4, recorded: 14)))
    }
    // The fourth is another list of the same URL.
    let plan = Plan(targets: targets.prefix(4).map { Samples.planned($0, .error, failure: cause) })
    let text = PlanText.problems(plan, manifest: manifest, style: TextStyle())
    #expect(text.split(separator: "\n").count { $0.contains("error: ") } == 2)
    #expect(text.contains("error: \(targets[0].name): ") && text.contains("error: \(targets[3].name): "))
  }

  @Test func `very large sizes do not overflow`() {
    let plan = Plan(
      targets: targets.prefix(2).map { Samples.planned($0, .update, .stale(.always), bytes: .max) })
    #expect(PlanText.table(plan, style: TextStyle(), secrets: Samples.none).contains("9.2 EB to download"))
  }

  static let nasty = [
    "a", String(repeating: "long/", count: 40), String(repeating: "東京", count: 60), "e\u{301}\u{1B}[2J",
    String(repeating: "\u{202E}", count: 30), "tab\tand\nline", String(repeating: "🙂", count: 50),
    "::error::x",
  ]

  @Test("no line is wider than the terminal, whatever the names", arguments: [nil, 40, 60, 80, 132])
  func fits(width: Int?) {
    for name in Self.nasty {
      var planned = AllValues.reasons(name).map { Samples.planned(targets[0], .update, $0, bytes: 123_456) }
      planned += AllValues.causes(name).map { Samples.planned(targets[1], .error, failure: $0) }
      planned.append(Samples.planned(targets[2], .maybe, waitsFor: Self.nasty))
      for i in planned.indices where i % 2 == 0 { planned[i].name = TargetName(name) }
      let table = PlanText.table(
        Plan(targets: planned), style: TextStyle(width: width), secrets: Samples.none)
      let lines = table.split(separator: "\n")
      #expect(lines.count == planned.count + 2)
      #expect(lines.allSatisfy { TextWidth.of(String($0)) <= width ?? 1000 && !$0.hasSuffix(" ") })
    }
  }

  @Test func `both ends of a long name are shown`() {
    var planned = Samples.planned(targets[0], .update, .stale(.always))
    planned.name = TargetName("chromosomes/" + String(repeating: "x", count: 100) + "/chr22.fa")
    let table = PlanText.table(Plan(targets: [planned]), style: TextStyle(), secrets: Samples.none)
    #expect(table.contains("update  chromosomes/x") && table.contains("x/chr22.fa  the rule"))
  }
}

@Suite struct StatusTextTests {
  private let targets = Samples.manifest.targets

  private func status(_ target: Target, _ state: TargetStatus.State, recorded: Bool) -> TargetStatus {
    TargetStatus(
      id: target.id, name: target.name, output: target.output, state: state,
      record: recorded ? Samples.record(target) : nil)
  }

  @Test func `a status is a table with ages and a summary`() {
    var ahead = status(targets[3], .modified, recorded: true)
    ahead.record?.checkedAt = Timestamp(seconds: Samples.now.seconds + 60)
    let statuses = [
      status(targets[0], .present, recorded: true), status(targets[1], .missing, recorded: false),
      status(targets[2], .unknown, recorded: false), ahead,
    ]
    #expect(
      StatusText.render(statuses, manifest: Samples.manifest, style: TextStyle(), now: Samples.now) == """
        STATE     TARGET   SIZE  CHECKED        UPDATED  OUTPUT
        present   genes   456 B  3h ago         2d ago   data/genes.tsv
        missing   index                                  data/index
        unknown   copy                                   data/copy
        modified  sums    456 B  in the future  2d ago   data/sums
        1 present, 1 missing, 1 modified, 1 unknown

        """)
  }

  @Test func `a narrow terminal shows names and leaves out what says less`() {
    var manifest = Samples.manifest
    manifest.targets[0].summary = "The genome of E. coli"
    var one = status(targets[0], .present, recorded: true)
    one.name = TargetName("genomes/GCF_000005845.2_ASM584v2_genomic.fna")
    func text(_ width: Int) -> String {
      StatusText.render([one], manifest: manifest, style: TextStyle(width: width), now: Samples.now)
    }
    #expect(
      text(80) == """
        STATE    TARGET                           SIZE  CHECKED  UPDATED  OUTPUT
        present  genomes/GCF_00...2_genomic.fna  456 B  3h ago   2d ago   data/genes.tsv
        1 present

        """)
    #expect(
      text(40) == """
        STATE    TARGET                     SIZE
        present  genomes/GCF...enomic.fna  456 B
        1 present

        """)
  }

  @Test(arguments: [60, 80, 100, 120, 160])
  func `a wider terminal shows no less of the names`(width: Int) {
    var manifest = Samples.manifest
    manifest.targets[0].summary = String(repeating: "words ", count: 8)
    var one = status(manifest.targets[0], .present, recorded: true)
    one.name = TargetName(String(repeating: "n", count: 60))
    let text = StatusText.render(
      [one], manifest: manifest, style: TextStyle(width: width), now: Samples.now)
    let names = text.split(separator: "\n")[1].split(separator: " ").filter { $0.hasPrefix("nnn") }
    #expect(names.map(\.count).max() ?? 0 >= 24)
  }

  @Test("no line is wider than the terminal, whatever the names", arguments: [40, 60, 80])
  func fits(width: Int) {
    for name in PlanTextTests.nasty {
      var one = status(targets[0], .modified, recorded: true)
      one.name = TargetName(name)
      let text = StatusText.render(
        [one], manifest: Samples.manifest, style: TextStyle(width: width), now: Samples.now)
      #expect(text.split(separator: "\n").allSatisfy { TextWidth.of(String($0)) <= width })
    }
  }

  @Test func `descriptions are the last column, if there are any`() {
    var manifest = Samples.manifest
    manifest.targets[0].summary = "Genes of\nthe release"
    let statuses = [
      status(targets[0], .missing, recorded: false), status(targets[1], .missing, recorded: false),
    ]
    #expect(
      StatusText.render(statuses, manifest: manifest, style: TextStyle(), now: Samples.now) == """
        STATE    TARGET  OUTPUT          DESCRIPTION
        missing  genes   data/genes.tsv  Genes of the release
        missing  index   data/index
        2 missing

        """)
  }

  @Test func `without targets the text says so`() {
    #expect(
      StatusText.render([], manifest: Samples.manifest, style: TextStyle(), now: Samples.now)
        == "no target is selected\n")
    let unread = Manifest(fileName: "syncmake.yaml", targets: [])
    #expect(
      StatusText.render([], manifest: unread, style: TextStyle(), now: Samples.now)
        == "syncmake.yaml has no targets\n")
  }
}

@Suite struct ListTextTests {
  private var manifest: Manifest {
    var manifest = Samples.manifest
    manifest.targets = Array(manifest.targets.prefix(2))
    manifest.targets[0].summary = "Genes, \u{1B}[2Jnamed hunter2"
    manifest.groups = [
      TargetGroup(name: TargetName("all"), members: [TargetID(0), TargetID(1)], span: .unknown),
      TargetGroup(name: TargetName("none"), members: [], span: .unknown),
    ]
    manifest.secrets.add("hunter2")
    return manifest
  }

  @Test func `targets have outputs and descriptions, groups their targets`() {
    #expect(
      ListText.render(manifest, style: TextStyle()) == #"""
        TARGET  OUTPUT          DESCRIPTION
        genes   data/genes.tsv  Genes, \u{1B}[2Jnamed ***
        index   data/index

        GROUP  TARGETS
        all    genes, index
        none   none

        """#)
  }

  @Test func `a manifest without targets says so`() {
    let empty = Manifest(fileName: "syncmake.yaml", targets: [])
    #expect(ListText.render(empty, style: TextStyle()) == "syncmake.yaml has no targets\n")
  }

  @Test("no line is wider than the terminal, whatever the names", arguments: [40, 80])
  func fits(width: Int) {
    for name in PlanTextTests.nasty {
      var manifest = manifest
      manifest.targets[0].name = TargetName(name)
      manifest.targets[1].summary = name
      manifest.groups[0].name = TargetName(name)
      let lines = ListText.render(manifest, style: TextStyle(width: width)).split(separator: "\n")
      #expect(lines.allSatisfy { TextWidth.of(String($0)) <= width })
    }
  }
}
