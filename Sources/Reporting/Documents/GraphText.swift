package import Planning
package import SyncModel

/// Draws the dependency graph for other programs: Graphviz, Mermaid, JSON.
package enum GraphText {
  /// Graphviz's language; arrows lead from a target to its dependents. Ends in a line end.
  package static func dot(_ graph: TargetGraph, manifest: Manifest) -> String {
    func name(_ id: TargetID) -> String { quoted(manifest.secrets.shown(manifest[id].name)) }
    var text = "digraph syncmake {\n  rankdir=LR;\n  node [shape=box];\n"
    for id in graph.order { text += "  \(name(id));\n" }
    for (place, template) in manifest.templates.enumerated() {
      let url = quoted(manifest.secrets.shown(template.list.url.shown))
      text += "  list\(place) [shape=note, label=\(url)];\n"
      for id in template.targets { text += "  list\(place) -> \(name(id)) [label=\"list\", style=dashed];\n" }
    }
    for edge in drawn(graph) {
      text +=
        "  \(name(edge.from)) -> \(name(edge.to)) [label=\"\(edge.kind.rawValue)\"\(dotLook(edge.kind))];\n"
    }
    return text + "}\n"
  }

  /// A Mermaid flowchart; nodes have ids of their own, since names may be words of its language.
  package static func mermaid(_ graph: TargetGraph, manifest: Manifest) -> String {
    var text = "flowchart LR\n"
    for id in graph.order {
      text += "  t\(id.index)[\"\(mermaidEscaped(manifest.secrets.shown(manifest[id].name)))\"]\n"
    }
    for (place, template) in manifest.templates.enumerated() {
      text += "  l\(place)>\"\(mermaidEscaped(manifest.secrets.shown(template.list.url.shown)))\"]\n"
      for id in template.targets { text += "  l\(place) -.->|list| t\(id.index)\n" }
    }
    for edge in drawn(graph) {
      text += "  t\(edge.from.index) \(mermaidArrow(edge.kind))|\(edge.kind.rawValue)| t\(edge.to.index)\n"
    }
    return text
  }

  /// The document `syncmake.graph/1`, contract, section 7, `schema/graph.schema.json`. Ends in a line end.
  package static func json(_ graph: TargetGraph, manifest: Manifest) -> String {
    func name(_ id: TargetID) -> String { manifest.secrets.mask(manifest[id].name.text) }
    return JSONWriter.document { json in
      json.field("format", "syncmake.graph/1")
      json.field("manifest", manifest.secrets.mask(manifest.fileName))
      json.strings("targets", graph.order.map(name))
      json.objects("edges", drawn(graph)) { json, edge in
        json.field("from", name(edge.from))
        json.field("to", name(edge.to))
        json.field("kind", edge.kind.rawValue)
      }
      ListsJSON.writeValues(&json, manifest)
      guard !manifest.templates.isEmpty else { return }
      json.objects("lists", manifest.templates) { json, template in
        json.field("name", manifest.secrets.mask(template.list.template))
        json.field("url", manifest.secrets.mask(template.list.url.shown))
        json.strings("targets", template.targets.map(name))
      }
    }
  }

  /// Each pair once for each kind: two lines read from one list are one arrow.
  private static func drawn(_ graph: TargetGraph) -> [TargetGraph.Edge] {
    struct Arrow: Hashable { var from: TargetID, to: TargetID, kind: DependencyKind }
    var seen: Set<Arrow> = []
    return graph.edges.filter { seen.insert(Arrow(from: $0.from, to: $0.to, kind: $0.kind)).inserted }
  }

  private static func dotLook(_ kind: DependencyKind) -> String {
    switch kind {
    case .needs: ""
    case .after: ", style=dashed"
    case .from: ", style=bold"
    case .verify: ", style=dotted"
    }
  }

  private static func mermaidArrow(_ kind: DependencyKind) -> String {
    switch kind {
    case .needs: "-->"
    case .after, .verify: "-.->"
    case .from: "==>"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.with("\\\\", for: "\\").with("\\\"", for: "\"") + "\""
  }

  private static func mermaidEscaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { out, scalar in
      switch scalar {
      case "\"": out += "#quot;"
      case "#": out += "#35;"
      case "&", "<", ">": out += "#\(scalar.value);"
      default: out.unicodeScalars.append(scalar)
      }
    }
  }
}
