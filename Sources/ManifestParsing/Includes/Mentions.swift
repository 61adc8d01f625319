import SyncModel

/// How the values of one file mention targets and groups, which may be of another one, and where those are.
extension ManifestReader {
  /// What a value of this file mentions by `name`: one of its own targets and groups, or one of a file that it
  /// includes by its full name.
  func mentioned(_ name: String) -> Named? {
    guard !isAlone else { return named(name) }
    if let own = named(home.prefix + name), isOwn(own) { return own }
    return named(name).flatMap { files?.isVisible($0, from: home.number) == true ? $0 : nil }
  }

  /// How this file mentions the target or group `named`, whose full name is `name`; `nil` if it cannot.
  func mention(_ name: String, _ named: Named) -> String? {
    guard !isAlone else { return name }
    if isOwn(named) { return String(name.dropFirst(home.prefix.count)) }
    return files?.isVisible(named, from: home.number) == true ? name : nil
  }

  /// A hint for a name that is none here.
  func nameHint(_ name: String, among candidates: [String]) -> String? {
    for full in isAlone ? [] : [name, home.prefix + name] {
      guard let named = named(full), let mention = mention(full, named) else { continue }
      return "did you mean \"\(mention)\"?"
    }
    return didYouMean(name, among: candidates)
      ?? (home.number > 0 ? "an included manifest names its own targets and those that it includes" : nil)
  }

  private func isOwn(_ named: Named) -> Bool {
    switch named {
    case .target(let id): id.index >= first.target
    case .group(let index): index >= first.group
    }
  }

  /// The reader of the file that a target is in.
  func reader(of target: Int) -> ManifestReader {
    target >= first.target ? self : files?.reader(of: target) ?? self
  }

  /// The place of a target's name.
  func keySpan(of target: Int) -> SourceSpan {
    let reader = reader(of: target)
    return reader.span(reader.templates[drafts[target].template].key)
  }

  /// A place for a hint in a message at another place: its line, or its file, too, if that is another one.
  func shown(_ span: SourceSpan, from other: SourceSpan) -> String {
    span.file == other.file ? "on line \(span.line)" : "at \(place(span))"
  }

  /// A place with its file.
  func place(_ span: SourceSpan) -> String {
    "\(files?.fileName(span.file) ?? context.fileName):\(span.line):\(span.column)"
  }
}
