import ManifestParsing
import Planning
import Reporting
import SyncModel

/// Any bytes as a manifest: there is one answer, every promise of ``Manifest`` holds, and reports do no harm.
enum ManifestCheck {
  /// No piece of it may be shown, however a message is cut; no input contains it by chance.
  private static let secret = "kQ7-zT0/vW4+xR9=pL2_mB6"
  private static let piece = 8

  private static let context = ManifestContext { name in
    ["TOKEN": secret, "HOME": "/home/user", "MIRROR": "https://mirror.example/x", "EMPTY": ""][name]
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    let parse = ManifestParser.parse(input, context: context)
    let errors = parse.diagnostics.count { $0.severity == .error }
    try demand((parse.manifest == nil) == (errors > 0), "\(errors) errors")
    try same(parse, ManifestParser.parse(input, context: context))
    let shown = DiagnosticText.render(parse.diagnostics, style: TextStyle())
    if let harm = Harm.found(in: shown) { throw Violation(harm) }
    try silent(shown, input)
    for problem in parse.diagnostics {
      try demand((problem.span?.line ?? 1) >= 1 && (problem.span?.column ?? 1) >= 1, "\(problem)")
      try demand(!problem.message.isEmpty, "no words")
    }
    if let manifest = parse.manifest {
      try demand(shown.isEmpty, "a good manifest has problems: \(shown)")
      try promises(of: manifest)
      try reports(of: manifest, input)
    }
    try ManifestEditCheck.run(input, context)
  }

  private static func silent(_ shown: String, _ input: [UInt8]) throws(Violation) {
    let secret = Array(secret.utf8)
    let shown = Array(shown.utf8)
    guard shown.count >= piece else { return }
    for start in 0...(secret.count - piece) {
      let part = secret[start..<(start + piece)]
      guard contains(shown, part) else { continue }
      try demand(contains(input, part), "a part of a secret is shown")
    }
  }

  private static func contains(_ hay: [UInt8], _ needle: ArraySlice<UInt8>) -> Bool {
    guard let first = needle.first, hay.count >= needle.count else { return false }
    return (0...(hay.count - needle.count)).contains {
      hay[$0] == first && hay[$0..<($0 + needle.count)].elementsEqual(needle)
    }
  }

  private static func same(_ a: ManifestParse, _ b: ManifestParse) throws(Violation) {
    try demand(a.diagnostics == b.diagnostics, "two lists of problems")
    guard let one = a.manifest, let other = b.manifest else {
      return try demand(a.manifest == nil && b.manifest == nil, "two answers")
    }
    try demand(one.targets.count == other.targets.count, "two manifests")
    for (x, y) in zip(one.targets, other.targets) {
      let isSame =
        x.name == y.name && x.output == y.output && x.source == y.source && x.steps == y.steps
        && x.freshness == y.freshness && x.needs == y.needs && x.after == y.after && x.headers == y.headers
        && x.timeouts == y.timeouts && x.tags == y.tags && x.span == y.span
      try demand(isSame, "two targets \(x.name)")
    }
    try demand(one.groups == other.groups && one.hosts == other.hosts, "two groups or hosts")
  }

  private static func promises(of manifest: Manifest) throws(Violation) {
    let count = manifest.targets.count
    try demand(Set(manifest.targets.map(\.name)).count == count, "a name stands twice")
    try demand(Set(manifest.targets.map(\.output)).count == count, "an output stands twice")
    for (index, target) in manifest.targets.enumerated() {
      try demand(target.id == TargetID(index), "\(target.name) is not at its place")
      try demand(TargetName.isValid(target.name.text), "the name \(target.name)")
      try inside(target.output.path)
      let comesFromTarget = if case .target = target.source { true } else { false }
      try demand(comesFromTarget == (target.freshness == nil), "\(target.name)'s freshness")
      if case .urls(let urls) = target.source { try demand(!urls.isEmpty, "\(target.name) has no URL") }
      for id in target.needs + target.after { try demand(id.index < count, "\(target.name) needs \(id)") }
      try demand(target.retries >= 0 && target.timeouts.connect > .zero, "\(target.name)'s limits")
      let values = target.headers.flatMap { [$0.name, $0.value] }
      try demand(!values.contains { $0.utf8.contains { $0 == 0x0A || $0 == 0x0D } }, "a line in a header")
    }
    for group in manifest.groups {
      try demand(group.members.allSatisfy { $0.index < count }, "group \(group.name)")
    }
    try foldersApart(manifest)
    let graph = TargetGraph(manifest)
    try demand(Set(graph.order).count == count, "a cycle")
    let places = Dictionary(uniqueKeysWithValues: graph.order.enumerated().map { ($1, $0) })
    for edge in graph.edges {
      try demand((places[edge.from] ?? 0) < (places[edge.to] ?? 0), "\(edge) runs backwards")
      guard let unit = graph.units.unit(of: edge.from, neededBy: edge.to) else { continue }
      let isAfterAll = graph.units.members(of: unit).allSatisfy { places[$0] ?? 0 < places[edge.to] ?? 0 }
      try demand(isAfterAll, "\(edge) does not wait for its unit")
    }
    try demand(graph.units.overlaps.isEmpty, "a target in two units")
  }

  private static func inside(_ output: RelativePath) throws(Violation) {
    let parts = output.text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    try demand(!parts.contains { ["", ".", ".."].contains($0) }, "the output \(output)")
    try demand(![".git", ".syncmake"].contains(parts[0]), "the output \(output)")
    try demand(!["syncmake.yaml", "syncmake.lock"].contains(output.text), "the output \(output)")
  }

  /// No output is another's folder; sorted by parts, such a pair is adjacent.
  private static func foldersApart(_ manifest: Manifest) throws(Violation) {
    let paths = manifest.targets.map(\.output.path).sorted { a, b in
      a.parts.lexicographicallyPrecedes(b.parts) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    for (a, b) in zip(paths, paths.dropFirst()) {
      try demand(!a.isFolder(of: b), "the output \(a) is a folder of \(b)")
    }
  }

  private static func reports(of manifest: Manifest, _ input: [UInt8]) throws(Violation) {
    guard manifest.targets.count <= 100 else { return }
    let graph = TargetGraph(manifest)
    for report in [
      GraphText.dot(graph, manifest: manifest), GraphText.mermaid(graph, manifest: manifest),
      GraphText.json(graph, manifest: manifest),
    ] {
      if let harm = Harm.found(in: report) { throw Violation(harm) }
      try silent(report, input)
    }
    for target in manifest.targets {
      for field in Definition.fields(of: target, in: manifest) { try silent(field.value, input) }
    }
  }
}
