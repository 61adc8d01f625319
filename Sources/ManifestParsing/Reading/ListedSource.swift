import SyncModel

extension ManifestReader {
  /// Reads any target; if its entry is known, a problem is the list's.
  func readListed(_ draft: TargetDraft) -> ReadTarget {
    guard let values = draft.scope.entry, let entry = values.entry else { return readTarget(draft) }
    let (read, fault) = quietly(entry) { readTarget(draft) }
    if let fault { refuse(values.scope.template, fault) }
    return read
  }

  /// The source of a target with `list`: its entry's URLs, if it is known.
  func readListedSource(
    _ fields: Fields<TargetKey>, _ list: MappingEntry, _ scope: Scope, into read: inout ReadTarget
  ) {
    for other in [fields[.url], fields[.from]] {
      guard let other else { continue }
      error(
        "\"\(document.text(of: other.key))\" and \"list\" exclude each other", at: other.key,
        hint: "keep one of them")
    }
    let isUnnamed = fields[.output] == nil && !fields.mayHide("output")
    if isUnnamed, !namesItself(read.settings.values.steps, at: list.key) { return }
    guard let entry = scope.entry?.entry, let sources = listedURLs(entry, at: list.key),
      let first = sources.first
    else { return }
    var revision = ListRevision(entry)
    if entry.version != nil, !entry.isVersionCaptured {
      revision.versionOrigin = entry.lockedOrigin ?? scope.entry?.scope.versionOrigin
    }
    read.source = .entry(
      Shared(
        ListedSource(
          urls: Mirrors(first.url, others: sources.dropFirst().map(\.url)),
          template: scope.entry?.scope.template ?? "", key: entry.key,
          revision: revision, origin: scope.entry?.scope.origin)))
    guard isUnnamed else { return }
    read.outputPlace = list.key
    read.output = listedOutput(first, entry, read.settings.values.steps)
  }

  private func listedURLs(_ entry: ListEntry, at place: NodeID) -> [ReadURL]? {
    var sources: [ReadURL] = []
    for text in [entry.url] + entry.mirrors {
      do throws(SourceURLFault) {
        let url = try SourceURLText.parse(text)
        guard case .web = url else { throw .notWeb }
        sources.append(ReadURL(url: url, isSecret: false, place: place))
      } catch {
        let hasCredentials = if case .credentials = error { true } else { false }
        lists.fault =
          lists.fault
          ?? (hasCredentials ? .hasCredentials(key: entry.key) : .badURL(text, key: entry.key))
        return nil
      }
    }
    return sources
  }

  private func listedOutput(_ source: ReadURL, _ entry: ListEntry, _ steps: [Step]) -> RelativePath? {
    let output = defaultOutput(source, steps: steps, place: source.place)
    guard let output else { return nil }
    let name = String(Substring(output.text.utf8.dropFirst(home.folder.utf8.count)))
    do throws(ListedPath.Fault) { try ListedPath.check(name, tree: false) } catch {
      lists.fault = lists.fault ?? .badPath(error, value: name, field: nil, key: entry.key)
      return nil
    }
    return output
  }
}
