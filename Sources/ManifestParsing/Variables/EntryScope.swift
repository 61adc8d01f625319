import SyncModel

/// What `${entry.FIELD}` stands for in the targets of one list.
final class EntryScope: Sendable {
  /// The beginning of the names of all these variables.
  static let prefix = "entry."

  /// Whether `name` is one of these variables, for lists of some format.
  static func isField(_ name: String) -> Bool {
    name.hasPrefix(prefix) && EntryFields.known.contains(String(name.dropFirst(prefix.count)))
  }

  /// The name of the target with `list`, as written.
  let template: String
  let fields: EntryFields
  /// Empty as long as they are not known.
  let entries: [ListEntry]
  /// Whether a value may be several parts of an output.
  let isTree: Bool
  /// The list's; `nil` for a file.
  let origin: WebOrigin?
  /// See ``ListDeclaration/versionOrigin``.
  let versionOrigin: String?

  init(
    template: String, fields: EntryFields, entries: [ListEntry] = [], isTree: Bool = false,
    origin: WebOrigin? = nil, versionOrigin: String? = nil
  ) {
    self.template = template
    self.origin = origin
    self.versionOrigin = versionOrigin
    self.fields = fields
    self.entries = entries
    self.isTree = isTree
  }
}

/// The fields that the entries of a list can have.
struct EntryFields: Sendable {
  /// Those that every entry has.
  private static let always = ["key", "name", "url"]
  /// Those that some formats have, with or without a value.
  fileprivate static let known = always + ["version", "updated", "size", "title", "digest"]

  let names: [String]
  /// Whether there may be others with a prefix, such as `docset:identifier`.
  private let hasPrefixes: Bool
  /// Whether any name may be one.
  private let isUnknown: Bool

  private init(names: [String], hasPrefixes: Bool, isUnknown: Bool) {
    self.names = names
    self.hasPrefixes = hasPrefixes
    self.isUnknown = isUnknown
  }

  /// For a list whose declaration has errors.
  static let unknown = EntryFields(names: known, hasPrefixes: true, isUnknown: true)

  init(_ list: ListDeclaration) {
    var own = Self.fields(of: list)
    if list.rules.match != nil { own.append("version") }
    own += list.fields.columns.map(\.name)
    names =
      Self.known.filter { Self.always.contains($0) || own.contains($0) }
      + own.filter { !Self.known.contains($0) }
    isUnknown = false
    hasPrefixes =
      switch list.format {
      case .atom, .rss, .sitemap: true
      case .dash, .s3, .metalink, .index, .checksums, .github, .json, .csv: false
      }
  }

  /// The further ones that the format has.
  private static func fields(of list: ListDeclaration) -> [String] {
    switch list.format {
    case .atom: ["version", "updated", "size", "title"]
    case .rss: ["updated", "size", "title"]
    case .dash: ["version"]
    case .index, .s3: ["updated", "size"]
    case .checksums: ["digest"]
    case .github: known
    case .sitemap: ["updated"]
    case .metalink: ["version", "size", "digest"]
    // Without `fields`, each is read from the column or the member of its name.
    case .json, .csv: list.fields.columns.isEmpty ? known : []
    }
  }

  func mayHave(_ field: String) -> Bool {
    isUnknown || names.contains(field) || hasPrefixes && field.utf8.contains(UInt8(ascii: ":"))
  }
}

/// The values that a list's entry gives one of its targets.
struct EntryValues: Sendable {
  /// What a value becomes a part of.
  enum Use: Sendable {
    case text
    /// A target's name.
    case name
    case output
  }

  let scope: EntryScope
  /// The place of the entry; `nil` if it is not known, so that a text with a value of it is missing without being
  /// another problem.
  let index: Int?
  var use = Use.text

  /// The entry, if it is known.
  var entry: ListEntry? { index.map { scope.entries[$0] } }

  /// Stands for an unknown value where the text around it can be judged: it may be in every name and output.
  private static func example(of field: String) -> String { ListedName.part(field.uppercased()) }

  /// The names of its variables, for hints.
  var names: [String] { scope.fields.names.map { EntryScope.prefix + $0 } }

  /// The value of a variable; `nil` if it is none of an entry.
  func value(of name: String, _ range: Range<Int>) throws(Variables.Fault) -> ExpandedText? {
    guard name.hasPrefix(EntryScope.prefix) else { return nil }
    let field = String(name.dropFirst(EntryScope.prefix.count))
    guard let index else {
      guard scope.fields.mayHave(field) else { throw .undefined(name, range) }
      guard use == .text else { return ExpandedText(text: Self.example(of: field)) }
      throw .silent
    }
    guard let text = scope.entries[index].field(field) else {
      guard scope.fields.mayHave(field) else { throw .undefined(name, range) }
      throw .entry(.lacks(field: field, key: scope.entries[index].key))
    }
    switch use {
    case .text: return ExpandedText(text: text)
    case .name: return ExpandedText(text: ListedName.part(text))
    case .output:
      do throws(ListedPath.Fault) { try ListedPath.check(text, tree: scope.isTree) } catch {
        throw .entry(.badPath(error, value: text, field: field, key: scope.entries[index].key))
      }
      return ExpandedText(text: text)
    }
  }
}

extension Scope {
  /// Whether it is that of a known entry.
  var isListed: Bool { entry?.index != nil }

  /// The same values, to become a part of something else.
  func used(in use: EntryValues.Use) -> Scope {
    guard entry != nil else { return self }
    var scope = self
    scope.entry?.use = use
    return scope
  }
}
