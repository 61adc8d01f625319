import ManifestParsing
import SyncModel

/// What `init --from` reads: the lists of downloads that other programs keep.
package enum ForeignKind: String, Sendable, CaseIterable {
  case aria2, urls, vendir, pooch, dvc, chezmoi

  /// For people, with its article.
  package var name: String {
    switch self {
    case .aria2: "an aria2 input file"
    case .urls: "a list of URLs"
    case .vendir: "a vendir.yml"
    case .pooch: "a pooch registry"
    case .dvc: "a .dvc file"
    case .chezmoi: "a chezmoi externals file"
    }
  }

  /// The kind that a file's name says; `nil` if its content must say it.
  init?(ofName path: String) {
    let parts = path.split(separator: "/").map { $0.lowercased() }
    let name = parts.last ?? ""
    if name.hasSuffix(".dvc") {
      self = .dvc
    } else if name == "vendir.yml" || name == "vendir.yaml" {
      self = .vendir
    } else if name.hasPrefix(".chezmoiexternal.") || parts.dropLast().last == ".chezmoiexternals" {
      self = .chezmoi
    } else {
      return nil
    }
  }

  /// The kind of a text in lines; `nil` if it is none of theirs.
  init?(ofLines text: ForeignText) {
    let lines = text.lines.filter(\.isContent)
    guard let first = lines.first, !first.isIndented else { return nil }
    if WebURL.isAddress(first.trimmed) {
      let isAria2 = lines.contains { line in
        line.isIndented ? line.option != nil : line.text.utf8.contains(UInt8(ascii: "\t"))
      }
      self = isAria2 ? .aria2 : .urls
    } else if PoochReader.isEntry(first) {
      self = .pooch
    } else {
      return nil
    }
  }

  /// The kind of a document; `nil` if it is none of theirs.
  init?(ofDocument root: DataNode) {
    if root["directories"] != nil, root.text("apiVersion").hasPrefix("vendir.") {
      self = .vendir
    } else if !root.list("outs").isEmpty {
      self = .dvc
    } else if root.keys != nil, root.items.contains(where: { ChezmoiReader.types.contains($0.text("type")) })
    {
      self = .chezmoi
    } else {
      return nil
    }
  }
}
