/// The `list` of a target: where the list is, and what becomes of it (contract, section 11).
package struct ListDeclaration: Sendable, Equatable {
  /// The target's name as written, such as `docset/${entry.key}`; unique in the manifest.
  package var template: String
  /// The position of that name.
  package var span: SourceSpan
  /// The first page; that of a GitHub repository is a page of its releases in GitHub's API.
  package var url: SourceURL
  /// How it is read.
  package var format: ListFormat
  /// Where the rows of `json` and `csv` are; empty for other formats.
  package var fields: ListFields
  /// Which entries are selected.
  package var rules: ListRules

  /// Nothing is checked.
  package init(
    template: String, span: SourceSpan, url: SourceURL, format: ListFormat, fields: ListFields = ListFields(),
    rules: ListRules = ListRules()
  ) {
    self.template = template
    self.span = span
    self.url = url
    self.format = format
    self.fields = fields
    self.rules = rules
  }
}

extension ListDeclaration {
  /// GitHub's API.
  package static let githubAPI = "https://api.github.com"

  /// The first page of the releases of a repository, `OWNER/NAME`, as long as the API makes pages.
  package static func githubReleases(of repository: String, api: String = githubAPI) -> String {
    let base = api.utf8.last == UInt8(ascii: "/") ? String(api.dropLast()) : api
    return "\(base)/repos/\(repository)/releases?per_page=100"
  }
}

extension ListDeclaration {
  /// What in the list says the versions of its entries; `nil` if that is their names, by `match`.
  ///
  /// Versions of different origins are not compared to find those that have left the list: an edit of the manifest ends
  /// nothing upstream.
  package var versionOrigin: String? {
    if rules.match != nil { return nil }
    guard let column = fields.columns.first(where: { $0.name == ListFields.Role.version.rawValue }) else {
      return format.rawValue
    }
    return "\(format.rawValue) \(column.place)"
  }
}

/// The selected entries of the lists that are known, by the ``ListDeclaration/template`` they belong to.
package struct ListedEntries: Sendable, Equatable {
  /// A template without a value has a list that is not known yet, or cannot be used.
  package var byTemplate: [String: [ListEntry]]

  /// No list is known by default.
  package init(_ byTemplate: [String: [ListEntry]] = [:]) { self.byTemplate = byTemplate }
}

/// What the manifest's own text says of a target that cannot be made yet.
package struct KnownParts: Sendable, Equatable {
  /// Where its bytes come from; empty where that is not known.
  package var urls: [SourceURL] = []
  /// Its output; `nil` where that is not known.
  package var output: RelativePath?
  /// Whether the output has names that stand for those of an entry.
  package var isExample = false
  /// Whether the output is a folder.
  package var isFolder = false
  /// Whether a step or the rule demands a digest that the manifest itself has, and no entry gives.
  package var demandsDigest = false
  /// The targets that it names and must come after, those too that wait for something.
  package var neighbours: [TargetName] = []

  /// Nothing is known.
  package init() {}
}

/// A target of the manifest with `list`, and what it became.
package struct ListTemplate: Sendable, Equatable {
  /// What became of it.
  package enum State: Sendable, Equatable {
    /// Its list's entries were not given; it has no targets.
    case unread
    /// Its targets, one for each entry, have the ids from `first` on.
    case expanded(first: TargetID, entries: [ListEntry])
    /// An entry makes something impossible; it has no targets (`list-invalid`).
    case invalid(ListExpansionFault)
    /// Its targets depend on another template that has none.
    case waiting(for: String)
  }

  /// Its list.
  package var list: ListDeclaration
  /// What all its targets share: the list is asked with these headers, credentials and limits.
  package var settings = Shared(TargetSettings())
  /// What is known of its targets without the list.
  package var known = KnownParts()
  /// The fields besides the usual ones that its targets use, such as `title`.
  package var uses: Set<String> = []
  /// What became of it.
  package var state: State
  /// The variables with the value of an output that its targets use.
  package var values: [String] = []
  /// The same of those that its list is declared with.
  package var listValues: [String] = []
  /// What the list says now of the entries that a lock has, without those that have left it; known where a plan compares
  /// it with the lock.
  package var upstream: [EntryIdentity: (revision: ListRevision, urls: [String])]?
  /// What it took to ask for its list; `nil` if nobody has.
  package var work: ListWork?
  /// The selected entries that a lock does not have yet, without a version where the key alone names one; known where a
  /// plan has asked.
  package var unlocked: [EntryIdentity] = []

  /// Nothing is checked.
  package init(_ list: ListDeclaration, _ state: State) {
    self.list = list
    self.state = state
  }

  /// The targets that it became; empty if its list is not known.
  package var targets: [TargetID] {
    guard case .expanded(let first, let entries) = state else { return [] }
    return entries.indices.map { TargetID(first.index + $0) }
  }

  /// The target that asks for the list; it has no output of its own.
  package func asker(_ id: TargetID) -> Target {
    Target(
      id: id, name: TargetName(list.template), span: list.span, source: .urls(Mirrors(list.url)),
      output: .lockFile, settings: settings)
  }

  /// Whether list and state are equal; everything else follows from the manifest's text.
  package static func == (a: ListTemplate, b: ListTemplate) -> Bool { a.list == b.list && a.state == b.state }
}

/// A target that cannot be made, because it depends on a template without targets, or on an entry that a list does not
/// have.
package struct WaitingTarget: Sendable, Equatable {
  /// Its name.
  package var name: TargetName
  /// The position of its definition.
  package var span: SourceSpan
  /// The ``ListDeclaration/template`` that it waits for, the ``ManifestValue/key`` of a value that it uses, or the name
  /// of another waiting target.
  package var template: String
  /// Its own settings, as far as they do not depend on an entry.
  package var settings: Shared<TargetSettings>
  /// What else is known of it.
  package var known = KnownParts()
  /// The other targets that it cannot be without, as far as they are known.
  package var needs: [TargetName] = []
  /// Those that it comes after.
  package var after: [TargetName] = []
  /// Why the value that it uses makes it impossible; `nil` if it only waits.
  package var fault: ValueProblem?

  /// Nothing is checked.
  package init(name: TargetName, span: SourceSpan, template: String, settings: Shared<TargetSettings>) {
    self.name = name
    self.span = span
    self.template = template
    self.settings = settings
  }

  /// Whether both are the same target and wait for the same.
  package static func == (a: WaitingTarget, b: WaitingTarget) -> Bool {
    a.name == b.name && a.span == b.span && a.template == b.template
  }
}
